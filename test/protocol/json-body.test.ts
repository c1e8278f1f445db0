import fc from 'fast-check'
import t from 'tap'
import { maxNesting, parseJsonBody } from '../../src/protocol/json-body.ts'

const parse = (text: string): ReturnType<typeof parseJsonBody> => parseJsonBody(Buffer.from(text))

t.test('whatever JSON.stringify wrote is read back', async (t) => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
    const parsed = parse(JSON.stringify(value))
    return JSON.stringify(value).includes('__proto__') || (parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(value))
  }))
})

t.test('no bytes make it throw', async (t) => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof parseJsonBody(Buffer.from(bytes)).ok === 'boolean'))
})

t.test('ERR-01: what is not JSON, or not UTF-8, is a parse error', async (t) => {
  for (const text of ['', '{', '{"a":1}}', 'nope', '{"a":01}']) {
    t.match(parse(text), { ok: false, rejection: { status: 400, code: -32700 } }, text)
  }
  t.match(parseJsonBody(Buffer.of(0x22, 0xff, 0x22)), { ok: false, rejection: { code: -32700 } })
})

t.test('nesting beyond the limit is refused before anything walks it', async (t) => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  t.ok(parse(nested(maxNesting)).ok)
  t.match(parse(nested(maxNesting + 1)), { ok: false, rejection: { status: 400, code: -32600 } })
  t.match(parse('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)), { ok: false, rejection: { code: -32600 } })
  t.ok(parse(JSON.stringify('['.repeat(1_000))).ok, 'brackets inside a string are text')
  t.ok(parse(JSON.stringify('\\"' + '['.repeat(1_000))).ok, 'so are those behind an escaped quote')
})

t.test('a __proto__ key is refused however it is spelled, and the value stays readable for its id', async (t) => {
  for (const text of ['{"id":7,"__proto__":{}}', '{"id":7,"a":[{"__proto__":1}]}', '{"id":7,"\\u005f_proto__":{}}', '{"id":7,"__\\u0070roto__":{}}']) {
    t.match(parse(text), { ok: false, rejection: { code: -32600 }, value: { id: 7 } }, text)
  }
  t.ok(parse('{"a":"__proto__"}').ok, 'as a value it is only text')
})

t.test('a byte order mark in front is skipped', async (t) => {
  t.match(parse('\ufeff{"a":1}'), { ok: true, value: { a: 1 } })
})

t.test('of duplicate keys the last one counts', async (t) => {
  t.match(parse('{"a":1,"a":2}'), { ok: true, value: { a: 2 } })
})
