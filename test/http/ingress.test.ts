import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const started = startTestApp(t)

async function setup () {
  const { port, token } = await started
  const value = await token()
  return { port, token: value, authorization: `Bearer ${value}`, wire: mcpWire({ port, token: value }) }
}

t.test('HTTP-10, HTTP-11, VAL-02, ERR-13, D-31: a foreign Host or Origin is refused on every path and method', async (t) => {
  const { port, authorization } = await setup()
  const headers: Array<Record<string, string | string[]>> = [
    { host: 'evil.example.com' }, { host: '127.0.0.1.evil.example' }, { host: `localhost:${port}`, origin: 'http://localhost.evil.example' },
    { host: 'localhost', origin: 'null' }, { host: 'localhost', origin: 'https://evil.example' },
    { host: 'localhost', origin: ['http://localhost', 'http://evil.example'] }
  ]
  for (const foreign of headers) {
    for (const [method, path] of [['POST', '/mcp'], ['GET', '/mcp'], ['DELETE', '/mcp'], ['GET', '/livez'], ['OPTIONS', '/nope']] as const) {
      const reply = await exchange({ port, method, path, headers: { authorization, ...foreign } })
      t.equal(reply.status, 403, `${method} ${path} ${JSON.stringify(foreign)}`)
      t.match(reply.json(), { jsonrpc: '2.0', error: { code: -32600, data: { retryable: false, nextAction: String } } })
      t.notOk('id' in reply.json())
    }
  }
})

t.test('HTTP-11: the names of this machine are served, with and without a matching Origin', async (t) => {
  const { port, authorization } = await setup()
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST']) {
    const headers = { authorization, host: `${host}:${port}`, origin: `http://${host}:${port}` }
    t.equal((await exchange({ port, method: 'GET', path: '/livez', headers })).status, 200, host)
  }
})

t.test('VAL-02: a request without any Host is a bad one', async (t) => {
  const { port, authorization } = await setup()
  const { connect } = await import('node:net')
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /livez HTTP/1.1\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`))
    let text = ''
    socket.on('data', (chunk) => { text += chunk.toString() })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
  t.match(answer, /^HTTP\/1\.1 400 /)
})

t.test('VAL-03, ERR-13, AUTH-06: without the token every path and method is refused alike, unknown ones included', async (t) => {
  const { port, token } = await setup()
  for (const authorization of [undefined, '', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token}, Bearer ${token}`, token]) {
    for (const [method, path] of [['POST', '/mcp'], ['OPTIONS', '/mcp'], ['GET', '/status'], ['GET', '/nope'], ['PATCH', '/livez'], ['GET', '/%zz'], ['PROPFIND', '/mcp']] as const) {
      const reply = await exchange({ port, method, path, headers: authorization === undefined ? {} : { authorization } })
      t.equal(reply.status, 401, `${method} ${path} ${String(authorization)}`)
      t.match(reply.headers['www-authenticate'], /^Bearer/.test(authorization ?? '') ? /^Bearer error="invalid_token"/ : /^Bearer$/)
      t.same(Object.keys(reply.json()), ['error', 'error_description', 'nextAction'])
      t.match(reply.json(), { error: 'Unauthorized' })
    }
  }
  t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { authorization: `bEARER ${token}` } })).status, 200, 'the scheme in any case')
})

t.test('AUTH-04, D-32: a token in the query string is refused', async (t) => {
  const { port, token } = await setup()
  const reply = await exchange({ port, method: 'GET', path: `/livez?access_token=${token}` })
  t.equal(reply.status, 400)
  t.notMatch(reply.text, token)
})

