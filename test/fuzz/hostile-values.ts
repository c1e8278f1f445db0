/** Strings, values and JSON texts that somebody would send to break something. */
import fc from 'fast-check'

/** Lone surrogates, line ends of all kinds, NUL, marks, names that objects inherit, and anything else. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '', '\ud800', '\udc00x', 'a\ud83d', '\u0000', '\r', '\n', '\r\n', '\u2028\u2029\u0085', '\ufeff', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
    'data: x\n\ndata: y', 'event: end', ':', '\n\n', ' ', '\t', '%00', '../../etc/passwd', '=?base64?', '=?base64?/w==?=', '"', '\\', '\\u0000', '𝒳', 'é', 'e\u0301'
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((units) => String.fromCharCode(...units))
)

/** A text as UTF-8 can carry it: without lone surrogates. */
export function wellFormed (text: string): string {
  return Buffer.from(text).toString()
}

const hostileNumber = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.constantFrom(-0, 2 ** 53, -(2 ** 53), 5e-324, 1.7976931348623157e308, 0.1, 1.5))

/** Any JSON value with such strings in it, as keys too. */
export const hostileValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false), hostileNumber, hostileText,
    fc.array(tie('value'), { maxLength: 4 }),
    // Entries, because a `__proto__` that is assigned is no key.
    fc.array(fc.tuple(hostileText, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries))
  )
})).value

const escapes: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => `\ufeff${text}`,
  (text) => text.slice(0, -1),
  (text) => `${text}${text}`,
  (text) => text.replace('{', '{"id":1,"id":2,'),
  (text) => text.replace('{', '{"__proto__":{"isError":true},'),
  (text) => text.replace('{', '{"\\u005f\\u005fproto__":1,'),
  (text) => text.replace(/\d+/, '1e999'),
  (text) => text.replace(/\d+/, '9'.repeat(400)),
  (text) => text.replace(/\d+/, '-0'),
  (text) => text.replace('"', '"\\ud800'),
  (text) => text.replace('"', '"\u0000'),
  (text) => text.replace('"', '"\\u0000'),
  (text) => `${'['.repeat(10_000)}${text}${']'.repeat(10_000)}`,
  (text) => '{"a":'.repeat(10_000) + text + '}'.repeat(10_000),
  (text) => `${text.slice(0, -1)},"x":${'[{"a":'.repeat(5_000)}`,
  (text) => text.replaceAll('"', '\''),
  (text) => `/* x */${text}`,
  (text) => `${text}\u0000`,
  (text) => `${' '.repeat(50_000)}${text}`
]

/** A JSON text, broken or bent in one of many ways, as bytes. */
export function hostileBytes (text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(text, fc.constantFrom(...escapes)).map(([json, bend]) => Buffer.from(bend(json))) },
    { weight: 2, arbitrary: fc.tuple(text, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([json, at, byte]) => withByte(Buffer.from(json), at, byte)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: text.map((json) => Buffer.from(json, 'utf16le')) }
  )
}

function withByte (bytes: Buffer, at: number, byte: number): Buffer {
  if (bytes.length > 0) bytes[at % bytes.length] = byte
  return bytes
}
