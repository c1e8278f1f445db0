import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool, type OfferedTool, type SchemaTool } from '../../src/tools/tool-definition.ts'
import { conformanceSchema } from '../support/conformance-schema.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const schemaTool: SchemaTool = {
  name: 'json_schema_2020_12_tool',
  description: 'Takes what its schema says.',
  inputSchema: conformanceSchema,
  run: async (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] })
}

/** Gives back `value` as its structured content, whether its schema allows it or not. */
const claiming = (outputSchema: Record<string, unknown>): SchemaTool => ({
  name: 'claiming',
  description: 'Claims an output.',
  inputSchema: { type: 'object' },
  outputSchema,
  annotations,
  run: async ({ value }) => ({ content: [{ type: 'text', text: JSON.stringify(value) ?? 'nothing' }], structuredContent: value })
})

const zodTool = defineTool({
  name: 'zod',
  title: 'Zod',
  description: 'Takes a number.',
  input: z.strictObject({ count: z.int().min(1) }),
  annotations,
  run: async (input) => ({ content: [], structuredContent: input })
})

async function setup (t: Test, ...tools: OfferedTool[]) {
  const { port, token, log } = await startTestApp(t, { offer: () => ({ tools, resources: [], prompts: [] }) })
  return { wire: mcpWire({ port, token: await token() }), log }
}

t.test('SCHEMA-05: both eras publish a schema letter by letter as the tool declares it', async (t) => {
  const output = { $defs: { n: { $anchor: 'n', type: 'number' } }, type: 'object', properties: { n: { $ref: '#n' } }, unevaluatedProperties: false }
  const { wire } = await setup(t, schemaTool, claiming(output), zodTool)

  for (const reply of [
    await wire.modern('tools/list'), await wire.legacy('tools/list'), await wire.legacy('tools/list', {}, { 'mcp-protocol-version': '2025-06-18' })
  ]) {
    const [first, second, third] = reply.json().result.tools
    t.equal(JSON.stringify(first.inputSchema), JSON.stringify(conformanceSchema))
    t.equal(JSON.stringify(second.outputSchema), JSON.stringify(output))
    t.same(third.inputSchema, { type: 'object', properties: { count: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } }, required: ['count'], additionalProperties: false })
    t.notOk('outputSchema' in first)
  }
  t.notMatch((await wire.legacy('tools/list', {}, { 'mcp-protocol-version': '2025-03-26' })).text, /outputSchema/, 'LEGACY-12')
})

t.test('CALL-07, SEP-1303: arguments that a JSON Schema refuses come back for the model to read', async (t) => {
  const { wire } = await setup(t, schemaTool)

  const result = await wire.call('json_schema_2020_12_tool', { name: 7, contactMethod: 'phone', address: { street: 1 } })

  t.equal(result.isError, true)
  t.equal(result.content[0].text,
    'The arguments do not fit the tool: must fit at least one alternative: phone is missing, or email is missing; ' +
    'phone is missing; name must be string; address.street must be string. Correct the named arguments and call again. (invalid_arguments)\n' +
    JSON.stringify({ issues: result.structuredContent.issues }))
  t.match(result.structuredContent, { code: 'invalid_arguments', retryable: false, nextAction: String, issues: Array })
})

t.test('a tool with a JSON Schema gets its arguments as they were sent', async (t) => {
  const { wire } = await setup(t, schemaTool)
  const sent = { contactMethod: 'email', email: '12', address: { extra: [1, null, { a: '' }] } }

  t.equal((await wire.call('json_schema_2020_12_tool', sent)).content[0].text, JSON.stringify(sent))
  t.match(await wire.call('json_schema_2020_12_tool', { email: 12 }), { isError: true }, 'a number is no text')
})

t.test('CALL-06: structuredContent that breaks the outputSchema never leaves, and the log says what broke', async (t) => {
  const { wire, log } = await setup(t, claiming({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }))

  t.match(await wire.call('claiming', { value: { n: 1 } }), { structuredContent: { n: 1 } })
  for (const value of [undefined, null, { n: 'secret' }, {}]) {
    const result = await wire.call('claiming', { value })
    t.match(result, { isError: true, structuredContent: { code: 'internal_error' } }, JSON.stringify(value))
    t.notMatch(JSON.stringify(result), /secret/)
  }
  t.match(log(), /its structuredContent breaks its outputSchema: n must be number/)
})

t.test('CALL-04, LEGACY-12: output that is no object goes to modern callers, others read the text', async (t) => {
  const { wire } = await setup(t, claiming({ type: 'array', items: { type: 'integer' } }))

  t.same((await wire.call('claiming', { value: [1, 2] })).structuredContent, [1, 2])
  const old = (await wire.legacy('tools/call', { name: 'claiming', arguments: { value: [1, 2] } })).json().result
  t.same(old, { content: [{ type: 'text', text: '[1,2]' }] })
  t.notOk('outputSchema' in (await wire.legacy('tools/list')).json().result.tools[0])
})

t.test('SCHEMA-01…04, D-29: a tool nobody could check the arguments of keeps the server from starting', async (t) => {
  const bad: Array<[Record<string, unknown>, RegExp]> = [
    [{}, /root .* "object"/], [{ type: ['object', 'null'] }, /root/], [{ type: 'object', $ref: 'https://example.com/s' }, /never fetched/],
    [{ type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' }, /dialect/], [{ type: 'object', properties: [] }, /no valid JSON Schema/],
    [{ type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }, /x-mcp-header/]
  ]
  for (const [inputSchema, reason] of bad) {
    const { app } = await startTestApp(t, { offer: () => ({ tools: [{ ...schemaTool, inputSchema }], resources: [], prompts: [] }), startUp: false })
    await t.rejects(app.startUp(), reason)
  }
})
