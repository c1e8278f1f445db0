import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { compileSchema } from '../../src/protocol/json-schema.ts'
import { conformanceSchema } from '../support/conformance-schema.ts'

const problems = (schema: Record<string, unknown>, value: unknown): string[] =>
  compileSchema(schema, 'it')(value).map(({ path, problem }) => `${path}: ${problem}`)

t.test('SCHEMA-01, SCHEMA-02: every keyword of the conformance tool is understood', async (t) => {
  const check = compileSchema(conformanceSchema, 'it')
  const good = { name: 'Ada', contactMethod: 'phone', phone: '1', address: { street: 'Quay', city: 'Kiel' } }

  t.same(check(good), [])
  t.same(check({ contactMethod: 'email', email: 'a@b.c' }), [])
  t.same(check({ ...good, address: { street: 7 } }), [{ path: 'address.street', problem: 'must be string' }])
  t.same(check({ contactMethod: 'phone', email: 'a' }), [{ path: 'phone', problem: 'is missing' }])
  t.same(check({ ...good, zip: 1 }), [{ path: 'zip', problem: 'is not known' }])
  t.match(check({ ...good, contactMethod: 'fax', email: 'a' }), [{ path: 'contactMethod', problem: 'must be one of "phone","email"' }])
})

t.test('a choice says once what each alternative misses', async (t) => {
  t.same(problems({ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }, {}), [
    ': must fit at least one alternative: phone is missing, or email is missing'
  ])
  t.same(problems({ oneOf: [{ type: 'object' }, { required: ['a'] }] }, { a: 1 }), [': must fit exactly one alternative'])
})

t.test('the keywords that 2020-12 added or changed mean what they mean there', async (t) => {
  const cases: Array<[Record<string, unknown>, unknown, boolean]> = [
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], true],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, true],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { b: 1 }, false],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1, b: 2 }, true],
    [{ $defs: { n: { $anchor: 'num', type: 'number' } }, $ref: '#num' }, 'x', false],
    [{ $defs: { n: { $id: 'urn:example:n', type: 'number' } }, $ref: 'urn:example:n' }, 1, true],
    [{ $id: 'https://example.com/tree', $dynamicAnchor: 'node', properties: { child: { $dynamicRef: '#node' } }, additionalProperties: false }, { child: { child: {} } }, true],
    [{ contains: { const: 1 }, minContains: 2 }, [1, 2], false],
    [{ type: 'string', format: 'email' }, 'no address', true],
    [{ 'x-mcp-header': 'A', madeUp: { deeply: 1 }, type: 'string' }, 'x', true],
    [{ type: 'number' }, Infinity, false],
    [{ required: ['toString'] }, {}, false],
    [{ properties: { constructor: { type: 'string' } } }, {}, true]
  ]
  for (const [schema, value, fits] of cases) t.equal(problems(schema, value).length === 0, fits, JSON.stringify(schema))
})

t.test('SCHEMA-01: another dialect, and what is no schema at all, is refused with the reason', async (t) => {
  t.throws(() => compileSchema({ $schema: 'http://json-schema.org/draft-07/schema#' }, 'it'), /it is not in the dialect 2020-12/)
  t.throws(() => compileSchema({ $schema: 7 }, 'it'), /dialect/)
  t.throws(() => compileSchema({ type: 'strnig' }, 'it'), /it is no valid JSON Schema: type /)
  t.throws(() => compileSchema({ pattern: '(' }, 'it'), /it cannot be compiled/)
  t.throws(() => compileSchema({ $async: true }, 'it'), /\$async/)
  t.same(problems({ $schema: 'https://json-schema.org/draft/2020-12/schema#', type: 'string' }, 'x'), [])
})

t.test('SCHEMA-02, D-29: a reference that leads out of the schema is refused, and nothing is fetched', async (t) => {
  let visits = 0
  const server = createServer((_request, response) => { visits++; response.end('{}') }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`

  for (const schema of [
    { $ref: url }, { properties: { a: { $ref: `${url}#/x` } } },
    { $ref: 'file:///etc/passwd' }, { $ref: '#/$defs/nowhere' }, { $ref: 'other.json' }
  ]) t.throws(() => compileSchema(schema, 'it'), /it refers to "[^"]+", which is not part of it; references are never fetched/, JSON.stringify(schema))
  t.throws(() => compileSchema({ $dynamicRef: url }, 'it'), /it cannot be compiled/)
  t.equal(visits, 0)
})

t.test('SCHEMA-02: what one schema names answers no reference of another', async (t) => {
  compileSchema({ $id: 'https://example.com/a', $defs: { x: { $id: 'https://example.com/x', type: 'string' } } }, 'the first')

  t.same(problems({ $id: 'https://example.com/a', type: 'number' }, 1), [], 'the same $id can be used again')
  t.throws(() => compileSchema({ $ref: 'https://example.com/x' }, 'the second'), /refers to/)
})

t.test('SCHEMA-03: too deep or too large a schema is refused', async (t) => {
  const nested = (levels: number): Record<string, unknown> => levels === 0 ? {} : { not: nested(levels - 1) }
  t.ok(compileSchema(nested(63), 'it'))
  t.throws(() => compileSchema(nested(64), 'it'), /64 levels/)
  t.throws(() => compileSchema(nested(5_000), 'it'), /64 levels/)
  t.throws(() => compileSchema({ anyOf: Array.from({ length: 10_001 }, () => ({})) }, 'it'), /10000 parts/)
})

t.test('SCHEMA-03: a check that would take for ever is given up', async (t) => {
  const web = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index}`, { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] }]))
  for (const [schema, value] of [
    [{ pattern: '^(a+)+$' }, 'a'.repeat(50) + 'b'],
    [{ $defs: { ...web, d40: {} }, $ref: '#/$defs/d0' }, {}],
    [{ allOf: [{ $ref: '#' }] }, {}]
  ] as const) t.match(problems(schema, value), [/takes too long to check/], JSON.stringify(schema).slice(0, 40))
  t.same(problems({ pattern: '^a$' }, 'a'), [], 'and the next one is not')
})

t.test('no schema and no value make a check do anything but answer or refuse', async (t) => {
  const keywords = fc.constantFrom('type', 'enum', 'const', 'properties', 'required', 'items', 'anyOf', '$ref', '$defs', '$id', '$anchor', 'if', 'pattern', 'nullable', 'id', 'minimum', 'dependentRequired', '$dynamicRef', 'default', 'format')
  const schema = fc.dictionary(keywords, fc.oneof(
    fc.constantFrom('object', 'string', '#', '#a', '#/$defs/a', '', 'a'), fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(fc.constantFrom('a', 'type', 'constructor', '$id'), fc.jsonValue({ maxDepth: 1 }))
  ), { maxKeys: 4 })
  fc.assert(fc.property(schema, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
    let check
    try {
      check = compileSchema(schema, 'it')
    } catch (error) {
      return error instanceof Error && error.message.startsWith('it ')
    }
    return check(value).every(({ path, problem }) => typeof path === 'string' && problem.length > 0)
  }), { numRuns: 300 })
})
