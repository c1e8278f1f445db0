import t from 'tap'
import type { ListName } from '../../src/events/event-bus.ts'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import { Refusal } from '../../src/refusals/refusal.ts'
import type { PromptDefinition } from '../../src/tools/prompt-definition.ts'
import type { ResourceDefinition } from '../../src/tools/resource-definition.ts'
import { errorOf, mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest, principal } from '../support/mcp-request.ts'

class AsleepRefusal extends Refusal {
  readonly code = 'asleep'
}

const notes: ResourceDefinition = {
  uriTemplate: 'test://notes/{id}',
  name: 'note',
  title: 'A note',
  description: 'One note.',
  mimeType: 'text/plain',
  list: async () => [{ uri: 'test://notes/a', name: 'a', title: 'A', description: 'Note a', mimeType: 'text/plain' }],
  async read ({ id }, { principal }) {
    if (id === 'asleep') throw new AsleepRefusal({ message: 'Asleep.', retryable: true, nextAction: 'Wait.' })
    if (id === 'broken') throw new Error('secret detail')
    return id === 'a/ b' || (id === 'a' && principal.subject === 'ada') ? { mimeType: 'text/plain', text: `note ${id}` } : undefined
  },
  topicOf: async ({ id }, { principal }) => id === 'a/ b' || (id === 'a' && principal.subject === 'ada') ? 'global' : undefined,
  complete: { id: async () => Array.from({ length: 150 }, (_, index) => `note-${index}`) }
}

const greeting: PromptDefinition = {
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody.',
  arguments: [
    { name: 'who', title: 'Who', description: 'Whom.', required: true, complete: async () => ['Ada', 'Grace'] },
    { name: 'how', title: 'How', description: 'How.', required: false }
  ],
  content: ({ who = '', how = 'Hello' }) => `${how} ${who}`
}

function setup (tells: readonly ListName[] = []) {
  const { dispatch, encoder, log } = mcpBench({ offer: { resources: [notes], prompts: [greeting], tells } })
  async function answer (method: string, params = {}, overrides: Partial<McpRequest> = {}): Promise<any> {
    const request = mcpRequest(method, params, overrides)
    const outcome = await dispatch(request)
    return outcome.kind === 'rejected' ? errorOf(request, outcome.rejection) : JSON.parse(encoder.result(request, outcome).toString()).result
  }
  return { answer, log }
}

const legacy = { era: 'legacy', version: '2025-11-25' } as const

t.test('DISC-01, DISC-02: discovery names the versions, the capabilities and who answers', async (t) => {
  const result = await setup().answer('server/discover')

  t.match(result, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    instructions: String,
    ttlMs: Number,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'mooring' } }
  })
  t.notOk('serverInfo' in result)
})

t.test('CAP-02, SUB-05: word of changes is promised of those lists alone whose changes are published', async (t) => {
  const { answer } = setup(['tools', 'resources'])

  t.strictSame((await answer('server/discover')).capabilities, {
    tools: { listChanged: true }, resources: { listChanged: true, subscribe: true }, prompts: {}, completions: {}, logging: {}
  })
  t.notMatch(JSON.stringify((await setup().answer('server/discover')).capabilities), /listChanged/)
})

