/**
 * The codec of mirrored header values (HDR-05…07).
 *
 * A value goes as it is when it is plain printable ASCII; otherwise as `=?base64?…?=` around
 * the padded base64 of its UTF-8 bytes. Decoding is strict where Node is lenient: a wrapped
 * value with a bad alphabet, wrong padding or bytes that are not UTF-8 is malformed, while a
 * value without the exact prefix and suffix is a literal.
 */
const prefix = '=?base64?'
const suffix = '?='
const printable = /^[\x20-\x7e]*$/
const legalInHeader = /^[\x20-\x7e\t]*$/
const paddedBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The value a header carries, or `undefined` when the header is malformed. */
export function decodeHeaderValue (raw: string): string | undefined {
  if (!legalInHeader.test(raw)) return undefined
  const value = withoutOuterWhitespace(raw)
  if (!isWrapped(value)) return value
  const encoded = value.slice(prefix.length, -suffix.length)
  if (!paddedBase64.test(encoded)) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  // Stray bits behind the last byte decode all the same; only the canonical form is one value.
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** The text a header must have to carry `value`. */
export function encodeHeaderValue (value: string): string {
  if (printable.test(value) && !/^ | $/.test(value) && !isWrapped(value)) return value
  return `${prefix}${Buffer.from(value, 'utf8').toString('base64')}${suffix}`
}

/**
 * Removes blanks and tabs at both ends, in one pass: an expression for trailing blanks tries
 * anew at each blank inside, which 64 KiB of them turn into a second of silence.
 */
export function withoutOuterWhitespace (text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank (character: number): boolean {
  return character === 0x20 || character === 0x09
}

function isWrapped (value: string): boolean {
  return value.length >= prefix.length + suffix.length && value.startsWith(prefix) && value.endsWith(suffix)
}
