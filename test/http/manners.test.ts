/** What HTTP itself asks of a server, beyond what MCP says: forms of answers, connections, hosts, and what is no request. */
import t, { type Test } from 'tap'
import { Refusal } from '../../src/refusals/refusal.ts'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startTestApp, type TestAppOptions } from '../support/start-test-app.ts'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

async function setup (t: Test, options: TestAppOptions = {}) {
  const test = await startTestApp(t, { phones: 1, ...options })
  const token = await test.token()
  return { ...test, token, authorization: `Bearer ${token}`, wire: mcpWire({ port: test.port, token }) }
}

t.test('HTTP-04: Accept has to take the forms that this answer can have, and no others', async (t) => {
  const { wire } = await setup(t)
  const json = { accept: 'application/json' }
  const events = { accept: 'text/event-stream' }
  const neither = { accept: 'text/html' }

  for (const method of ['tools/list', 'server/discover', 'resources/list']) {
    t.equal((await wire.modern(method, {}, json)).status, 200, method)
    t.equal((await wire.modern(method, {}, events)).status, 406, method)
    t.equal((await wire.modern(method, {}, neither)).status, 406, method)
  }
  t.equal((await wire.modern('tools/call', { name: 'listDevices' }, json)).status, 200)
  t.equal((await wire.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }, json)).status, 200)

  const waits = { name: 'acquireDevice', arguments: { waitMs: 1_000 } }
  t.equal((await wire.modern('tools/call', waits, json)).status, 406, 'it may become a stream')
  t.equal((await wire.modern('tools/call', { name: 'acquireDevice', arguments: {} }, json)).status, 200, 'it does not wait')

  const listen = { notifications: {} }
  t.equal((await wire.modern('subscriptions/listen', listen, json)).status, 406)
  t.equal((await wire.modern('subscriptions/listen', listen, events)).status, 200)
})

t.test('HTTP-04: a caller that is turned away is told which forms there are, and nothing has been done for it', async (t) => {
  const { wire, app } = await setup(t)
  const turnedAway = async (params: Record<string, unknown>, accept: string, method = 'tools/call') => (await wire.modern(method, params, { accept })).json()

  t.match(await turnedAway({ name: 'acquireDevice', arguments: {} }, 'text/event-stream'), {
    error: 'Not acceptable', nextAction: 'Send Accept: application/json; the answer is JSON.'
  })
  t.match(await turnedAway({ name: 'acquireDevice', arguments: { waitMs: 5 } }, 'application/json'), {
    nextAction: 'Send Accept: application/json, text/event-stream; the answer can be either.'
  })
  t.match(await turnedAway({ notifications: {} }, 'application/json', 'subscriptions/listen'), { nextAction: /text\/event-stream; the answer is a stream/ })
  t.same(await app.leases.list(), [])
  await app.admission.idle()
  t.equal(app.admission.inFlight, 0)
})

t.test('HTTP-04, HTTP-06: what wants no answer may accept anything', async (t) => {
  const { wire } = await setup(t)
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  for (const body of [notification, { jsonrpc: '2.0', id: 1, result: {} }, [notification, notification]]) {
    t.equal((await wire.post(JSON.stringify(body), { accept: 'text/html' })).status, 202, JSON.stringify(body))
  }
  const mixed = [notification, { jsonrpc: '2.0', id: 1, method: 'ping' }]
  t.equal((await wire.post(JSON.stringify(mixed), { accept: 'text/html' })).status, 406)
  t.equal((await wire.post(JSON.stringify(mixed), { accept: 'application/json' })).status, 200)
})

