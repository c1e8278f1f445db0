/**
 * Classes of advisories about other MCP servers: what checks a request reads it otherwise than what
 * answers it (CVE-2026-27896, GHSA-q382-vc8q-7jhj), and headers that say something else than the body.
 */
import t, { type Test } from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const version = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
const meta = `"_meta":{${version},"io.modelcontextprotocol/clientCapabilities":{}}`
const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }

async function setup (t: Test) {
  const { port, token, app, log } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })
  return { wire, app, log, send: async (body: string, more: Record<string, string> = {}) => await wire.post(body, { ...headers, ...more }) }
}

t.test('HDR-02, HDR-03: of doubled members the last one counts, for the headers and for the work', async (t) => {
  const { send, app } = await setup(t)
  const twice = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listDevices","name":"acquireDevice",${meta}}}`

  t.match((await send(twice, { 'mcp-name': 'listDevices' })).json(), { error: { code: -32020 } })
  t.same(await app.leases.list(), [])
  t.match((await send(twice, { 'mcp-name': 'acquireDevice' })).json(), { result: { structuredContent: { lease: String } } })

  const methods = `{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{${meta}}}`
  t.match((await send(methods)).json(), { error: { code: -32020 } })
})

t.test('RPC-01: names of members are compared letter by letter', async (t) => {
  const { send, app } = await setup(t)
  for (const body of [
    `{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"acquireDevice",${meta}}}`,
    `{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call","params":{"name":"acquireDevice",${meta}}}`,
    `{"JSONRPC":"2.0","id":1,"method":"tools/call","params":{"name":"acquireDevice",${meta}}}`
  ]) {
    t.match((await send(body, { 'mcp-name': 'acquireDevice' })).json(), { error: { code: -32600 } }, body)
  }
  const mixed = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"acquireDevice","name":"listDevices","Arguments":{"x":1},${meta}}}`
  t.match((await send(mixed, { 'mcp-name': 'acquireDevice' })).json(), { error: { code: -32020 } })
  t.match((await send(mixed, { 'mcp-name': 'listDevices' })).json(), { result: { structuredContent: { devices: Array } } })
  t.same(await app.leases.list(), [])
})

t.test('no prototype comes from a body, and no member of one stands in for what is missing', async (t) => {
  const { send } = await setup(t)
  for (const params of ['"__proto__":{"name":"listDevices"}', '"constructor":{"prototype":{"name":"listDevices"}}']) {
    const reply = await send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params},${meta}}}`)
    t.match(reply.json(), { error: { code: /-32600|-32602/ } }, params)
  }
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    t.match((await send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}",${meta}}}`, { 'mcp-name': name })).json(), { error: { code: -32602 } }, name)
    t.match((await send(`{"jsonrpc":"2.0","id":1,"method":"${name}","params":{${meta}}}`, { 'mcp-method': name })).json(), { error: { code: -32601 } }, name)
  }
  t.equal((Object.prototype as { name?: unknown }).name, undefined)
})

t.test('ERR-01, RPC-02: bytes and numbers that parsers read differently are refused or come back as they were', async (t) => {
  const { send } = await setup(t)
  const request = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"listDevices",${meta}}}`
  for (const id of ['1e400', '-1e400', '9007199254740993', '1.5', '0x10', '01', '+1', 'NaN', 'null', '"a\u0000b"', '"\\ud800"', '1 /* c */', '1,']) {
    const reply = await send(request(id), { 'mcp-name': 'listDevices' })
    t.equal(reply.status, 400, id)
    t.match(reply.json(), { error: { code: /-32700|-32600/ } }, id)
  }
  for (const [sent, back] of [['"\\u0000"', '\u0000'], ['-0', 0], ['1e2', 100]] as const) {
    const reply = await send(request(sent), { 'mcp-name': 'listDevices' })
    t.equal(reply.status, 200, sent)
    const { id } = reply.json()
    t.ok(id === back || (typeof id === 'string' && id.length === 1), `${sent} comes back as ${JSON.stringify(id)}`)
  }
  t.equal((await send(`\ufeff${request('1')}`, { 'mcp-name': 'listDevices' })).status, 200, 'a byte order mark')
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"listDevices","arguments":${'['.repeat(70)}${']'.repeat(70)},${meta}}}`
  t.match((await send(deep, { 'mcp-name': 'listDevices' })).json(), { error: { code: -32600 } })
})

t.test('HTTP-20, HDR-11, HDR-14: no header passes for what the body does not say', async (t) => {
  const { wire, app } = await setup(t)
  const acquire = { name: 'acquireDevice', arguments: { platform: 'android' } }
  const refused = [
    { 'mcp-method': ['tools/call', 'tools/call'] }, { 'mcp-name': ['acquireDevice', 'listDevices'] }, { 'mcp-protocol-version': ['2026-07-28', '2025-11-25'] },
    { 'mcp-param-platform': ['android', 'ios'] }, { 'mcp-param-platform': 'ios' }, { 'mcp-param-device': 'virtual-android-1' }, { 'mcp-param-platform': undefined },
    { 'mcp-name': '=?base64?YWNxdWlyZURldmljZQ?=' }, { 'mcp-name': 'ACQUIREDEVICE' }
  ]
  for (const headers of refused) {
    t.match((await wire.modern('tools/call', acquire, headers)).json(), { error: { code: -32020 } }, JSON.stringify(headers))
  }
  t.same(await app.leases.list(), [])
  const legacy = await wire.legacy('tools/call', { name: 'listDevices' }, { 'mcp-name': 'acquireDevice', 'mcp-method': 'x', 'mcp-param-platform': 'ios' })
  t.match(legacy.json(), { result: { structuredContent: { devices: Array } } }, 'what they say counts for nothing')
})
