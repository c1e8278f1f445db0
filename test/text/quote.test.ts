import fc from 'fast-check'
import t from 'tap'
import { cut, quote, word } from '../../src/text/quote.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  // Lone surrogates included.
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom('"', '\\', '\n', '\r', '\u2028', '\u202e', '\u2066', '\u200b', '\u{e0041}', 'e1 button "OK"', '", "', '…'), { maxLength: 12 })
    .map((pieces) => pieces.join(''))
)

t.test('any text is one quoted line that reads back as the same text', (t) => {
  fc.assert(fc.property(hostile, (text) => {
    const quoted = quote(text)
    return JSON.parse(quoted) === text && !/[\n\r\u0085\u2028\u2029]/.test(quoted)
  }))
  t.end()
})

t.test('nothing that acts on the reader or hides from it stands in a quoted text', (t) => {
  fc.assert(fc.property(hostile, (text) => {
    return !/[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u.test(quote(text))
  }))
  t.equal(quote('a\u202eb\u{e0041}\u200bc'), '"a\\u202eb\\udb40\\udc41\\u200bc"')
  t.end()
})

t.test('emoji and joined scripts stay readable', (t) => {
  t.equal(quote('👨‍👩‍👧 می‌خواهم שלום'), '"👨‍👩‍👧 می‌خواهم שלום"')
  t.end()
})

t.test('the ellipsis of a cut text stands outside the quotes', (t) => {
  t.equal(quote('abcdef', 3), '"abc"…')
  t.equal(quote('abc…', 4), '"abc…"')
  t.end()
})

t.test('a cut never leaves half a character', (t) => {
  t.equal(cut('ab😀', 3), 'ab')
  t.equal(cut('ab😀', 4), 'ab😀')
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(20), (text, limit) => {
    const shown = cut(text, limit)
    return text.startsWith(shown) && shown.length <= limit && (shown === '' || !/\p{Cs}/u.test(shown))
  }))
  t.end()
})

t.test('a name is bare only when it is one plain word', (t) => {
  t.equal(word('com.example.app/.Main$1'), 'com.example.app/.Main$1')
  for (const name of ['', 'two words', 'a,b', 'x"', 'line\nbreak', 'x'.repeat(121), '#id', '(no']) t.match(word(name), /^"/, name)
  t.end()
})
