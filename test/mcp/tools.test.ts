import t from 'tap'
import { z } from 'zod'
import { invalidParams } from '../../src/protocol/error-table.ts'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import { ProtocolError } from '../../src/protocol/rejection.ts'
import { Refusal } from '../../src/refusals/refusal.ts'
import { defineTool, type ContentBlock, type OfferedTool, type SchemaTool, type ToolDefinition } from '../../src/tools/tool-definition.ts'
import { localCatalog, mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest } from '../support/mcp-request.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

class BusyRefusal extends Refusal {
  readonly code = 'busy'
}

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Gives back its arguments.',
  input: z.strictObject({ count: z.int().min(1).optional(), loud: z.boolean().optional(), text: z.string().optional(), at: z.strictObject({ x: z.number() }).optional() }),
  annotations,
  run: async (input) => ({ content: [{ type: 'text', text: 'ok' }], structuredContent: input })
})

const busy = defineTool({
  name: 'busy',
  title: 'Busy',
  description: 'Always says no.',
  input: z.strictObject({}),
  annotations,
  run: async () => { throw new BusyRefusal({ message: 'It is busy.', retryable: true, retryAfterMs: 500, nextAction: 'Wait.', details: { holder: 'mine' } }) }
})

const broken = defineTool({
  name: 'broken',
  title: 'Broken',
  description: 'Throws.',
  input: z.strictObject({}),
  annotations,
  run: async () => { throw new Error('secret detail') }
})

const routed = defineTool({
  name: 'routed',
  title: 'Routed',
  description: 'Mirrors a parameter.',
  input: z.strictObject({ region: z.string().meta({ 'x-mcp-header': 'Region' }).optional() }),
  annotations,
  run: async (input) => ({ content: [], structuredContent: input })
})

function setup (tools: readonly OfferedTool[] = [echo, busy, broken, routed], pageSize?: number) {
  const bench = mcpBench({ offer: { tools }, ...(pageSize === undefined ? {} : { pageSize }) })
  return {
    ...bench,
    call: (name: unknown, args?: unknown, overrides?: Partial<McpRequest>) => bench.answer(mcpRequest('tools/call', { name, arguments: args }, overrides))
  }
}

t.test('CALL-07, ERR-08, VAL-14: an unknown tool and a malformed call are protocol errors', async (t) => {
  const { call } = setup()

  t.match(await call('nope', {}), { status: 200, code: -32602, message: /nope/ })
  t.match(await call(7, {}), { code: -32602 })
  for (const given of [[1], 'text', 0, false]) t.match(await call('echo', given), { code: -32602 }, JSON.stringify(given))
  t.match(await call('toString', {}), { code: -32602 })
})

t.test('CALL-03: absent arguments are an empty object', async (t) => {
  t.match(await setup().call('echo'), { structuredContent: {}, resultType: 'complete' })
  t.match(await setup().call('echo', null), { structuredContent: {} }, 'and so is null, which some clients send in their place')
})

t.test('CALL-07, CALL-08, ERR-12: arguments that do not fit come back for the model to read, all of them named', async (t) => {
  const result = await setup().call('echo', { count: 0, extra: true, at: { x: 'left' } })

  t.equal(result.isError, true)
  t.match(result.structuredContent, { code: 'invalid_arguments', retryable: false, nextAction: String })
  for (const part of ['count', 'extra', 'at.x']) t.match(result.content[0].text, part)
})

t.test('an unknown argument leads to the nearest known one, or to all of them', async (t) => {
  const { call } = setup()
  const message = async (name: string, args: object) => (await call(name, args)).structuredContent.message

  t.equal(await message('echo', { txt: 'a' }), 'The arguments do not fit the tool: txt is no argument here; did you mean text?')
  t.equal(await message('echo', { selector: 'a' }), 'The arguments do not fit the tool: selector is no argument here; known are count, loud, text, at.')
  t.equal(await message('echo', { at: { x: 1, y: 2 } }), 'The arguments do not fit the tool: at.y is no argument here; did you mean x?')
  t.equal(await message('busy', { any: 1 }), 'The arguments do not fit the tool: any is no argument here; there are none.')
  t.ok((await message('echo', { ['x'.repeat(100_000)]: 1 })).length < 300, 'however long it is')
})

