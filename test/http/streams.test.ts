import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import type { SchemaTool } from '../../src/tools/tool-definition.ts'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { eventsOf, mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Parameters<typeof startTestApp>[0], flags: readonly string[] = [], parts: Parameters<typeof startTestApp>[1] = {}) {
  const test = await startTestApp(t, { flags, ...parts })
  const token = await test.token()
  const wire = mcpWire({ port: test.port, token })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', { platform: 'android' })

  /** A waitFor of something that never comes, as a stream that is still open. */
  async function openWait (meta: object, timeoutMs = 60_000): Promise<{ response: IncomingMessage, close (): void }> {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 'w',
      method: 'tools/call',
      params: {
        name: 'waitFor',
        arguments: { lease, for: { text: 'never there' }, timeoutMs, pollMs: 50 },
        _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...meta }
      }
    })
    const outgoing = request({
      host: '127.0.0.1',
      port: test.port,
      path: '/mcp',
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'waitFor'
      }
    })
    outgoing.on('error', () => {})
    outgoing.end(body)
    const [response] = await once(outgoing, 'response') as [IncomingMessage]
    response.on('error', () => {})
    return { response, close: () => outgoing.destroy() }
  }
  return { ...test, wire, lease, openWait }
}

async function textOf (response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

t.test('HTTP-05, HTTP-13…16, PROG-02: progress comes on the stream of its call, rising, and the result ends it', async (t) => {
  const { openWait } = await setup(t)

  const { response } = await openWait({ progressToken: 'p' }, 300)
  const text = await textOf(response)

  t.match(response.headers, { 'content-type': /^text\/event-stream/, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
  t.notMatch(text, /^id:/m)
  const events = eventsOf(text)
  const result = events.pop()
  t.match(result, { id: 'w', result: { isError: true, structuredContent: { code: 'timeout' }, resultType: 'complete' } })
  t.ok(events.length > 0)
  let last = -Infinity
  for (const event of events) {
    t.match(event, { method: 'notifications/progress', params: { progressToken: 'p' } })
    t.notOk('id' in event)
    t.ok(event.params.progress > last)
    last = event.params.progress
  }
})

t.test('PROG-03, LOG-01, D-18: a caller that asked for neither progress nor logs gets one JSON object', async (t) => {
  const { openWait } = await setup(t)
  const { response } = await openWait({}, 100)
  t.match(response.headers['content-type'], /^application\/json/)
  t.match(JSON.parse(await textOf(response)), { id: 'w', result: { isError: true } })
})

t.test('LOG-01: log messages come at the level that was asked for, and not below', async (t) => {
  const { openWait } = await setup(t)
  const messages = async (logLevel: string): Promise<any[]> =>
    eventsOf(await textOf((await openWait({ 'io.modelcontextprotocol/logLevel': logLevel }, 200)).response)).filter((event) => event.method !== undefined)

  t.match((await messages('debug'))[0], { method: 'notifications/message', params: { level: String, logger: 'mooring' } })
  t.same(await messages('emergency'), [])
})

t.test('CANCEL-01, HTTP-17, POOL-03, D-14: closing the stream stops the call, and the phone is free for the next one', async (t) => {
  const { app, wire, lease, openWait } = await setup(t)
  const { response, close } = await openWait({ progressToken: 1 })
  await once(response, 'data')

  close()

  // The wait had a minute to go: only its end lets the server be idle.
  await app.admission.idle()
  t.notOk((await wire.call('observe', { lease })).isError)
})

t.test('HTTP-17: a call without a stream stops too when its connection closes', async (t) => {
  const { app, port, token, lease } = await setup(t)
  const value = await token()
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'waitFor',
      arguments: { lease, for: { text: 'never there' }, timeoutMs: 60_000 },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    }
  })
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${value}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'waitFor'
    }
  })
  outgoing.on('error', () => {})
  outgoing.end(body)
  await once(app.server, 'request')

  outgoing.destroy()

  await app.admission.idle()
  t.pass('nothing waits any more')
})

