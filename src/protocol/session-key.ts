/**
 * The session key: a text of a caller's own choosing that marks calls which belong together,
 * so that they need not name the lease they share (POOL-01, POOL-04).
 *
 *   x-mooring-session-id            comes first
 *   x-auto-mobile-mcp-session-id    the same under its older name
 *   arguments.__mcpSessionId        of a `tools/call` whose request has neither header
 *
 * A key binds, it does not authorize: its user has to be the principal as well. A caller
 * may have put anything into it, so it is hashed where it is read. The text itself is never
 * kept, logged or repeated.
 *
 * A header carries its text as other headers do (HDR-05): plain ASCII as it is, anything else
 * in the base64 form, so that one key is the same in a header and in the arguments. Doubled
 * headers arrive joined by a comma, which would be a third key; so one with a comma is refused
 * unless it is in the base64 form.
 */
import { createHash } from 'node:crypto'
import { invalidHeader } from './error-table.ts'
import { decodeHeaderValue } from './header-value.ts'
import { isObject, type JsonObject } from './message.ts'
import type { Rejection } from './rejection.ts'
import { headerText, type RequestHeaders } from './request-headers.ts'
import type { Era } from './versions.ts'

/** The one that outranks the other comes first. */
export const sessionKeyHeaders = ['x-mooring-session-id', 'x-auto-mobile-mcp-session-id'] as const

export const longestSessionKey = 128

const inBandKey = '__mcpSessionId'
const internalPrefix = '__'
// Half of a surrogate pair has no bytes of its own: two such keys could have one hash.
const unusable = /[\p{Cc}\p{Cs}]/u

export type HeaderSessionKey =
  | { readonly ok: true, /** Hashed; undefined where no header names one. */ readonly key: string | undefined }
  | { readonly ok: false, readonly rejection: Rejection }

const none: HeaderSessionKey = { ok: true, key: undefined }

/** The session key of a request's headers. One that cannot be a key is refused: ignored, it would name another lease. */
export function readSessionKeyHeader (headers: RequestHeaders, era: Era): HeaderSessionKey {
  for (const name of sessionKeyHeaders) {
    const raw = headerText(headers, name)
    if (raw === undefined) continue
    const text = raw.includes(',') ? undefined : decodeHeaderValue(raw)
    if (text === undefined || !isSessionKey(text)) return { ok: false, rejection: invalidHeader('POOL-04', headerProblem(name), era) }
    return { ok: true, key: hash(text) }
  }
  return none
}

/** The session key in the arguments of a `tools/call`, hashed; undefined where there is none that could be one. */
export function inBandSessionKey ({ method, params }: { readonly method: string, readonly params: JsonObject }): string | undefined {
  const given = params['arguments']
  if (method !== 'tools/call' || !isObject(given) || !Object.hasOwn(given, inBandKey)) return undefined
  const text = given[inBandKey]
  return isSessionKey(text) ? hash(text) : undefined
}

/** What is wrong with the session key in some arguments; undefined where there is none, or a good one. */
export function inBandProblem (given: JsonObject): { readonly argument: string, readonly problem: string } | undefined {
  if (!Object.hasOwn(given, inBandKey) || isSessionKey(given[inBandKey])) return undefined
  return { argument: inBandKey, problem: `a session key is a text of 1 to ${longestSessionKey} characters without control characters` }
}

/**
 * The arguments without what hosts and proxies add for each other: `__mcpSessionId` and every
 * other name that begins so. It is the very object where there is nothing of the kind.
 */
export function withoutInternalArguments (given: JsonObject): JsonObject {
  for (const name in given) {
    if (name.startsWith(internalPrefix)) {
      return Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith(internalPrefix)))
    }
  }
  return given
}

/** A session key as it is compared and kept; undefined for a text that cannot be one. */
export function hashSessionKey (text: string): string | undefined {
  return isSessionKey(text) ? hash(text) : undefined
}

function isSessionKey (value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longestSessionKey && !unusable.test(value)
}

function hash (text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url')
}

function headerProblem (name: string): string {
  return `Header ${name} must hold one session key of 1 to ${longestSessionKey} characters: printable ASCII without commas as it is, anything else but control characters as =?base64?…?= of its UTF-8 bytes.`
}
