/**
 * Bytes of a request body to one JSON value, or the reason why not.
 *
 * Refused besides what is not JSON: bytes that are not UTF-8, nesting so deep that walking
 * the value later could exhaust the stack, and `__proto__` keys, which some code downstream
 * might merge into an object's prototype. Of duplicate keys the parser's choice counts: only
 * the parsed value is ever read, checked or forwarded.
 */
import { isAscii } from 'node:buffer'
import secureJson from 'secure-json-parse'
import { notARequest, notJson } from './error-table.ts'
import type { Rejection } from './rejection.ts'

/** An honest request nests about ten levels. */
export const maxNesting = 64

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
  if (opensMoreThan(maxNesting, text) && nestsDeeperThan(maxNesting, bytes)) {
    return { ok: false, rejection: notARequest('RPC-01', `it nests deeper than ${maxNesting} levels`) }
  }

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

const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = [34, 92, 123, 91, 125, 93]

/** Nearly no body has so many brackets, and searching is faster than reading. */
function opensMoreThan (limit: number, text: string): boolean {
  let found = 0
  for (const bracket of ['{', '[']) {
    for (let index = text.indexOf(bracket); index >= 0; index = text.indexOf(bracket, index + 1)) {
      if (++found > limit) return true
    }
  }
  return false
}

// Reads bytes, which is faster than reading characters: in UTF-8 these six mean the same everywhere.
function nestsDeeperThan (limit: number, bytes: Buffer): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (inString) {
      if (byte === backslash) index++
      else if (byte === quote) inString = false
    } else if (byte === quote) {
      inString = true
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > limit) return true
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
    }
  }
  return false
}