t.test('HTTP-13: a call that takes time shows its headers at once', async (t) => {
  const { openWait } = await setup(t)

  const { response, close } = await openWait({ 'io.modelcontextprotocol/logLevel': 'emergency' })

  t.match(response.headers['content-type'], /^text\/event-stream/, 'long before there is anything to say')
  close()
})

t.test('LEGACY-13: a legacy call goes on without its caller, and counts until it ends', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { app, port, token, lease } = await setup(t, [], { clock, scheduler })
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await token()}` }
  })
  outgoing.on('error', () => {})
  outgoing.end(JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waitFor', arguments: { lease, for: { text: 'never there' }, timeoutMs: 600, pollMs: 50 } }
  }))
  const [response] = await once(outgoing, 'response') as [IncomingMessage]
  response.on('error', () => {})

  outgoing.destroy()
  await new Promise((resolve) => app.server.getConnections(resolve))
  t.equal(app.admission.inFlight, 1)

  while (app.admission.inFlight > 0) {
    advance(50)
    await idle()
  }
  t.ok(clock.monotonicMs() >= 600, 'it ends when its own time is over')
})

t.test('POOL-03: a phone that was acquired for a caller who never learned of it is free again', async (t) => {
  const { app, port, token } = await startTestApp(t, { flags: ['--devices-virtual-faults-latency-fixed-ms', '50'] })
  const authorization = `Bearer ${await token()}`
  const wire = mcpWire({ port, token: await token() })
  const acquire = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'acquireDevice', arguments: {} } })
  for (let round = 0; round < 4; round++) {
    const outgoing = request({
      host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent: false, headers: { 'content-type': 'application/json', authorization }
    })
    outgoing.on('error', () => {})
    outgoing.end(acquire)
    await once(app.server, 'request')
    outgoing.destroy()
  }
  await app.admission.idle()

  const freed = async (): Promise<boolean> => (await wire.call('listLeases')).structuredContent.leases.length === 0
  while (!await freed()) await new Promise((resolve) => setImmediate(resolve))
  t.pass('no lease is left')
})

t.test('closing the server ends open streams properly, with the result of their call', async (t) => {
  const { app, openWait, tokenFile } = await setup(t, ['--shutdown-ms', '400'])
  const { response } = await openWait({ progressToken: 1 })
  await once(response, 'data')
  const rest = textOf(response)

  await app.close()

  t.match(eventsOf(await rest).at(-1), { id: 'w', result: { isError: true, structuredContent: { code: 'cancelled' } } })
  const { access } = await import('node:fs/promises')
  await t.rejects(access(tokenFile), { code: 'ENOENT' }, 'the token file is gone')
})

t.test('PROG-02, PROG-03, HTTP-16: what a tool reports falling, or after its end, goes nowhere', async (t) => {
  const hasty: SchemaTool = {
    name: 'hasty',
    description: 'Reports out of turn.',
    inputSchema: { type: 'object' },
    reports: true,
    async run (_input, { progress, log }) {
      for (const step of [1, 3, 2, 3, 4]) progress({ progress: step })
      // Runs when the result has been written.
      setImmediate(() => {
        progress({ progress: 5 })
        log('error', { event: 'too late' })
      })
      return { content: [] }
    }
  }
  const { port, token, log } = await startTestApp(t, { offer: (pool) => ({ ...pool, tools: [hasty] }) })
  const wire = mcpWire({ port, token: await token() })

  const reply = await wire.modern('tools/call', { name: 'hasty', _meta: { progressToken: 7, 'io.modelcontextprotocol/logLevel': 'debug' } })
  const events = eventsOf(reply.text)

  t.same(events.slice(0, -1).map(({ method, params }) => [method, params.progressToken, params.progress]), [1, 3, 4].map((step) => ['notifications/progress', 7, step]))
  t.match(events.at(-1), { id: 1, result: { content: [] } })
  t.notMatch(log(), /"level":(50|60)/)
})