t.test('an unknown argument in a list, or under a name of the caller\'s choosing, leads to those known there', async (t) => {
  const point = z.strictObject({ x: z.number().optional(), y: z.number().optional() })
  const draw = defineTool({ ...echo, name: 'draw', input: z.strictObject({ named: z.record(z.string(), point).optional(), listed: z.array(point).optional() }) })
  const message = async (args: object) => (await setup([draw]).call('draw', args)).structuredContent.message

  t.equal(await message({ named: { a: { colour: 1 } } }), 'The arguments do not fit the tool: named.a.colour is no argument here; known are x, y.')
  t.equal(await message({ listed: [{ colour: 1 }] }), 'The arguments do not fit the tool: listed.0.colour is no argument here; known are x, y.')
})

t.test('a missing argument is called missing, with what it may be, and no sentence has two ends', async (t) => {
  const strict = defineTool({
    ...echo,
    name: 'strict',
    input: z.strictObject({ key: z.enum(['home', 'back']), lease: z.string(), at: z.strictObject({ x: z.number() }) })
      .refine(({ lease }) => lease !== 'x', { error: 'The lease is never x.' })
  })
  const { call } = setup([strict])
  const message = async (args: object) => (await call('strict', args)).structuredContent.message

  t.equal(await message({ at: {} }), 'The arguments do not fit the tool: key is missing (one of home, back); lease is missing; at.x is missing.')
  t.equal(await message({ key: 'home', lease: 'x', at: { x: 1 } }), 'The arguments do not fit the tool: The lease is never x.')
  t.match(await call('strict', { key: 'home', at: { x: 1 } }), { structuredContent: { issues: [{ argument: 'lease', problem: 'is missing' }] } })
})

t.test('numbers and booleans sent as strings are accepted, and a string stays a string', async (t) => {
  const { call } = setup()

  t.match(await call('echo', { count: '12', loud: 'true', text: '12', at: { x: '-1.5' } }), {
    structuredContent: { count: 12, loud: true, text: '12', at: { x: -1.5 } }
  })
  for (const count of ['', ' ', '1e3', '0x10', 'twelve', '1,5', true]) {
    t.match(await call('echo', { count }), { isError: true }, JSON.stringify(count))
  }
})

t.test('a refusal keeps its code, its advice and its facts', async (t) => {
  const result = await setup().call('busy', {})

  t.equal(result.isError, true)
  t.same(result.structuredContent, { code: 'busy', message: 'It is busy.', retryable: true, retryAfterMs: 500, nextAction: 'Wait.', holder: 'mine' })
  t.match(result.content[0].text, /It is busy\. Wait\..*500 ms.*busy.*\n.*mine/s)
})

t.test('ERR-11: what breaks inside a tool goes to the log and nowhere else', async (t) => {
  const { call, log } = setup()

  const result = await call('broken', {})

  t.match(result, { isError: true, structuredContent: { code: 'internal_error' } })
  t.notMatch(JSON.stringify(result), /secret detail/)
  t.match(log.entries, [{ facts: { err: { message: 'secret detail' }, tool: 'broken' } }])
})

t.test('VAL-17, HDR-11: mirrored parameters are checked for modern callers only', async (t) => {
  const { call } = setup()

  t.match(await call('routed', { region: 'eu' }), { status: 400, code: -32020 })
  t.match(await call('routed', { region: 'eu' }, { parameterHeaders: { 'mcp-param-region': 'eu' } }), { structuredContent: { region: 'eu' } })
  t.match(await call('routed', { region: 'eu' }, { era: 'legacy', version: '2025-11-25' }), { structuredContent: { region: 'eu' } })
})

