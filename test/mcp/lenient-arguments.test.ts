import fc from 'fast-check'
import t from 'tap'
import { readInputSchema } from '../../src/mcp/input-schema.ts'
import { lenientFor, longestJsonText } from '../../src/mcp/lenient-arguments.ts'

const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'integer' } } }
const read = lenientFor(readInputSchema({
  type: 'object',
  $defs: { point },
  properties: {
    count: { type: 'integer' },
    loud: { type: 'boolean' },
    text: { type: 'string' },
    either: { type: ['string', 'number'] },
    at: { $ref: '#/$defs/point' },
    path: { type: 'array', items: { $ref: '#/$defs/point' } },
    target: { anyOf: [{ $ref: '#/$defs/point' }, { type: 'object', properties: { index: { type: 'integer' } } }] },
    inside: { $ref: '#' }
  }
}))

t.test('a string where only a number or a boolean fits is read as one', async (t) => {
  t.same(read({ count: '120', loud: 'true' }), { count: 120, loud: true })
  t.same(read({ count: ' -3 ', loud: 'false' }), { count: -3, loud: false })
})

t.test('what is no plain number or boolean stays text, for the schema to refuse', async (t) => {
  for (const given of [{ count: '0x10' }, { count: '1e3' }, { count: '' }, { count: '01' }, { loud: 'yes' }, { loud: 'True' }]) t.same(read(given), given)
})

t.test('a parameter that takes text never changes', async (t) => {
  const given = { text: '120', either: '7', unknown: 'true' }
  t.same(read(given), given)
})

t.test('members of objects, lists and unions are read too, however deep', async (t) => {
  t.same(read({ at: { x: '1.5', y: '2' } }), { at: { x: 1.5, y: 2 } })
  t.same(read({ path: [{ x: '1' }, { x: 2 }] }), { path: [{ x: 1 }, { x: 2 }] })
  t.same(read({ target: { index: '3', y: '4' } }), { target: { index: 3, y: 4 } })
  t.same(read({ inside: { inside: { count: '5' } } }), { inside: { inside: { count: 5 } } })
})

t.test('a value of another kind than expected is left as it is', async (t) => {
  for (const given of [{ at: 'here' }, { at: ['1'] }, { count: { x: '1' } }, { path: { x: 1 } }, { at: [null] }]) t.same(read(given), given)
})

t.test('the arguments that came are never changed, and come back themselves when nothing is to do', async (t) => {
  const given = Object.freeze({ count: '1', at: Object.freeze({ x: '2', y: 3 }) })
  t.same(read(given), { count: 1, at: { x: 2, y: 3 } })
  const points = { path: [{ x: 1 }, { y: 2 }] }
  t.equal(read(points), points)

  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const unread = { text: value }
    return read(unread) === unread
  }))
  t.pass('whatever there is')
})

t.test('null counts as absent where an argument may be absent, at any depth', async (t) => {
  const strict = lenientFor(readInputSchema({
    type: 'object',
    required: ['must'],
    properties: {
      must: { type: 'string' },
      may: { type: 'string' },
      none: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      anything: {},
      inside: { type: 'object', required: ['must'], properties: { must: { type: 'number' }, may: { type: 'number' } } },
      list: { type: 'array', items: { type: 'object', properties: { may: { type: 'number' } } } }
    }
  }))

  t.same(strict({ must: 'x', may: null, inside: { must: 1, may: null }, list: [{ may: null }, null] }), { must: 'x', inside: { must: 1 }, list: [{}, null] })
  const kept = { must: null, none: null, either: null, anything: null, inside: { must: null }, unknown: null }
  t.equal(strict(kept), kept, 'what is required, or takes null, or is not known keeps it')
})

t.test('an object or a list that came as JSON text is read, and what is inside it too', async (t) => {
  t.same(read({ at: '{"x":"1.5"}' }), { at: { x: 1.5 } })
  t.same(read({ path: ' [{"x":1},"{\\"y\\":\\"2\\"}"]' }), { path: [{ x: 1 }, { y: 2 }] })
  t.same(read({ target: { index: '3' }, text: '{"x":1}' }), { target: { index: 3 }, text: '{"x":1}' }, 'what takes text stays text')
})

t.test('text that is no JSON, that no body may hold, or that is long, stays text', async (t) => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`
  for (const at of ['here', '{x: 1}', '{"x":1', '7', '"text"', 'null', '', '{"__proto__":{"x":1}}', deep, `{"x":${' '.repeat(longestJsonText)}1}`]) {
    t.same(read({ at }), { at }, at.slice(0, 30))
  }
})
