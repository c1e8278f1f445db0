/**
 * Halves of surrogate pairs: UTF-16 units that stand for no character alone. JavaScript keeps
 * them in its strings and writes them into JSON as `\ud83d`; most other parsers refuse such JSON.
 */
const half = /[\ud800-\udfff]/u
const halves = /[\ud800-\udfff]/gu
// JSON.stringify escapes nothing else from \ud800 to \udfff. An escaped backslash is passed over.
const escapedHalves = /\\\\|\\ud[89a-f][0-9a-f]{2}/g

/** Whether a text has half of a surrogate pair in it. */
export function hasHalf (text: string): boolean {
  return half.test(text)
}

/** The same text with U+FFFD in the place of each half, as UTF-8 has it. */
export function wellFormed (text: string): string {
  return half.test(text) ? text.replace(halves, '\ufffd') : text
}

/** The JSON text of an object or a list, with U+FFFD in the place of each half, names included. */
export function wellFormedJson (value: object): string {
  const text = JSON.stringify(value)
  return text.includes('\\ud') ? text.replace(escapedHalves, (found) => found === '\\\\' ? found : '\ufffd') : text
}
