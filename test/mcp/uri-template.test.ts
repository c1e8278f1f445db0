import fc from 'fast-check'
import t from 'tap'
import { parseUriTemplate } from '../../src/mcp/uri-template.ts'

t.test('what was expanded is matched again, with the same variables', async (t) => {
  const templates = ['mooring://leases/{lease}/screen', 'a://{x}', 'a://{x}/{y}', 'a:{x}/b/{y}/c', '{x}']
  fc.assert(fc.property(fc.constantFrom(...templates), fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (text, x, y) => {
    const template = parseUriTemplate(text)
    const values = Object.fromEntries(template.variables.map((name, index) => [name, index === 0 ? x : y]))
    const matched = template.match(template.expand(values))
    return JSON.stringify(matched) === JSON.stringify(values)
  }))
})

t.test('it matches what the pattern of one variable a segment matches', async (t) => {
  const template = parseUriTemplate('m://{a}/s/{b}/e')
  const pattern = /^m:\/\/([^/?#]+)\/s\/([^/?#]+)\/e$/
  fc.assert(fc.property(fc.array(fc.constantFrom('m://', '/', 's', '/s/', '/e', 'e', 'x', '?', '#', ''), { maxLength: 9 }), (pieces) => {
    const uri = pieces.join('')
    const expected = pattern.exec(uri)
    return JSON.stringify(template.match(uri)) === JSON.stringify(expected === null ? undefined : { a: expected[1], b: expected[2] })
  }), { numRuns: 5_000 })
})

t.test('no variable is empty, reaches over a delimiter or is half an escape', async (t) => {
  const { match } = parseUriTemplate('m://{a}/s')
  for (const uri of ['', 'm://', 'm:///s', 'm://x', 'm://x/s/', 'm://x/y/s', 'm://x?/s', 'm://x#/s', 'M://x/s', 'm://%zz/s', ' m://x/s']) {
    t.equal(match(uri), undefined, uri)
  }
  t.same(match('m://%C3%A9/s'), { a: 'é' })
  t.same(match('m://s/s'), { a: 's' })
})

t.test('within a segment a variable ends where the text behind it first stands', async (t) => {
  t.same(parseUriTemplate('a://{x}-{y}').match('a://1-2-3'), { x: '1', y: '2-3' })
  t.same(parseUriTemplate('a://{x}.png').match('a://b.png.png'), { x: 'b.png' })
})
