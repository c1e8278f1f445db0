import fc from 'fast-check'
import t from 'tap'
import { encodeHeaderValue } from '../../src/protocol/header-value.ts'
import { checkMirroredParameters, readMirroredParameters, type MirroredParameter } from '../../src/protocol/mirrored-parameters.ts'

const row: readonly MirroredParameter[] = [{ name: 'Row', path: ['target', 'row'], type: 'integer' }]
const mismatch = { status: 400, code: -32020 }

t.test('HDR-08: annotations are found on strings, integers and booleans reached through properties', async (t) => {
  t.same(readMirroredParameters({
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      target: { type: 'object', properties: { row: { type: 'integer', 'x-mcp-header': 'Row' } } },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      plain: { type: 'string', enum: ['x-mcp-header'], default: { 'x-mcp-header': 3 } }
    }
  }), {
    ok: true,
    parameters: [
      { name: 'Region', path: ['region'], type: 'string' },
      { name: 'Row', path: ['target', 'row'], type: 'integer' },
      { name: 'Dry', path: ['dry'], type: 'boolean' }
    ]
  })
})

t.test('HDR-08: whatever is only named like the annotation, or like a keyword, is none', async (t) => {
  const plain = { type: 'string' }
  t.same(readMirroredParameters({
    type: 'object',
    properties: { 'x-mcp-header': plain, default: { type: 'string', 'x-mcp-header': 'Default' } },
    $defs: { 'x-mcp-header': plain },
    dependentSchemas: { 'x-mcp-header': {} },
    dependentRequired: { 'x-mcp-header': ['default'] }
  }), { ok: true, parameters: [{ name: 'Default', path: ['default'], type: 'string' }] })
})

t.test('HDR-08: an annotation of the wrong form or in the wrong place spoils the schema', async (t) => {
  const mark = { type: 'string', 'x-mcp-header': 'A' }
  for (const schema of [
    { properties: { a: { type: 'string', 'x-mcp-header': '' } } },
    { properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } },
    { properties: { a: { type: 'string', 'x-mcp-header': 'a:b' } } },
    { properties: { a: { type: 'string', 'x-mcp-header': 'é' } } },
    { properties: { a: { type: 'string', 'x-mcp-header': 7 } } },
    { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
    { properties: { a: { type: ['string', 'null'], 'x-mcp-header': 'A' } } },
    { properties: { a: mark, b: { type: 'string', 'x-mcp-header': 'a' } } },
    { properties: { a: { type: 'array', items: mark } } },
    { properties: { a: { anyOf: [mark] } } },
    { properties: { a: { type: 'object', additionalProperties: mark } } },
    { $defs: { a: mark } },
    { $defs: { default: mark } },
    { patternProperties: { enum: mark } },
    { if: { properties: { a: mark } } },
    mark
  ]) t.match(readMirroredParameters(schema), { ok: false }, JSON.stringify(schema))
})

t.test('HDR-11: a value in the arguments needs its header and the header must be equal', async (t) => {
  t.equal(checkMirroredParameters(row, { 'mcp-param-row': '4' }, { target: { row: 4 } }), undefined)
  t.match(checkMirroredParameters(row, {}, { target: { row: 4 } }), mismatch)
  t.match(checkMirroredParameters(row, { 'mcp-param-row': '5' }, { target: { row: 4 } }), mismatch)
})

t.test('HDR-11, D-05: integers compare as numbers, but only in strict decimal', async (t) => {
  t.equal(checkMirroredParameters(row, { 'mcp-param-row': '4.0' }, { target: { row: 4 } }), undefined)
  for (const header of ['0x4', '4e0', '=?base64?IDQ=?=', '04', '+4']) {
    t.match(checkMirroredParameters(row, { 'mcp-param-row': header }, { target: { row: 4 } }), mismatch, header)
  }
})

t.test('HDR-11, D-06: a header without a value in the arguments is refused, null counting as none', async (t) => {
  t.match(checkMirroredParameters(row, { 'mcp-param-row': '4' }, {}), mismatch)
  t.match(checkMirroredParameters(row, { 'mcp-param-row': '4' }, { target: { row: null } }), mismatch)
  t.equal(checkMirroredParameters(row, { 'mcp-param-other': '4' }, {}), undefined, 'unknown ones are ignored')
})

t.test('HDR-10: a value that no header can say has none, and is left to the check of the arguments', async (t) => {
  for (const value of [['4'], { a: 4 }, 1e20, -(2 ** 53)]) {
    t.equal(checkMirroredParameters(row, {}, { target: { row: value } }), undefined, JSON.stringify(value))
    t.match(checkMirroredParameters(row, { 'mcp-param-row': String(value) }, { target: { row: value } }), mismatch, JSON.stringify(value))
  }
  t.match(checkMirroredParameters(row, {}, { target: { row: 4.5 } }), mismatch)
})

t.test('what is wrong with a header is said with its name and where its value is, and without the value', async (t) => {
  const said = (headers: Record<string, string>, value: unknown) => checkMirroredParameters(row, headers, { target: { row: value } })?.message

  t.equal(said({}, 4), 'Header Mcp-Param-Row is missing; send arguments.target.row in it.')
  t.equal(said({ 'mcp-param-row': '5' }, 4), 'Header Mcp-Param-Row and arguments.target.row differ; send the same in both.')
  t.equal(said({ 'mcp-param-row': '5' }, undefined), 'Header Mcp-Param-Row is sent, but arguments.target.row is not there; leave the header out.')
})

t.test('HDR-10: whatever a client mirrors by the rules is accepted', async (t) => {
  const parameters: readonly MirroredParameter[] = [{ name: 'V', path: ['v'], type: 'string' }, { name: 'N', path: ['n'], type: 'integer' }, { name: 'B', path: ['b'], type: 'boolean' }]
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), fc.boolean(), (v, n, b) =>
    checkMirroredParameters(parameters, { 'mcp-param-v': encodeHeaderValue(v), 'mcp-param-n': String(n), 'mcp-param-b': String(b) }, { v, n, b }) === undefined
  ))
})