t.test('HDR-09, CALL-02: a tool that may not be published fails at registration', async (t) => {
  const bad = (overrides: object): ToolDefinition[] => [{ ...echo, ...overrides }]

  t.throws(() => localCatalog({ tools: bad({ name: 'a/b' }) }))
  t.throws(() => localCatalog({ tools: bad({ name: 'x'.repeat(65) }) }))
  t.throws(() => localCatalog({ tools: [echo, echo] }))
  t.throws(() => localCatalog({ tools: bad({ input: z.strictObject({ n: z.number().meta({ 'x-mcp-header': 'N' }) }) }) }), /x-mcp-header/)
})

t.test('LIST-01, LIST-03…LIST-05, CACHE-05, ERR-10: pages follow each other in a fixed order, and a foreign cursor is refused', async (t) => {
  const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...echo, name }))
  const { answer } = setup(tools, 2)

  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = await answer(mcpRequest('tools/list', cursor === undefined ? {} : { cursor }))
    t.match(page, { ttlMs: Number, cacheScope: 'public', resultType: 'complete' })
    names.push(...page.tools.map((tool: { name: string }) => tool.name))
    cursor = page.nextCursor
  } while (cursor !== undefined)

  t.same(names, ['a', 'b', 'c', 'd', 'e'])
  for (const bad of ['', 'zzz', 7, null, 'YQ==', Buffer.from('q').toString('base64url')]) {
    t.match(await answer(mcpRequest('tools/list', { cursor: bad })), { status: 200, code: -32602 }, JSON.stringify(bad))
  }
})

t.test('LEGACY-06, LEGACY-12: a list has the shape of the revision that asks', async (t) => {
  const { answer } = setup()
  const list = async (version: string): Promise<any> => await answer(mcpRequest('tools/list', {}, { era: version === '2026-07-28' ? 'modern' : 'legacy', version }))

  t.match(await list('2026-07-28'), { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'mooring' } } })
  const old = await list('2025-11-25')
  t.same(Object.keys(old), ['tools'])
  t.equal(old.tools[0].title, 'Echo')
  t.notOk('title' in (await list('2025-03-26')).tools[0])
})

t.test('CALL-04, CALL-05: content of every kind goes out as the tool made it, and may be none', async (t) => {
  const content: readonly ContentBlock[] = [
    { type: 'text', text: 'words' },
    { type: 'image', data: 'aW1n', mimeType: 'image/png' },
    { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'test://a', name: 'a' },
    { type: 'resource', resource: { uri: 'test://b', mimeType: 'text/plain', text: 'b' } },
    { type: 'resource', resource: { uri: 'test://c', mimeType: 'image/png', blob: 'aW1n' } }
  ]
  const answering = (blocks: readonly ContentBlock[]): SchemaTool => ({
    name: blocks.length === 0 ? 'none' : 'all', description: 'Answers.', inputSchema: { type: 'object' }, run: async () => ({ content: blocks })
  })
  const { call } = setup([answering(content), answering([])])

  for (const overrides of [{}, { era: 'legacy', version: '2025-11-25' }] as const) {
    t.same((await call('all', {}, overrides)).content, content)
    const none = await call('none', {}, overrides)
    t.same(none.content, [])
    t.notOk('structuredContent' in none)
  }
})

const keyed = defineTool({
  ...echo,
  name: 'keyed',
  run: async (input, { sessionKey, principal }) => ({ content: [], structuredContent: { input, sessionKey, subject: principal.subject } })
})

t.test('POOL-04: a tool gets the session key of its request, and nothing that begins with two underscores', async (t) => {
  const { call } = setup([keyed, echo])

  t.match(await call('keyed', { __mcpSessionId: 'k', __trace: { a: 1 }, text: 'x' }, { sessionKey: 'hash' }), { structuredContent: { input: { text: 'x' }, sessionKey: 'hash' } })
  t.match((await call('echo', { __mcpSessionId: 'k', __text: 'y' })).structuredContent, { text: undefined })
  t.match(await call('echo', { _text: 'y' }), { isError: true }, 'one underscore is a name like any other')
})

