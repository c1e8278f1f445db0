import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { encodeHeaderValue } from '../../src/protocol/header-value.ts'
import { inBandProblem, inBandSessionKey, longestSessionKey, readSessionKeyHeader, withoutInternalArguments } from '../../src/protocol/session-key.ts'
import { hostileText } from '../fuzz/hostile-values.ts'

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url')
const call = (given: unknown) => ({ method: 'tools/call', params: { name: 'x', arguments: given } })

/** What can be a key, by code units. */
function mayBeKey (text: string): boolean {
  const units = [...text].flatMap((character) => character.length === 1 ? [character.charCodeAt(0)] : [])
  return text.length > 0 && text.length <= 128 && !units.some((unit) => unit < 0x20 || (unit >= 0x7f && unit < 0xa0) || (unit >= 0xd800 && unit < 0xe000))
}

t.test('POOL-04: a key is read from either header, and the first name outranks its alias', (t) => {
  t.same(readSessionKeyHeader({ 'x-mooring-session-id': 'one' }, 'modern'), { ok: true, key: hashed('one') })
  t.same(readSessionKeyHeader({ 'x-auto-mobile-mcp-session-id': 'two' }, 'modern'), { ok: true, key: hashed('two') })
  t.same(readSessionKeyHeader({ 'x-auto-mobile-mcp-session-id': 'two', 'x-mooring-session-id': 'one' }, 'legacy'), { ok: true, key: hashed('one') })
  t.same(readSessionKeyHeader({ 'x-auto-mobile-mcp-session-id': '\u0001', 'x-mooring-session-id': 'one' }, 'modern'), { ok: true, key: hashed('one') }, 'a bad alias does not matter then')
  t.same(readSessionKeyHeader({ 'mcp-session-id': 'other' }, 'modern'), { ok: true, key: undefined })
  t.end()
})

t.test('POOL-04: a header that is no key is refused by name, and never repeated', (t) => {
  for (const value of ['', '  ', 'a'.repeat(longestSessionKey + 1), 'secr\u0007et', 'secr\tet', 'secr\u00e9t', 'one, two', ['one', 'two'], '=?base64?AA==?=', '=?base64?!?=', encodeHeaderValue('secr\u0000et')]) {
    for (const [era, code] of [['modern', -32020], ['legacy', -32600]] as const) {
      const read = readSessionKeyHeader({ 'x-mooring-session-id': value }, era)
      t.match(read, { ok: false, rejection: { rule: 'POOL-04', status: 400, code, message: /^Header x-mooring-session-id / } }, JSON.stringify(value))
      t.notMatch(JSON.stringify(read), 'secr')
    }
  }
  t.match(readSessionKeyHeader({ 'x-auto-mobile-mcp-session-id': '' }, 'modern'), { ok: false, rejection: { message: /^Header x-auto-mobile-mcp-session-id / } })
  t.end()
})

t.test('POOL-04: a key is the same in a header and in the arguments', (t) => {
  fc.assert(fc.property(fc.oneof(hostileText, fc.string({ unit: 'binary', maxLength: 140 }), fc.uuid()), (text) => {
    const inBand = inBandSessionKey(call({ __mcpSessionId: text }))
    const header = readSessionKeyHeader({ 'x-mooring-session-id': encodeHeaderValue(text) }, 'modern')
    const isKey = mayBeKey(text)

    // Half a character has no bytes that a header could carry.
    if (/\p{Cs}/u.test(text)) return inBand === undefined
    // A comma needs the base64 form, which a client need not know to use.
    if (text.includes(',') && encodeHeaderValue(text) === text) return !header.ok
    return inBand === (isKey ? hashed(text) : undefined) && header.ok === isKey && (!header.ok || header.key === inBand) &&
      (inBandProblem({ __mcpSessionId: text }) === undefined) === isKey
  }), { numRuns: 2_000 })
  t.same(readSessionKeyHeader({ 'x-mooring-session-id': `=?base64?${Buffer.from('a, b').toString('base64')}?=` }, 'modern'), { ok: true, key: inBandSessionKey(call({ __mcpSessionId: 'a, b' })) })
  t.end()
})

t.test('only a tools/call has a key in its arguments, and only where it is a text', (t) => {
  t.equal(inBandSessionKey({ ...call({ __mcpSessionId: 'k' }), method: 'prompts/get' }), undefined)
  for (const value of [undefined, null, 5, true, ['k'], { k: 'k' }, '']) t.equal(inBandSessionKey(call({ __mcpSessionId: value })), undefined)
  for (const given of [undefined, null, 'k', ['__mcpSessionId'], {}, Object.create({ __mcpSessionId: 'inherited' })]) t.equal(inBandSessionKey(call(given)), undefined)
  t.equal(inBandSessionKey({ method: 'tools/call', params: {} }), undefined)
  t.match(inBandProblem({ __mcpSessionId: null }), { argument: '__mcpSessionId', problem: /text of 1 to 128/ })
  t.equal(inBandProblem({}), undefined)
  t.end()
})

t.test('arguments that begin with two underscores are taken out at the top, and nowhere else', (t) => {
  fc.assert(fc.property(fc.dictionary(fc.oneof(fc.constantFrom('__mcpSessionId', '__x', '__', '_y', 'a__', 'lease'), fc.string()), fc.anything()), (given) => {
    const left = withoutInternalArguments(given)
    const names = Object.keys(given).filter((name) => !name.startsWith('__'))
    return JSON.stringify(Object.keys(left)) === JSON.stringify(names) && names.every((name) => left[name] === given[name]) &&
      (names.length !== Object.keys(given).length || left === given)
  }))
  const inner = { a: { __b: 1 }, list: [{ __c: 2 }] }
  t.equal(withoutInternalArguments(inner), inner)
  t.end()
})
