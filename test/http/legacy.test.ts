import t from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { exchange } from '../support/http-exchange.ts'
import { eventsOf, mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const started = startTestApp(t)

const chatty = defineTool({
  name: 'chatty',
  title: 'Chatty',
  description: 'Tells how far it is, and what it does at two levels.',
  input: z.strictObject({}),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  reports: true,
  async run (_input, { progress, log }) {
    progress({ progress: 1, total: 1 })
    log('debug', { said: 'debug' })
    log('info', { said: 'info' })
    return { content: [{ type: 'text', text: 'done' }], structuredContent: {} }
  }
})

async function setup () {
  const { port, token } = await started
  return mcpWire({ port, token: await token() })
}

t.test('LEGACY-01, LEGACY-02: a handshake opens no session, and nothing needs it', async (t) => {
  const wire = await setup()
  const reply = await wire.legacy('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } }, { 'mcp-protocol-version': undefined })

  t.match(reply.json().result, { protocolVersion: '2025-06-18', serverInfo: { name: 'mooring' } })
  t.notOk('mcp-session-id' in reply.headers)
  t.equal((await wire.legacy('tools/list')).status, 200)
  t.equal((await wire.legacy('tools/list', {}, { 'mcp-session-id': 'stray' })).status, 200)
})

t.test('LEGACY-12: a handshake describes the server as the version that it agrees on allows', async (t) => {
  const wire = await setup()
  const served = async (protocolVersion: string): Promise<string[]> => Object.keys((await wire.legacy(
    'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }, { 'mcp-protocol-version': undefined }
  )).json().result.serverInfo)

  t.same(await served('2025-11-25'), ['name', 'version', 'title', 'description'])
  t.same(await served('2025-06-18'), ['name', 'version', 'title'])
  t.same(await served('2025-03-26'), ['name', 'version'])
})

t.test('ERA-02, A-06: a handshake under a modern header is served all the same', async (t) => {
  const wire = await setup()
  t.match((await wire.legacy('initialize', { protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'c', version: '1' } }, { 'mcp-protocol-version': '2026-07-28' })).json(), {
    result: { protocolVersion: '2025-11-25' }
  })
})

t.test('LEGACY-03, ERA-08, ERA-10: notifications and responses are accepted', async (t) => {
  const wire = await setup()
  for (const body of ['{"jsonrpc":"2.0","method":"notifications/initialized"}', '{"jsonrpc":"2.0","id":1,"result":{}}']) {
    t.equal((await wire.post(body)).status, 202)
  }
})

t.test('LEGACY-04, ERA-06, VER-03: an unknown version header is a 400 that names what is served', async (t) => {
  const wire = await setup()
  const reply = await wire.legacy('tools/list', {}, { 'mcp-protocol-version': '1999-01-01' })
  t.equal(reply.status, 400)
  t.match(reply.json().error, { code: -32022, data: { requested: '1999-01-01', supported: ['2025-11-25', '2025-06-18', '2025-03-26'] } })
})

t.test('LEGACY-06, LEGACY-07, LEGACY-10: old shapes, and unknown methods as a 200', async (t) => {
  const wire = await setup()
  t.same((await wire.legacy('ping')).json().result, {})
  const tools = (await wire.legacy('tools/list')).json().result
  t.same(Object.keys(tools), ['tools'])
  for (const method of ['server/discover', 'tasks/get', 'nope']) {
    const reply = await wire.legacy(method)
    t.equal(reply.status, 200, method)
    t.equal(reply.json().error.code, -32601)
  }
})

t.test('LEGACY-10: tools, resources, prompts and completion work as in modern traffic', async (t) => {
  const wire = await setup()
  t.match((await wire.legacy('tools/call', { name: 'listDevices', arguments: {} })).json().result, { content: [{ type: 'text' }], structuredContent: { devices: [{}, {}] } })
  t.match((await wire.legacy('resources/read', { uri: 'mooring://devices' })).json().result, { contents: [{ uri: 'mooring://devices' }] })
  t.match((await wire.legacy('prompts/list')).json().result.prompts[0], { name: String })
  t.match((await wire.legacy('completion/complete', { ref: { type: 'ref/resource', uri: 'mooring://devices/{id}' }, argument: { name: 'id', value: 'virtual' } })).json().result, {
    completion: { values: [/virtual/, /virtual/] }
  })
})

t.test('HDR-14: mirrored headers mean nothing in legacy traffic', async (t) => {
  const wire = await setup()
  t.equal((await wire.legacy('tools/list', {}, { 'mcp-method': 'wrong', 'mcp-name': 'wrong', 'mcp-param-x': '=?base64?!?=' })).status, 200)
})

t.test('LEGACY-11, D-13: an unknown resource has the old code', async (t) => {
  const wire = await setup()
  t.match((await wire.legacy('resources/read', { uri: 'mooring://nope' })).json().error, { code: -32002, data: { uri: 'mooring://nope' } })
})

t.test('LEGACY-21, D-10: the oldest revision may send batches, each element is answered alone', async (t) => {
  const wire = await setup()
  const batch = JSON.stringify([
    { jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 'b', method: 'nope' }, { id: 3, method: 'ping' }
  ])
  const reply = await wire.post(batch)

  t.equal(reply.status, 200)
  t.match(reply.json(), [{ id: 1, result: {} }, { id: 'b', error: { code: -32601 } }, { id: 3, error: { code: -32600 } }])
  t.equal((await wire.post('[{"jsonrpc":"2.0","method":"notifications/initialized"}]')).status, 202)
  t.equal((await wire.post(batch, { 'mcp-protocol-version': '2025-06-18' })).status, 400)
  t.equal((await wire.post('[]')).status, 400)
})

t.test('LEGACY-05: nothing can be pushed without a session, so nothing of the sort is advertised', async (t) => {
  const { port, token } = await started
  const wire = await setup()
  const initialize = await wire.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } })

  t.notMatch(JSON.stringify(initialize.json().result.capabilities), /listChanged|subscribe/)
  for (const method of ['GET', 'DELETE']) {
    const reply = await exchange({ port, method, headers: { authorization: `Bearer ${await token()}`, accept: 'text/event-stream', 'mcp-session-id': 'x' } })
    t.equal(reply.status, 405, method)
  }
})