t.test('HTTP-01: a slash at the end of a path makes no difference', async (t) => {
  const { wire, port, authorization } = await setup(t)
  const { headers, body } = { headers: { authorization, 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }
  for (const path of ['/mcp/', '/mcp/?x=1', '/mcp?x=/']) t.equal((await exchange({ port, path, headers, body })).status, 200, path)
  for (const path of ['/livez/', '/status/', '/devices/?a=b/']) t.equal((await exchange({ port, method: 'GET', path, headers })).status, 200, path)
  for (const path of ['/mcp//', '//mcp/', '/', '//', '/mcp/x/']) t.equal((await exchange({ port, path, headers, body })).status, 404, path)
  const other = await exchange({ port, method: 'GET', path: '/mcp/', headers })
  t.match(other, { status: 405, headers: { allow: 'POST' } })
  t.equal((await wire.modern('tools/list')).status, 200)
})

t.test('HTTP-03: an encoded body is refused for that, wherever bodies are taken', async (t) => {
  const { port, authorization } = await setup(t)
  for (const path of ['/mcp', '/heartbeat', '/devices/drain']) {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x']) {
      const reply = await exchange({ port, path, headers: { authorization, 'content-type': 'application/json', 'content-encoding': encoding }, body: '{}' })
      t.match(reply, { status: 415, headers: { 'accept-encoding': 'identity' } }, `${path} ${encoding}`)
      t.match(reply.json(), { error: 'Unsupported content encoding', nextAction: /without Content-Encoding/ })
    }
  }
  const plain = await exchange({
    port,
    headers: { authorization, 'content-type': 'application/json', 'content-encoding': 'Identity' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  })
  t.equal(plain.status, 200)
})

t.test('RFC 9112 §9.6: a client that asks for it has its connection closed, behind a stream too', async (t) => {
  const { port, token } = await setup(t)
  const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {}, progressToken: 1 }
  const request = (method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } })
  const headersOf = (method: string, name?: string): string[] => [
    'MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${method}`, ...(name === undefined ? [] : [`Mcp-Name: ${name}`])
  ]
  const cases: ReadonlyArray<readonly [string, Buffer, string]> = [
    ['message', rawPost(token, request('tools/list', {}), [...headersOf('tools/list'), 'Connection: close']), 'application/json'],
    ['stream', rawPost(token, request('subscriptions/listen', { notifications: {} }), [...headersOf('subscriptions/listen'), 'Connection: close']), 'text/event-stream']
  ]
  for (const [what, bytes, type] of cases) {
    const connection = await rawConnection(port)
    connection.send(bytes)
    const reply = await connection.next()
    t.match(reply, { status: 200, headers: { connection: 'close', 'content-type': new RegExp(`^${type}`) } }, what)
    t.equal(await connection.next(), undefined, `${what}: it is closed`)
  }

  const kept = await rawConnection(port)
  t.teardown(() => kept.reset())
  for (let time = 0; time < 2; time++) {
    kept.send(rawPost(token, request('subscriptions/listen', { notifications: {} }), headersOf('subscriptions/listen')))
    t.match(await kept.next(), { status: 200, headers: { connection: 'keep-alive' } })
  }
})

t.test('VAL-02, RFC 9112 §3.2: a missing or a doubled Host is 400, whether the names are ours or not', async (t) => {
  const { port, authorization } = await setup(t)
  for (const hosts of [[], ['Host: localhost', 'Host: localhost'], ['Host: localhost', 'Host: evil.example'], ['Host: localhost, evil.example']]) {
    const connection = await rawConnection(port)
    connection.send(['GET /livez HTTP/1.1', ...hosts, `Authorization: ${authorization}`, '', ''].join('\r\n'))
    const reply = await connection.next()
    t.match(reply, { status: 400, headers: { connection: 'close' } }, hosts.join())
    t.match(JSON.parse(reply?.body ?? ''), { error: 'Bad request', nextAction: /exactly one Host/ })
  }
})

t.test('HTTP-19: what Node refuses by itself has the form of every other refusal', async (t) => {
  const { port, authorization, log } = await setup(t)
  const post = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`
  const cases: ReadonlyArray<readonly [string, string, number]> = [
    ['no request', 'hello\r\n\r\n', 400],
    ['another version', 'GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001', 400],
    ['a blank in a name', 'GET /livez HTTP/1.1\r\nHost : localhost\r\n\r\n', 400],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, 400],
    ['a bad chunk', `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}`, 400],
    ['a NUL', 'GET /li\u0000vez HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['large headers', `GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 431]
  ]
  for (const [what, bytes, status] of cases) {
    const connection = await rawConnection(port)
    connection.send(Buffer.from(bytes, 'latin1'))
    const reply = await connection.next()
    t.match(reply, { status, headers: { 'content-type': 'application/json; charset=utf-8', connection: 'close' } }, what)
    const body = JSON.parse(reply?.body ?? '')
    t.same(Object.keys(body), ['error', 'nextAction'], what)
    t.equal(await connection.next(), undefined, what)
  }
  const lines = log().split('\n').filter((line) => line.includes('HPE_'))
  t.equal(lines.length, cases.length, 'each has a line')
  t.match(JSON.parse(lines[0] ?? ''), { level: 30, msg: 'request refused', status: 400 })
})

