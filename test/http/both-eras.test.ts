import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const started = startTestApp(t)

async function setup () {
  const { port, token } = await started
  const value = await token()
  return { port, authorization: `Bearer ${value}`, wire: mcpWire({ port, token: value }) }
}

const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

t.test('HTTP-01, ERA-04, ERA-13: one path answers both eras side by side', async (t) => {
  const { wire } = await setup()

  const [modern, legacy, handshaken] = await Promise.all([wire.modern('tools/list'), wire.legacy('tools/list'), wire.legacy('initialize', handshake)])

  t.equal(modern.json().result.resultType, 'complete')
  t.same(Object.keys(legacy.json().result), ['tools'])
  t.equal(handshaken.json().result.protocolVersion, '2025-11-25')
})

t.test('LEGACY-22: both eras offer the same tools, resources, prompts and instructions', async (t) => {
  const { wire } = await setup()
  const { result: discovered } = (await wire.modern('server/discover')).json()
  const { result: initialized } = (await wire.legacy('initialize', handshake)).json()

  t.equal(initialized.instructions, discovered.instructions)
  t.same(Object.keys(initialized.capabilities), Object.keys(discovered.capabilities))
  for (const [method, member] of [['tools/list', 'tools'], ['resources/list', 'resources'], ['resources/templates/list', 'resourceTemplates'], ['prompts/list', 'prompts']] as const) {
    const modern = (await wire.modern(method)).json().result[member]
    t.ok(modern.length > 0, method)
    // Headers are mirrored in the modern era alone.
    const shown = JSON.parse(JSON.stringify(modern), (name, value) => name === 'x-mcp-header' ? undefined : value)
    t.same((await wire.legacy(method)).json().result[member], shown, method)
  }
})

t.test('CAP-02, CAP-04, CAP-05: what is advertised is served, and what is served is advertised', async (t) => {
  const { wire } = await setup()
  const { capabilities } = (await wire.modern('server/discover')).json().result
  const served = {
    tools: await wire.modern('tools/list'),
    prompts: await wire.modern('prompts/list'),
    resources: await wire.modern('resources/list'),
    completions: await wire.modern('completion/complete', { ref: { type: 'ref/resource', uri: 'mooring://devices/{id}' }, argument: { name: 'id', value: '' } })
  }

  for (const [capability, reply] of Object.entries(served)) {
    t.type(capabilities[capability], Object, capability)
    t.ok('result' in reply.json(), `${capability} is served`)
  }
  t.type(capabilities.logging, Object, 'waitFor sends log messages')
})

t.test('CAP-04: a server that offers nothing answers with empty lists', async (t) => {
  const { port, token } = await startTestApp(t, { offer: () => ({ tools: [], resources: [], prompts: [] }) })
  const wire = mcpWire({ port, token: await token() })

  for (const [method, member] of [['tools/list', 'tools'], ['resources/list', 'resources'], ['resources/templates/list', 'resourceTemplates'], ['prompts/list', 'prompts']] as const) {
    t.same((await wire.modern(method)).json().result[member], [], method)
  }
})

t.test('LIST-02, POOL-02: lists stay the same byte by byte whatever a caller has done', async (t) => {
  const { wire } = await setup()
  const lists = async (): Promise<string[]> => await Promise.all(
    ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map(async (method) => JSON.stringify((await wire.modern(method)).json().result))
  )
  const before = await lists()

  const leases = [await wire.call('acquireDevice'), await wire.call('acquireDevice')]
  const refused = await wire.call('acquireDevice')

  t.same(await lists(), before, 'with every phone leased')
  t.match(refused, { isError: true, structuredContent: { code: 'capacity_exhausted', retryable: true, retryAfterMs: Number, nextAction: String } })
  for (const { structuredContent: { lease } } of leases) await wire.call('releaseDevice', { lease })
  t.same(await lists(), before, 'and with every phone free again')
})

t.test('META-03, META-04, META-05: keys that mooring puts into _meta are well formed and only MCP\'s own where MCP reserves them', async (t) => {
  const { wire } = await setup()
  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const replies = await Promise.all([
    wire.modern('server/discover'), wire.modern('tools/list'), wire.modern('resources/list'), wire.modern('resources/templates/list'), wire.modern('prompts/list'),
    wire.modern('resources/read', { uri: `mooring://leases/${lease}/screen` }), wire.modern('prompts/get', { name: 'exploreApp', arguments: { app: 'a' } }),
    wire.modern('tools/call', { name: 'observe', arguments: { lease } }), wire.modern('tools/call', { name: 'nope' }), wire.legacy('tools/list')
  ])
  await wire.call('releaseDevice', { lease })

  const keys = new Set(replies.flatMap((reply) => [...metaKeys(reply.json())]))

  t.same([...keys], ['io.modelcontextprotocol/serverInfo'])
  for (const key of keys) t.match(key, /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/)(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/)
})

t.test('META-04, META-05, META-06: a reserved name without its meaning, or a known name elsewhere, changes nothing', async (t) => {
  const { wire } = await setup()
  const plain = JSON.stringify((await wire.modern('tools/list')).json().result)
  for (const meta of [
    { protocolVersion: '1999-01-01', clientCapabilities: [], logLevel: 'debug' }, { 'com.example.mcp/protocolVersion': '1999-01-01' },
    { 'dev.mcp/anything': {} }, { 'io.modelcontextprotocol/subscriptionId': 7 }
  ]) {
    t.equal(JSON.stringify((await wire.modern('tools/list', { _meta: meta })).json().result), plain, JSON.stringify(meta))
  }
})

t.test('HTTP-21: a preflight is a request like any other, and gives no page of another origin a permission', async (t) => {
  const { port, authorization } = await setup()
  const preflight = async (headers: object): Promise<{ status: number, granted: string[] }> => {
    const reply = await exchange({ port, method: 'OPTIONS', headers: { ...headers, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization, mcp-method' } })
    return { status: reply.status, granted: Object.keys(reply.headers).filter((name) => name.startsWith('access-control-')) }
  }

  t.same(await preflight({ origin: 'https://evil.example' }), { status: 403, granted: [] })
  t.same(await preflight({ origin: `http://localhost:${port}` }), { status: 401, granted: [] })
  t.same(await preflight({ origin: `http://localhost:${port}`, authorization }), { status: 405, granted: [] })
})

t.test('ICON-03, RPC-07: the server names itself alike in both eras, with name and version', async (t) => {
  const { wire } = await setup()
  const named = (await wire.modern('tools/list')).json().result._meta['io.modelcontextprotocol/serverInfo']

  t.match(named, { name: 'mooring', version: /^\d+\.\d+\.\d+/ })
  t.same((await wire.legacy('initialize', handshake)).json().result.serverInfo, named)
})

function * metaKeys (value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '_meta') yield * Object.keys(member)
    yield * metaKeys(member)
  }
}