t.test('LEGACY-08, LEGACY-10, LEGACY-15, LEGACY-18: progress and logs come on the stream of the call, without anything to resume it by', async (t) => {
  const { port, token } = await startTestApp(t, { offer: (pool) => ({ ...pool, tools: [chatty] }) })
  const wire = mcpWire({ port, token: await token() })

  t.same((await wire.legacy('logging/setLevel', { level: 'emergency' })).json().result, {})
  const reply = await wire.legacy('tools/call', { name: 'chatty', _meta: { progressToken: 'p', 'com.example/other': 1 } })

  t.match(reply.headers['content-type'], /^text\/event-stream/)
  t.notMatch(reply.text, /^(id|retry):/m)
  const [progress, log, result, ...more] = eventsOf(reply.text)
  t.match(progress, { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 1 } })
  t.match(log, { method: 'notifications/message', params: { level: 'info', data: { said: 'info' } } }, 'info and above, whatever was set before')
  t.match(result, { result: { content: [{ type: 'text', text: 'done' }] } })
  t.same(more, [])
})

t.test('LEGACY-15: the trace of a legacy request is in its log line', async (t) => {
  const { port, token, log } = await startTestApp(t, { flags: ['--log-level', 'debug'] })
  const wire = mcpWire({ port, token: await token() })

  await wire.legacy('ping', { _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } })

  t.match(log(), new RegExp(`"trace_id":"${'a'.repeat(32)}"`))
})

t.test('LEGACY-16: there are no tasks in any form', async (t) => {
  const wire = await setup()
  const initialize = await wire.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: { tasks: {} }, clientInfo: { name: 'c', version: '1' } })

  t.notMatch(JSON.stringify(initialize.json().result.capabilities), /tasks|extensions/)
  t.notMatch((await wire.legacy('tools/list')).text, /taskSupport/)
  const called = await wire.legacy('tools/call', { name: 'listDevices', arguments: {}, task: { ttl: 60_000 } })
  t.match(called.json().result, { content: [{ type: 'text' }], structuredContent: { devices: [{}, {}] } })
  for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update']) {
    t.match((await wire.legacy(method, { taskId: 'x' })).json(), { error: { code: -32601 } }, method)
  }
})

t.test('LEGACY-19: Origin, Host and token are checked as for modern callers', async (t) => {
  const wire = await setup()

  t.equal((await wire.legacy('ping', {}, { origin: 'https://evil.example' })).status, 403)
  t.equal((await wire.legacy('ping', {}, { host: 'evil.example' })).status, 403)
  const unauthorized = await wire.legacy('ping', {}, { authorization: undefined })
  t.equal(unauthorized.status, 401)
  t.equal(unauthorized.headers['www-authenticate'], 'Bearer')
})
