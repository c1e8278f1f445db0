import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson } from '../../src/protocol/canonical-json.ts'
import { isObject } from '../../src/protocol/message.ts'

/** The same value with the members of every object in another order. */
function reversed (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)]))
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)))

t.test('MRTR-07: the order of members makes no difference, the order of items does', async (t) => {
  t.equal(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true }), '{"a":true,"b":[1,{"c":"x","d":null}]}')
  t.not(canonicalJson([1, 2]), canonicalJson([2, 1]))
  t.equal(canonicalJson(1.0), canonicalJson(1))
  fc.assert(fc.property(json, (value) => canonicalJson(value) === canonicalJson(reversed(value))))
})

t.test('the text is JSON for the value, and no two values share one', async (t) => {
  fc.assert(fc.property(json, (value) => isDeepStrictEqual(JSON.parse(canonicalJson(value)), value)))
  fc.assert(fc.property(json, json, (one, other) => (canonicalJson(one) === canonicalJson(other)) === isDeepStrictEqual(one, other)))
})
