import { once } from 'node:events'
import { Agent } from 'node:http'
import t, { type Test } from 'tap'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Test) {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { app, port, token } = await startTestApp(t, { clock, scheduler })
  let connections = 0
  app.server.on('connection', () => { connections++ })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())

  /** Lets time pass until something has come true. */
  async function passUntil<T> (coming: Promise<T>): Promise<T> {
    const wait = { isOver: false }
    coming.catch(() => {}).then(() => { wait.isOver = true })
    while (!wait.isOver) {
      advance(50)
      await idle()
    }
    return await coming
  }

  return { wire: mcpWire({ port, token: await token(), agent }), connections: () => connections, passUntil }
}

t.test('RPC-09, ERA-13: on one connection each request is judged by itself alone', async (t) => {
  const { wire, connections, passUntil } = await setup(t)
  const toolsOf = async (headers: object): Promise<any[]> => (await wire.legacy('tools/list', {}, { ...headers })).json().result.tools

  await wire.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: { sampling: {} }, clientInfo: { name: 'c', version: '1' } })
  t.ok((await toolsOf({})).every(({ title }) => typeof title === 'string'))
  t.ok((await toolsOf({ 'mcp-protocol-version': undefined })).every((tool) => !('title' in tool)), 'the version of the handshake is not remembered')
  t.equal((await wire.modern('tools/list')).json().result.resultType, 'complete', 'the era is not remembered')
  t.equal((await wire.legacy('ping')).json().result.resultType, undefined)

  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const wait = async (meta: object): Promise<string> =>
    String((await passUntil(wire.modern('tools/call', { name: 'waitFor', arguments: { lease, for: { text: 'never' } }, _meta: meta }))).headers['content-type'])
  t.match(await wait({ 'io.modelcontextprotocol/logLevel': 'debug' }), /^text\/event-stream/)
  await wire.legacy('logging/setLevel', { level: 'debug' })
  t.match(await wait({}), /^application\/json/, 'the log level is not remembered')

  t.equal(connections(), 1)
})

t.test('RPC-03, LEGACY-17: requests with one id at the same time are each answered', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'listDevices' }
  const legacy = { 'mcp-protocol-version': '2025-11-25' }
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const body = (_meta: object): string => JSON.stringify({ jsonrpc: '2.0', id: 'same', method: 'tools/call', params: { name: 'listDevices', _meta } })

  const replies = await Promise.all([
    wire.post(body(meta), modern), wire.post(body(meta), modern), wire.post(body({}), legacy), wire.post(body({}), legacy)
  ])

  for (const reply of replies) t.match(reply.json(), { id: 'same', result: { structuredContent: { devices: [{}, {}] } } })
})

t.test('CANCEL-04: callers that leave at any moment around their answer leave nothing behind', async (t) => {
  const { app, port, token, log } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const agents = Array.from({ length: 40 }, () => new Agent())

  await Promise.all(agents.map(async (agent, turn) => {
    const leaving = mcpWire({ port, token: await token(), agent })
    const answered = leaving.modern('tools/list').catch(() => 'left')
    // Some leave before the request is read, some while it is answered, some after.
    for (let tick = 0; tick < turn; tick++) await new Promise((resolve) => setImmediate(resolve))
    agent.destroy()
    await answered
  }))

  await app.admission.idle()
  t.equal((await wire.modern('server/discover')).status, 200)
  t.notMatch(log(), /"level":(50|60)/)
})

t.test('RPC-03, CANCEL-01: of two calls with one id, the one whose caller leaves stops and the other goes on', async (t) => {
  const { app, port, token } = await startTestApp(t)
  const value = await token()
  const leavers = new Agent()
  const { structuredContent: { lease } } = await mcpWire({ port, token: value }).call('acquireDevice')
  // Two that count their ids from the beginning.
  const [first, second] = [mcpWire({ port, token: value, agent: leavers }), mcpWire({ port, token: value })]
  const waitFor = (timeoutMs: number): object => ({ name: 'waitFor', arguments: { lease, for: { text: 'never' }, timeoutMs, pollMs: 50 } })

  const leaver = first.modern('tools/call', { ...waitFor(60_000) }).catch(() => 'left')
  await once(app.server, 'request')
  const stayer = second.modern('tools/call', { ...waitFor(300) })
  await once(app.server, 'request')
  leavers.destroy()

  t.equal(await leaver, 'left')
  t.match((await stayer).json(), { id: 1, result: { isError: true, structuredContent: { code: 'timeout' } } })
  await app.admission.idle()
})
