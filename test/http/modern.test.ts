import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const started = startTestApp(t)

async function setup () {
  const { port, token } = await started
  return mcpWire({ port, token: await token() })
}

const version = 'io.modelcontextprotocol/protocolVersion'
const capabilities = 'io.modelcontextprotocol/clientCapabilities'
const discover = (meta: object | undefined): string => JSON.stringify({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: meta === undefined ? {} : { _meta: meta } })
const discoverHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }

t.test('VAL-19: the pinned vectors, each with the id of its request', async (t) => {
  const wire = await setup()
  const cases: Array<[string, object | undefined, object, number, number | undefined]> = [
    ['no _meta', undefined, {}, 400, -32602],
    ['no version', { [capabilities]: {} }, {}, 400, -32602],
    ['no capabilities', { [version]: '2026-07-28' }, {}, 400, -32602],
    ['no clientInfo', { [version]: '2026-07-28', [capabilities]: {} }, {}, 200, undefined],
    ['another version in the body', { [version]: 'v999.0.0', [capabilities]: {} }, {}, 400, -32020],
    ['an unknown version in both', { [version]: 'v999.0.0', [capabilities]: {} }, { 'mcp-protocol-version': 'v999.0.0' }, 400, -32022]
  ]
  for (const [name, meta, headers, status, code] of cases) {
    const reply = await wire.post(discover(meta), { ...discoverHeaders, ...headers })
    t.equal(reply.status, status, name)
    t.equal(reply.json().id, 'd', name)
    t.equal(reply.json().error?.code, code, name)
  }
})

t.test('VER-02, VER-03, ERR-07: an unsupported version names what is served, which discovery serves too', async (t) => {
  const wire = await setup()
  const refused = (await wire.post(discover({ [version]: 'v999.0.0', [capabilities]: {} }), { ...discoverHeaders, 'mcp-protocol-version': 'v999.0.0' })).json().error
  const { supportedVersions } = (await wire.modern('server/discover')).json().result

  t.equal(refused.data.requested, 'v999.0.0')
  for (const supported of refused.data.supported) t.ok(supportedVersions.includes(supported))
})

