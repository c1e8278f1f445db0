import fc from 'fast-check'
import t from 'tap'
import { decodeHeaderValue, encodeHeaderValue } from '../../src/protocol/header-value.ts'

t.test('HDR-05, HDR-06: every string survives the way through a header', async (t) => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (value) => {
    const header = encodeHeaderValue(value)
    return /^[\x20-\x7e]*$/.test(header) && decodeHeaderValue(header) === value
  }))
})

t.test('HDR-05: plain values go as they are, the rest is wrapped', async (t) => {
  const vectors: Array<[string, string]> = [
    ['eu-west', 'eu-west'],
    ['Zürich-Nord', '=?base64?WsO8cmljaC1Ob3Jk?='],
    [' two', '=?base64?IHR3bw==?='],
    ['tab\there', '=?base64?dGFiCWhlcmU=?='],
    ['=?base64?abc?=', '=?base64?PT9iYXNlNjQ/YWJjPz0=?='],
    ['a\r\nb', '=?base64?YQ0KYg==?='],
    ['café.menu', '=?base64?Y2Fmw6kubWVudQ==?='],
    ['', '']
  ]
  for (const [value, header] of vectors) {
    t.equal(encodeHeaderValue(value), header)
    t.equal(decodeHeaderValue(header), value)
  }
})

t.test('HDR-06, D-03: bad padding, a bad alphabet and bytes that are not UTF-8 are malformed', async (t) => {
  for (const header of ['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?=', '=?base64?SGVsbG9=?=', '=?base64?SG Vs?=']) {
    t.equal(decodeHeaderValue(header), undefined, header)
  }
})

t.test('HDR-06: without the exact prefix and suffix a value is a literal', async (t) => {
  for (const header of ['SGVsbG8=', '=?base64?SGVsbG8=', '=?BASE64?SGVsbG8=?=', '=?base64?=']) t.equal(decodeHeaderValue(header), header)
})

t.test('D-04: a needlessly wrapped plain value is accepted, and an empty one too', async (t) => {
  t.equal(decodeHeaderValue('=?base64?dGFw?='), 'tap')
  t.equal(decodeHeaderValue('=?base64??='), '')
})

t.test('HDR-04: whitespace around a value does not count, inside a wrapped one it does', async (t) => {
  t.equal(decodeHeaderValue('  tap\t'), 'tap')
  t.equal(decodeHeaderValue('=?base64?IHRhcA==?='), ' tap')
})

t.test('HDR-07, D-02: raw bytes outside printable ASCII are refused', async (t) => {
  for (const header of ['caf\u00e9', 'a\u0000b', 'a\u007fb', 'a\nb']) t.equal(decodeHeaderValue(header), undefined)
})

t.test('any bytes decode to a string or to nothing, and never throw', async (t) => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (raw) => {
    const value = decodeHeaderValue(raw)
    return value === undefined || typeof value === 'string'
  }))
})