t.test('DISC-03, CACHE-04: what is public is the same for everybody, and what depends on the reader is private', async (t) => {
  const { answer } = setup()

  for (const method of ['server/discover', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    const result = await answer(method, {}, { principal: principal('ada') })
    t.equal(result.cacheScope, 'public', method)
    t.same(await answer(method, {}, { principal: principal('eve') }), result, method)
  }
  t.equal((await answer('resources/read', { uri: 'test://notes/a' })).cacheScope, 'private')
})

t.test('LEGACY-01: initialize answers with the asked version if served, else the newest legacy one', async (t) => {
  const { answer } = setup()
  const initialize = async (protocolVersion: string): Promise<any> => await answer('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }, legacy)

  t.match(await initialize('2025-06-18'), { protocolVersion: '2025-06-18', serverInfo: { name: 'mooring' }, capabilities: { tools: {} } })
  t.strictSame((await initialize('2025-06-18')).capabilities, { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }, 'LEGACY-05: nothing that needs a stream')
  t.match(await initialize('2026-07-28'), { protocolVersion: '2025-11-25' })
  t.match(await initialize('2024-11-05'), { protocolVersion: '2025-11-25' })
  t.match(await answer('initialize', { protocolVersion: '2025-06-18' }, legacy), { status: 200, code: -32602 })
})

t.test('ERA-01, LEGACY-07, LEGACY-10, LEGACY-20, D-07: each era has its own methods', async (t) => {
  const { answer } = setup()

  t.same(await answer('ping', {}, legacy), {})
  for (const method of ['ping', 'initialize', 'tasks/list', 'toString', '__proto__']) t.match(await answer(method), { status: 404, code: -32601 }, method)
  for (const method of ['server/discover', 'tasks/list']) t.match(await answer(method, {}, legacy), { status: 200, code: -32601 }, method)
})

t.test('LEGACY-08: a level is accepted and forgotten, an unknown one refused', async (t) => {
  const { answer } = setup()

  t.same(await answer('logging/setLevel', { level: 'debug' }, legacy), {})
  t.match(await answer('logging/setLevel', { level: 'loud' }, legacy), { status: 200, code: -32602 })
  t.match(await answer('logging/setLevel', { level: 'debug' }), { status: 404, code: -32601 })
})

t.test('RES-01, RES-02: resources are listed, their templates too, and they are read by URI', async (t) => {
  const { answer } = setup()

  t.match(await answer('resources/list'), { resources: [{ uri: 'test://notes/a' }], ttlMs: Number, cacheScope: 'public' })
  t.match(await answer('resources/templates/list'), { resourceTemplates: [{ uriTemplate: 'test://notes/{id}' }] })
  t.match(await answer('resources/read', { uri: 'test://notes/a' }), {
    contents: [{ uri: 'test://notes/a', mimeType: 'text/plain', text: 'note a' }], ttlMs: 0, cacheScope: 'private'
  })
  t.match(await answer('resources/read', { uri: 'test://notes/a%2F%20b' }), { contents: [{ text: 'note a/ b' }] }, 'a variable is decoded')
})

t.test('RES-03, ERR-09, ERR-15, LEGACY-11, D-13: an unknown resource has the code of its era and names the URI', async (t) => {
  const { answer } = setup()

  for (const uri of ['test://notes/zzz', 'test://notes/a/b', 'test://notes/', 'test://notes/%zz', 'file:///etc/passwd', 'test://notes/a?x', '']) {
    t.match(await answer('resources/read', { uri }), { status: 200, code: -32602, data: { uri } }, uri)
    t.match(await answer('resources/read', { uri }, legacy), { status: 200, code: -32002, data: { uri } }, `${uri} legacy`)
  }
  t.match(await answer('resources/read', {}), { code: -32602 })
})

t.test('LEGACY-09, A-14, D-13: an old client may subscribe to what is there, and is told of nothing', async (t) => {
  const { answer } = setup()

  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    t.strictSame(await answer(method, { uri: 'test://notes/a' }, legacy), {})
    t.match(await answer(method, { uri: 'test://notes/b' }, legacy), { status: 200, code: -32002, data: { uri: 'test://notes/b' } })
    t.match(await answer(method, { uri: 'test://notes/a' }, { ...legacy, principal: principal('bob') }), { code: -32002 })
    t.match(await answer(method, {}, legacy), { code: -32602 })
    t.match(await answer(method, { uri: 'test://notes/a' }), { status: 404, code: -32601 })
  }
})

t.test('CACHE-07, RES-03, D-20: a resource of somebody else reads like one that does not exist', async (t) => {
  const { answer } = setup()

  t.same(
    await answer('resources/read', { uri: 'test://notes/a' }, { principal: principal('eve') }),
    { ...await answer('resources/read', { uri: 'test://notes/zzz' }), data: { uri: 'test://notes/a' } }
  )
})

t.test('ERR-11: a refusal keeps its text outside of tools, a fault loses it', async (t) => {
  const { answer, log } = setup()

  t.match(await answer('resources/read', { uri: 'test://notes/asleep' }), { status: 200, code: -32603, message: 'Asleep.', data: { code: 'asleep', nextAction: 'Wait.' } })
  const failed = await answer('resources/read', { uri: 'test://notes/broken' })
  t.match(failed, { status: 200, code: -32603, data: { code: 'internal_error' } })
  t.notMatch(JSON.stringify(failed), /secret/)
  t.equal(log.entries.length, 1)
})

t.test('PROMPT-01: prompts are listed and filled in; a missing or unknown argument is named', async (t) => {
  const { answer } = setup()

  t.match(await answer('prompts/list'), { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }, { name: 'how', required: false }] }] })
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }), { messages: [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }] })
  t.match(await answer('prompts/get', { name: 'greet' }), { status: 200, code: -32602, message: /missing: who/ })
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: 'Ada', x: 'y' } }), { code: -32602, message: /unknown: x/ })
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: 'Ada', __mcpSessionId: 'k', __x: 7 } }), { messages: [{}] }, 'what proxies add is none of them')
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: 7 } }), { code: -32602 })
  t.match(await answer('prompts/get', { name: 'greet', arguments: null }), { code: -32602, message: /missing: who/ })
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: null } }), { code: -32602 }, 'what is required is not absent')
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: '' } }), { messages: [{}] }, 'an empty text is one')
  t.match(await answer('prompts/get', { name: 'greet', arguments: { who: 'Ada', how: null } }), { messages: [{ content: { text: 'Hello Ada' } }] }, 'what may be absent may be null')
  t.match(await answer('prompts/get', { name: 'nope' }), { code: -32602 })
})

t.test('COMP-01: completion filters, counts and stops at a hundred', async (t) => {
  const { answer } = setup()
  const completeId = async (value: string): Promise<any> =>
    (await answer('completion/complete', { ref: { type: 'ref/resource', uri: 'test://notes/{id}' }, argument: { name: 'id', value } })).completion

  t.match(await completeId('NOTE-14'), { values: ['note-14', 'note-140'], total: 11, hasMore: false })
  const all = await completeId('')
  t.equal(all.values.length, 100)
  t.match(all, { total: 150, hasMore: true })
  t.match(await answer('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'gr' } }), { completion: { values: ['Grace'] } })
  t.match(await answer('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'how', value: '' } }), { completion: { values: [] } })
  for (const params of [
    {}, { ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'who', value: '' } },
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'nope', value: '' } },
    { ref: { type: 'ref/resource', uri: 'test://notes/a' }, argument: { name: 'id', value: '' } },
    { ref: { type: 'ref/other' }, argument: { name: 'id', value: '' } }, { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who' } }
  ]) t.match(await answer('completion/complete', params), { status: 200, code: -32602 }, JSON.stringify(params))
})
