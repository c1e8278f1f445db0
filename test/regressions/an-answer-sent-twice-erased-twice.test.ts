/**
 * The state of a question is sealed and lives for ten minutes. An answer that was sent again with
 * it, by a client that repeats requests or by another one that had seen them, erased the phone again.
 */
import t, { type Test } from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Test) {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })
  const call = async (name: string, args: object, more: object = {}) => (await wire.modern('tools/call', {
    name, arguments: args, ...more, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  })).json().result
  const { structuredContent: { lease } } = await call('acquireDevice', {})
  const app = async () => (await call('observe', { lease })).structuredContent.app
  const openApp = async () => await call('launchApp', { lease, app: 'com.example.fieldnotes' })
  await openApp()
  const asked = await call('resetDevice', { lease })
  t.match(asked, { resultType: 'input_required' })
  const [key] = Object.keys(asked.inputRequests)
  if (key === undefined) throw new Error('nothing was asked')
  const agreed = { requestState: asked.requestState, inputResponses: { [key]: { action: 'accept', content: { confirm: true } } } }
  return { lease, app, openApp, agree: async () => await call('resetDevice', { lease }, agreed) }
}

t.test('MRTR-06: an agreement that is sent again asks anew, and erases nothing', async (t) => {
  const { app, openApp, agree } = await setup(t)
  t.match(await agree(), { structuredContent: { device: 'virtual-android-1', cleaned: Array } })
  await openApp()

  t.match(await agree(), { resultType: 'input_required', inputRequests: Object, requestState: String })
  t.equal(await app(), 'com.example.fieldnotes')
})

t.test('MRTR-06: of two that arrive together one erases', async (t) => {
  const { agree } = await setup(t)

  const results = await Promise.all([agree(), agree(), agree()])

  t.strictSame(results.map(({ resultType }) => resultType).sort(), ['complete', 'input_required', 'input_required'])
})

t.test('an agreement to erase a phone as it was is none once more was done on it', async (t) => {
  const { app, openApp, agree } = await setup(t)
  await openApp()

  t.match(await agree(), { resultType: 'input_required' })
  t.equal(await app(), 'com.example.fieldnotes')
})