t.test('VAL-02…VAL-05: Host before token, token before size, type, encoding and body', async (t) => {
  const { port, token, authorization } = await setup()
  const status = async (headers: Record<string, string>, body = 'broken{'): Promise<number> => (await exchange({ port, headers, body })).status
  const json = { 'content-type': 'application/json' }

  t.equal(await status({ host: 'evil.example', authorization: 'Bearer wrong', ...json }), 403)
  t.equal(await status({ authorization: 'Bearer wrong', ...json }), 401)
  t.equal(await status({ authorization: 'Bearer wrong', 'content-type': 'text/plain', 'content-length': String(5 * 1024 * 1024) }, ' '.repeat(5 * 1024 * 1024)), 401)
  t.equal(await status({ authorization, 'content-type': 'text/plain', accept: 'text/html' }, ' '.repeat(5 * 1024 * 1024)), 413)
  t.equal(await status({ authorization, 'content-type': 'text/plain', accept: 'text/html' }), 415)
  t.equal(await status({ authorization, ...json, 'content-encoding': 'gzip' }), 415)
  t.equal(await status({ authorization, ...json }), 400)
  t.equal((await exchange({ port, headers: { authorization: `Bearer ${token}` }, body: '{}' })).status, 415, 'no content type at all')
})

t.test('HTTP-19: a body beyond the limit is refused before it is buffered, declared or not', async (t) => {
  const { port, authorization, wire } = await setup()
  const large = Buffer.alloc(5 * 1024 * 1024, 0x20)

  const declared = await wire.post(large)
  t.equal(declared.status, 413)
  t.match(declared.json(), { error: 'Request body too large', nextAction: /4194304/ })
  const chunked = await exchange({ port, headers: { authorization, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }, body: large })
  t.equal(chunked.status, 413)
  t.equal((await wire.modern('server/discover')).status, 200, 'the server goes on')
})

t.test('HTTP-19: headers beyond 64 KiB are refused with 431, and long ones within are fine', async (t) => {
  const { wire } = await setup()
  t.equal((await wire.modern('server/discover', {}, { 'x-long': 'x'.repeat(40_000) })).status, 200)
  t.equal((await wire.modern('server/discover', {}, { 'x-long': 'x'.repeat(70_000) })).status, 431)
})

t.test('HTTP-08, VAL-01: other methods on a known path are 405 and name what is allowed', async (t) => {
  const { port, authorization } = await setup()
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
    const reply = await exchange({ port, method, headers: { authorization } })
    t.equal(reply.status, 405, method)
    t.equal(reply.headers.allow, 'POST')
  }
  t.equal((await exchange({ port, method: 'HEAD', headers: { authorization } })).status, 405)
  t.equal((await exchange({ port, path: '/status', headers: { authorization, 'content-type': 'application/json' }, body: '{}' })).headers.allow, 'GET, HEAD')
})

t.test('an unknown path is 404 and says where MCP is', async (t) => {
  const { port, authorization } = await setup()
  for (const path of ['/nope', '/mcp//', '/MCP', '/%zz', '//mcp', '/mcp/../status']) {
    const reply = await exchange({ port, path, headers: { authorization, 'content-type': 'application/json' }, body: '{}' })
    t.equal(reply.status, 404, path)
    t.match(reply.json(), { error: 'Not found', nextAction: /\/mcp/ })
  }
})

t.test('HTTP-09, LEGACY-02: answers carry no header beyond the known ones, whatever session a request names', async (t) => {
  const { wire, port, authorization } = await setup()
  const known = new Set(['content-type', 'content-length', 'date', 'connection', 'keep-alive', 'www-authenticate', 'allow', 'retry-after', 'cache-control', 'x-accel-buffering', 'transfer-encoding'])
  const replies = [
    await wire.modern('tools/list'), await wire.modern('nope'), await wire.post('{'), await exchange({ port }),
    await exchange({ port, method: 'GET', path: '/status', headers: { authorization } }), await exchange({ port, headers: { host: 'evil' } }),
    await wire.legacy('initialize', {}, { 'mcp-session-id': 'abc', 'last-event-id': '7' })
  ]
  for (const reply of replies) t.same(Object.keys(reply.headers).filter((name) => !known.has(name)), [])
})

t.test('no refusal and no log line repeats the token', async (t) => {
  const { log } = await started
  const { token, wire } = await setup()
  for (const reply of [await wire.post('{'), await wire.modern('nope'), await wire.modern('tools/call', { name: 'nope' }), await wire.post('{}', { authorization: `Bearer ${token} ` })]) {
    t.notMatch(reply.text, token)
  }
  t.notMatch(log(), token)
})
