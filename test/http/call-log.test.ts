/** The lines of the log for calls of tools, over the whole server. */
import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { agreementQuestion } from '../../src/tools/asking.ts'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp, type TestAppOptions } from '../support/start-test-app.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

async function setup (t: Test, options: TestAppOptions = {}) {
  const test = await startTestApp(t, { phones: 2, ...options })
  const wire = mcpWire({ port: test.port, token: await test.token() })
  const lines = (): any[] => test.log().split('\n').filter((line) => line.includes('"tool called"')).map((line) => JSON.parse(line))
  return { ...test, wire, lines }
}

t.test('at info, each call of a tool has one line, in either era and in a batch', async (t) => {
  const { wire, lines } = await setup(t)
  const lease: string = (await wire.call('acquireDevice', { device: 'virtual-android-2' })).structuredContent.lease
  await wire.call('observe', { lease })
  await wire.legacy('tools/call', { name: 'pressButton', arguments: { lease, button: 'home' } })
  await wire.post(JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'renewLease', arguments: { lease } } }))))
  await wire.call('acquireDevices', { devices: { a: {} } })
  await wire.call('releaseDevice', { lease })
  await wire.call('observe', { lease })
  await wire.modern('tools/list')

  t.same(lines().map(({ level, tool, device, outcome, code }) => [level, tool, device, outcome, code]), [
    [30, 'acquireDevice', 'virtual-android-2', 'done', undefined],
    [30, 'observe', 'virtual-android-2', 'done', undefined],
    [30, 'pressButton', 'virtual-android-2', 'done', undefined],
    [30, 'renewLease', 'virtual-android-2', 'done', undefined],
    [30, 'renewLease', 'virtual-android-2', 'done', undefined],
    [30, 'acquireDevices', 'virtual-android-1', 'done', undefined],
    [30, 'releaseDevice', 'virtual-android-2', 'done', undefined],
    [30, 'observe', 'virtual-android-2', 'refused', 'lease_ended']
  ])
  for (const line of lines()) t.ok(line.durationMs >= 0 && Number.isInteger(Math.round(line.durationMs * 10)))
})

t.test('a refusal has its code: no phone free and no such element are two things', async (t) => {
  const { wire, lines } = await setup(t)
  const lease: string = (await wire.call('acquireDevices', { devices: { a: {}, b: {} } })).structuredContent.leases.a.lease
  await wire.call('acquireDevice', {})
  await wire.call('tapOn', { lease, target: { text: 'nowhere to be seen' } })
  await wire.call('tapOn', { lease, target: { nonsense: 1 } })
  await wire.modern('tools/call', { name: 'no-such-tool-secret' })
  await wire.modern('tools/call', { name: 'observe', arguments: 'a secret' })

  t.match(lines().slice(1).map(({ tool, outcome, code }) => [tool, outcome, code]), [
    ['acquireDevice', 'refused', 'capacity_exhausted'],
    ['tapOn', 'refused', 'no_match'],
    ['tapOn', 'refused', 'invalid_arguments'],
    [undefined, 'rejected', -32602],
    ['observe', 'rejected', -32602]
  ])
})

t.test('LOG-03: no line has an argument, a handle, or a name that a caller made up', async (t) => {
  const { wire, lines } = await setup(t)
  const lease: string = (await wire.call('acquireDevice', { purpose: 'a private purpose' })).structuredContent.lease
  await wire.call('launchApp', { lease, app: 'com.example.fieldnotes' })
  await wire.call('inputText', { lease, text: 'private words', target: { label: 'E-mail' } })
  await wire.call('acquireDevice', { device: 'private-device' })
  await wire.call('observe', { lease: 'ls_private' })
  await wire.modern('tools/call', { name: 'private-tool' })

  t.equal(lines().length, 6)
  t.notMatch(JSON.stringify(lines()), /private/)
  t.notMatch(JSON.stringify(lines()), lease)
  const known = ['level', 'time', 'tool', 'device', 'outcome', 'code', 'durationMs', 'waitedMs', 'msg']
  for (const line of lines()) t.same(Object.keys(line).filter((name) => !known.includes(name)), [])
})

t.test('the line belongs to the trace of its call', async (t) => {
  const { wire, lines } = await setup(t)
  await wire.modern('tools/call', { name: 'listDevices', _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } })
  t.match(lines(), [{ tool: 'listDevices', trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }])
})

t.test('above info there is none', async (t) => {
  const { wire, lines } = await setup(t, { flags: ['--log-level', 'warn'] })
  await wire.call('listDevices')
  t.same(lines(), [])
})

t.test('the wait for a phone and the wait for the screen are no work', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { wire, lines } = await setup(t, { phones: 1, clock, scheduler })
  const lease: string = (await wire.call('acquireDevice')).structuredContent.lease
  /** Lets time go on until the call has its answer. */
  async function wait (name: string, given: object): Promise<void> {
    const call = { isOver: false }
    const over = wire.modern('tools/call', { name, arguments: given }).finally(() => { call.isOver = true })
    while (!call.isOver) {
      await idle()
      advance(50)
    }
    await over
  }
  await wait('waitFor', { lease, for: { text: 'never there' }, timeoutMs: 30_000 })
  await wait('acquireDevice', { waitMs: 20_000 })

  t.match(lines().slice(1), [
    { tool: 'waitFor', device: 'virtual-android-1', outcome: 'refused', code: 'timeout' }, { tool: 'acquireDevice', outcome: 'refused' }
  ])
  for (const [at, wanted] of [[1, 30_000], [2, 20_000]] as const) {
    const { waitedMs, durationMs } = lines()[at]
    t.ok(waitedMs > wanted - 1_000 && durationMs < 1_000, `${waitedMs} ms waited, ${durationMs} ms worked`)
  }
})

t.test('the time in which the caller is asked is no work', async (t) => {
  const asking = defineTool({
    name: 'asking',
    title: 'Asking',
    description: 'Asks.',
    input: z.strictObject({}),
    annotations,
    asks: true,
    run: async (_input, { ask }) => ({ content: [], structuredContent: { ...await ask('ok', agreementQuestion({ message: 'Well?', title: 'Yes' })) } })
  })
  const { wire, lines } = await setup(t, { offer: (pool) => ({ ...pool, tools: [...pool.tools, asking] }) })
  await wire.modern('tools/call', { name: 'asking', _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } })
  t.match(lines(), [{ tool: 'asking', outcome: 'asked' }])
})