t.test('what is no request does not break into the answer to the one before it', async (t) => {
  const { port, token } = await setup(t)
  const connection = await rawConnection(port)
  const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} }
  const body = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: ['mooring://devices'] }, _meta: meta }
  })
  let received = ''
  connection.socket.on('data', (text: Buffer | string) => { received += text.toString() })
  connection.send(rawPost(token, body, ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: subscriptions/listen']))
  while (!received.includes('acknowledged')) await new Promise((resolve) => setImmediate(resolve))

  connection.send('no request\r\n\r\n')
  await connection.next()

  t.notMatch(received, /400 Bad Request|"error"/)
  t.ok(connection.socket.destroyed)
})

t.test('an expectation that Node does not know is no way past the checks', async (t) => {
  const { port, authorization } = await setup(t)
  t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { expect: 'a miracle' } })).status, 401)
  t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { expect: 'a miracle', host: 'evil.example' } })).status, 403)
  t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { expect: 'a miracle', authorization } })).status, 200)
})

t.test('ERA-06: a request in the old shape that names no revision of ours is told the old ones', async (t) => {
  const { wire } = await setup(t)
  for (const version of ['2024-11-05', '1999-01-01', 'latest', '2027-01-01']) {
    const reply = await wire.legacy('tools/list', {}, { 'mcp-protocol-version': version })
    t.equal(reply.status, 400)
    t.match(reply.json(), { error: { code: -32022, data: { supported: ['2025-11-25', '2025-06-18', '2025-03-26'], requested: version } } })
    for (const served of reply.json().error.data.supported) {
      t.equal((await wire.legacy('tools/list', {}, { 'mcp-protocol-version': served })).status, 200, `${served} is served in that shape`)
    }
  }
  const modern = await wire.modern('tools/list', { _meta: { [versionKey]: '2027-01-01' } }, { 'mcp-protocol-version': '2027-01-01' })
  t.same(modern.json().error.data.supported, ['2026-07-28'])
})

t.test('HTTP-19: whatever limit a request exceeds, 429 and Retry-After say that it passes, and else there is neither', async (t) => {
  class FullRefusal extends Refusal {
    readonly code = 'full'
    override readonly kind = 'limit'
    constructor () {
      super({ message: 'It is full.', retryable: true, retryAfterMs: 2_500, nextAction: 'Come back.' })
    }
  }
  const { wire } = await setup(t, {
    flags: ['--subscriptions-max-uris', '1'],
    offer: (pool) => ({
      ...pool,
      prompts: [...pool.prompts, { name: 'full', title: 'Full', description: 'Is full.', arguments: [], content: () => { throw new FullRefusal() } }]
    })
  })
  const two = { notifications: { resourceSubscriptions: ['mooring://devices', 'mooring://devices/virtual-android-1'] } }
  const tooLarge = await wire.modern('subscriptions/listen', two)
  t.equal(tooLarge.status, 200)
  t.notOk('retry-after' in tooLarge.headers)
  t.match(tooLarge.json(), { error: { data: { code: 'listen_filter_too_large', retryable: false } } })
  for (const reply of [await wire.modern('prompts/get', { name: 'full' }), await wire.legacy('prompts/get', { name: 'full' })]) {
    t.equal(reply.status, 429)
    t.match(reply.headers['retry-after'], /^\d+$/)
    t.match(reply.json(), { error: { data: { code: 'full', retryable: true, retryAfterMs: 2_500, nextAction: String } } })
  }
})