t.test('D-08, D-09: a legacy version is no modern one, in the header or in both', async (t) => {
  const wire = await setup()
  t.match((await wire.modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' })).json(), { error: { code: -32020 } })
  const both = await wire.modern('tools/list', { _meta: { [version]: '2025-11-25' } }, { 'mcp-protocol-version': '2025-11-25' })
  t.equal(both.status, 400)
  t.match(both.json(), { error: { code: -32022, data: { supported: ['2026-07-28'] } } })
})

t.test('VAL-09…13: version, method, existence and name are checked in this order', async (t) => {
  const wire = await setup()
  const wrong = { 'mcp-protocol-version': '2025-06-18', 'mcp-method': 'wrong', 'mcp-name': 'wrong' }
  const code = async (method: string, headers: object): Promise<[number, number]> => {
    const reply = await wire.modern(method, { name: 'listDevices' }, { ...headers })
    return [reply.status, reply.json().error?.code]
  }
  t.same(await code('nope', wrong), [400, -32020])
  t.same(await code('nope', { 'mcp-method': 'wrong' }), [400, -32020])
  t.same(await code('nope', {}), [404, -32601])
  t.same(await code('tools/call', { 'mcp-name': 'wrong' }), [400, -32020])
  t.same(await code('tools/call', { 'mcp-name': undefined }), [400, -32020])
  t.same(await code('tools/call', { 'mcp-method': undefined }), [400, -32020])
})

t.test('HTTP-20, D-01: a doubled header is refused although one of the two is right', async (t) => {
  const wire = await setup()
  for (const header of ['mcp-name', 'mcp-method', 'mcp-protocol-version']) {
    const right = { 'mcp-name': 'listDevices', 'mcp-method': 'tools/call', 'mcp-protocol-version': '2026-07-28' }[header] ?? ''
    for (const other of ['other', right]) {
      const reply = await wire.modern('tools/call', { name: 'listDevices' }, { [header]: [right, other] })
      t.equal(reply.status, 400, `${header} ${other}`)
      t.equal(reply.json().error.code, -32020)
    }
  }
})

t.test('ERA-01, ERR-03, RES-05, LOG-02, D-07: methods of the old era do not exist in modern traffic', async (t) => {
  const wire = await setup()
  for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list', 'tasks/result', 'tasks/get']) {
    const reply = await wire.modern(method)
    t.equal(reply.status, 404, method)
    t.equal(reply.json().error.code, -32601)
  }
})

t.test('ERR-01, RPC-05, D-12: broken JSON has no id, a broken message the id that could be read', async (t) => {
  const wire = await setup()
  for (const body of ['', '{', '\xff', 'nope', '{"id":1,}']) {
    const reply = await wire.post(body)
    t.equal(reply.status, 400, body)
    t.equal(reply.json().error.code, -32700)
    t.notOk('id' in reply.json())
  }
  t.match((await wire.post('{"jsonrpc":"1.0","id":"x","method":"ping"}')).json(), { id: 'x', error: { code: -32600 } })
  t.match((await wire.post('{"jsonrpc":"2.0","id":9,"method":"ping","__proto__":{"a":1}}')).json(), { id: 9, error: { code: -32600 } })
  t.match((await wire.post('['.repeat(10_000))).json(), { error: { code: -32600 } })
})

t.test('HTTP-02: an array is refused in modern traffic, and so is a posted response', async (t) => {
  const wire = await setup()
  for (const body of ['[]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', '{"jsonrpc":"2.0","id":1,"result":{}}']) {
    const reply = await wire.post(body, { 'mcp-protocol-version': '2026-07-28' })
    t.equal(reply.status, 400, body)
    t.equal(reply.json().error.code, -32600)
    t.notOk('id' in reply.json())
  }
})

t.test('HTTP-06, HTTP-07, ERA-07, CANCEL-02: a notification is accepted with an empty 202', async (t) => {
  const wire = await setup()
  const reply = await wire.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', { 'mcp-protocol-version': '2026-07-28' })
  t.equal(reply.status, 202)
  t.equal(reply.text, '')
})

t.test('HTTP-05, CACHE-01: every list and read says how long and for whom it is fresh', async (t) => {
  const wire = await setup()
  for (const [method, params] of [
    ['server/discover', {}], ['tools/list', {}], ['prompts/list', {}], ['resources/list', {}], ['resources/templates/list', {}],
    ['resources/read', { uri: 'mooring://devices' }]
  ] as Array<[string, object]>) {
    const reply = await wire.modern(method, { ...params })
    t.match(reply.headers['content-type'], /^application\/json/)
    const { result } = reply.json()
    t.equal(result.resultType, 'complete', method)
    t.ok(Number.isInteger(result.ttlMs) && result.ttlMs >= 0, method)
    t.match(result.cacheScope, /^(public|private)$/)
    t.match(result._meta, { 'io.modelcontextprotocol/serverInfo': { name: 'mooring' } })
  }
})

t.test('LOG-02, VAL-14: an unknown log level is refused, after the headers have been checked', async (t) => {
  const wire = await setup()
  const level = { _meta: { 'io.modelcontextprotocol/logLevel': 'loud' } }
  t.match(await wire.modern('tools/list', level), { status: 200 })
  t.match((await wire.modern('tools/list', level)).json(), { error: { code: -32602 } })
  t.equal((await wire.modern('nope', level)).status, 404)
  t.equal((await wire.modern('tools/list', level, { 'mcp-protocol-version': undefined })).json().error.code, -32020)
})

t.test('META-06: unknown _meta keys are ignored', async (t) => {
  const wire = await setup()
  t.equal((await wire.modern('tools/list', { _meta: { 'com.example/x': 1, '!!': 2 } })).status, 200)
})

t.test('HTTP-05: a list goes out like every other answer: typed, with its length, and without headers of its own', async (t) => {
  const wire = await setup()
  const list = await wire.modern('tools/list')
  const call = await wire.modern('tools/call', { name: 'listDevices', arguments: {} })

  t.same(Object.keys(list.headers).sort(), Object.keys(call.headers).sort())
  t.equal(list.headers['content-type'], call.headers['content-type'])
  t.equal(Number(list.headers['content-length']), Buffer.byteLength(list.text))
})
