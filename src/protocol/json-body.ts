/**
 * Bytes of a request body to one JSON value, or the reason why not.
 *
 * Refused besides what is not JSON: bytes that are not UTF-8, nesting so deep that walking
 * the value later could exhaust the stack, more members and items than the parser gets through
 * while others wait (it needs microseconds for each key that it has not seen), and `__proto__` keys, which some code downstream
 * might merge into an object's prototype. Of duplicate keys the parser's choice counts: only
 * the parsed value is ever read, checked or forwarded.
 */
import { isAscii } from 'node:buffer'
import secureJson from 'secure-json-parse'
import { notARequest, notJson } from './error-table.ts'
import type { Rejection } from './rejection.ts'

/** An honest request nests about ten levels. */
export const maxNesting = 64

/**
 * The most `,`, `:`, `{` and `[` outside of texts. An honest request has hundreds; 50,000 take the
 * parser some tens of milliseconds at the worst, and a body of 4 MiB could have eighty times as many.
 */
export const maxParts = 50_000

const decoder = new TextDecoder('utf-8', { fatal: true })

export type JsonBody =
  | { readonly ok: true, readonly value: unknown }
  | { readonly ok: false, readonly rejection: Rejection, readonly value?: unknown }

export function parseJsonBody (bytes: Buffer): JsonBody {
  let text: string
  try {
    // Most bodies are ASCII, whose bytes are its characters.
    text = isAscii(bytes) ? bytes.toString('latin1') : decoder.decode(bytes)
  } catch {
    return { ok: false, rejection: notJson('it is not valid UTF-8') }
  }
  // Nearly no body is so long or has so many brackets, and searching is faster than reading.
  const misshape = bytes.length > maxParts || opensMoreThan(maxNesting, text) ? misshapeOf(bytes) : undefined
  if (misshape !== undefined) return { ok: false, rejection: notARequest('RPC-01', `it ${misshape}`) }

  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, rejection: notJson('it cannot be parsed') }
  }
  // The cheap text search lets nearly every body skip the walk. Each letter of the key can come escaped.
  if ((text.includes('__proto__') || /\\u00(?:5f|6f|70|72|74)/i.test(text)) && holdsProtoKey(value)) {
    return { ok: false, rejection: notARequest('RPC-01', 'it holds a __proto__ key'), value }
  }
  return { ok: true, value }
}

function holdsProtoKey (value: unknown): boolean {
  return typeof value === 'object' && value !== null &&
    secureJson.scan(value, { protoAction: 'error', constructorAction: 'ignore', safe: true }) === null
}

const [quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace] = [34, 44, 58, 91, 92, 93, 123, 125]

function opensMoreThan (limit: number, text: string): boolean {
  let found = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      if (++found > limit) return true
    }
  }
  return false
}

/**
 * What is wrong with the shape of a body, to be read after "it". What is no JSON may have any: the
 * parser refuses it then.
 *
 * It reads bytes, which is faster than reading characters: in UTF-8 these signs mean the same everywhere.
 */
function misshapeOf (bytes: Buffer): string | undefined {
  let depth = 0
  let parts = 0
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case quote:
        index = endOfText(bytes, index)
        break
      case openBrace:
      case openBracket:
        if (++depth > maxNesting) return `nests deeper than ${maxNesting} levels`
        parts++
        break
      case closeBrace:
      case closeBracket:
        depth--
        break
      case comma:
      case colon:
        parts++
        break
      default:
    }
    if (parts > maxParts) return `has more than ${maxParts} members and items`
  }
  return undefined
}

/** Where the text ends that begins at `start`: at the next quote before which no odd backslash stands. */
function endOfText (bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end - 1
    while (bytes[before] === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return bytes.length
}