t.test('POOL-04: a bad session key in the arguments is refused unless a header outranks it', async (t) => {
  const { call } = setup([keyed])

  for (const key of ['', 7, null, 'secr\u0000et', 'x'.repeat(129)]) {
    const result = await call('keyed', { __mcpSessionId: key })
    t.match(result, { isError: true, structuredContent: { code: 'invalid_arguments', issues: [{ argument: '__mcpSessionId' }] } }, JSON.stringify(key))
    t.notMatch(JSON.stringify(result), 'secr')
    t.match(await call('keyed', { __mcpSessionId: key }, { sessionKey: 'hash' }), { structuredContent: { sessionKey: 'hash' } })
  }
})

t.test('a tool with a JSON Schema never sees them either', async (t) => {
  const plain: SchemaTool = { name: 'plain', description: 'x', inputSchema: { type: 'object', additionalProperties: false, properties: { a: {} } }, run: async (input) => ({ content: [], structuredContent: input }) }

  t.strictSame((await setup([plain]).call('plain', { a: 1, __mcpSessionId: 'k' })).structuredContent, { a: 1 })
})

/** A tool that does something on the side, and then what the test says. */
function withSide (run: ToolDefinition['run']) {
  const undone: string[] = []
  const tool = defineTool({
    ...echo,
    name: 'sided',
    async run (input, call) {
      call.addAside({ text: 'By the way.', facts: { lease: 'ls_1', text: 'mine' }, undo: async () => { undone.push('aside') } })
      return await run(input, call)
    }
  })
  return { tool, undone }
}

t.test('what a call did on the side comes first, whatever comes of the call', async (t) => {
  const outcomes: ReadonlyArray<readonly [ToolDefinition['run'], object]> = [
    [echo.run, { content: [{ text: 'By the way.' }, { text: 'ok' }], structuredContent: { lease: 'ls_1', text: 'own' } }],
    [busy.run, { isError: true, content: [{ text: 'By the way.' }, { text: /It is busy/ }], structuredContent: { lease: 'ls_1', code: 'busy' } }],
    [broken.run, { isError: true, content: [{ text: 'By the way.' }, {}], structuredContent: { lease: 'ls_1', code: 'internal_error' } }]
  ]
  for (const [run, expected] of outcomes) t.match(await setup([withSide(run).tool]).call('sided', { text: 'own' }), expected)
})

t.test('what a call did on the side is undone with the rest, and at once when there is no result to tell it in', async (t) => {
  const { tool, undone } = withSide(async () => ({ content: [], structuredContent: {}, undo: async () => { undone.push('own') } }))
  const result: any = await setup([tool]).dispatch(mcpRequest('tools/call', { name: 'sided' }))

  await result.undo()
  t.same(undone, ['own', 'aside'])

  const other = withSide(async () => { throw new ProtocolError(invalidParams('No.')) })
  t.match(await setup([other.tool]).call('sided'), { code: -32602 })
  t.same(other.undone, ['aside'])
})

t.test('a tool that can wait is a stream for as long as its arguments say, in their raw form', async (t) => {
  const patient = defineTool({ ...echo, name: 'patient', maxWaitMs: ({ count }) => Number(count ?? 0) })
  const { dispatcher } = setup([patient, echo])
  const of = async (params: object, method = 'tools/call') => {
    const prepared = await dispatcher.prepare(mcpRequest(method, { ...params }))
    return prepared.kind === 'open' ? [] : [prepared.maxWaitMs, prepared.kind]
  }

  t.same(await of({ name: 'patient', arguments: { count: '5' } }), [5, 'stream'])
  t.same(await of({ name: 'patient', arguments: {} }), [0, 'json'])
  t.same(await of({ name: 'patient' }), [0, 'json'])
  t.same(await of({ name: 'patient', arguments: 'x' }), [0, 'json'])
  t.same(await of({ name: 'echo', arguments: { count: 5 } }), [0, 'json'])
  t.same(await of({ name: 'nobody' }), [0, 'json'])
  t.same(await of({}, 'tools/list'), [0, 'json'])
})
