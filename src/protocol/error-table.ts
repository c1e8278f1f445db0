/**
 * The one place that says how a "no" looks on the wire (wire-contract §7).
 *
 * HTTP statuses: what a client must fix in the envelope or the headers is 400, an unknown
 * method 404; what methods and handlers answer is 200. The codes -32000…-32019 are legacy
 * ground and never used; of -32020…-32099 only the three below exist (ERR-14).
 */
import type { Refusal } from '../refusals/refusal.ts'
import type { Rejection } from './rejection.ts'
import { modernVersions, type Era } from './versions.ts'

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedVersion: -32022,
  /** Legacy callers only (LEGACY-11). */
  legacyResourceNotFound: -32002
} as const

export const notJson = (detail: string): Rejection => ({
  rule: 'ERR-01',
  status: 400,
  code: errorCodes.parseError,
  message: `The body is not JSON: ${detail}.`
})

export const notARequest = (rule: string, detail: string): Rejection => ({
  rule,
  status: 400,
  code: errorCodes.invalidRequest,
  message: `The body is not one JSON-RPC 2.0 message: ${detail}.`
})

export const missingMeta = (missing: readonly string[]): Rejection => ({
  rule: 'META-01',
  status: 400,
  code: errorCodes.invalidParams,
  message: `params._meta must hold ${missing.join(' and ')}; every request of this revision states them.`,
  data: { missing }
})

export const headerMismatch = (rule: string, message: string): Rejection => ({
  rule,
  status: 400,
  code: errorCodes.headerMismatch,
  message
})

/** A header of our own that is not what it has to be. Legacy callers do not know the code for headers. */
export const invalidHeader = (rule: string, message: string, era: Era): Rejection => ({
  rule,
  status: 400,
  code: era === 'modern' ? errorCodes.headerMismatch : errorCodes.invalidRequest,
  message
})

/** `supported` are the revisions that the same request could name: those of its own era. */
export const unsupportedVersion = (rule: string, requested: string, supported: readonly string[] = modernVersions): Rejection => ({
  rule,
  status: 400,
  code: errorCodes.unsupportedVersion,
  message: `Protocol version ${JSON.stringify(requested.slice(0, 64))} is not served; use one of data.supported.`,
  data: { supported, requested }
})

export const missingClientCapability = (requiredCapabilities: Readonly<Record<string, unknown>>): Rejection => ({
  rule: 'ERR-06',
  status: 400,
  code: errorCodes.missingClientCapability,
  message: `This request needs a client that declares ${Object.keys(requiredCapabilities).join(', ')}.`,
  data: { requiredCapabilities }
})

/** Old clients read a 404 as "no such endpoint", so theirs is a 200 (LEGACY-10). */
export const methodNotFound = (method: string, status: 200 | 404): Rejection => ({
  rule: 'ERR-03',
  status,
  code: errorCodes.methodNotFound,
  message: `Method ${JSON.stringify(method.slice(0, 128))} does not exist here.`
})

export const invalidParams = (message: string, data?: Readonly<Record<string, unknown>>): Rejection => ({
  rule: 'ERR-08',
  status: 200,
  code: errorCodes.invalidParams,
  message,
  ...(data === undefined ? {} : { data })
})

export const resourceNotFound = (uri: string): Rejection => ({
  rule: 'ERR-09',
  status: 200,
  code: errorCodes.invalidParams,
  message: 'No such resource; resources/list and resources/templates/list show what there is.',
  data: { uri }
})

/** A refusal where the method has no result to carry it: everything but `tools/call`. */
export const refused = (refusal: Refusal): Rejection => ({
  rule: 'ERR-11',
  status: 200,
  code: errorCodes.internalError,
  message: refusal.message,
  data: { ...refusal.toJSON() }
})

/** A refusal to take on more, as HTTP says it: no code of JSON-RPC stands for it (HTTP-19). */
export const limited = (refusal: Refusal): Rejection => ({
  ...refused(refusal),
  rule: 'HTTP-19',
  status: 429,
  ...(refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs })
})

/**
 * Whether a refusal is one that HTTP has a status for, 429: it tells a client to come back. A bound that
 * the same call would meet again is none.
 */
export const isPassingLimit = ({ kind, retryable }: Pick<Refusal, 'kind' | 'retryable'>): boolean => kind === 'limit' && retryable

/** The HTTP status of a refusal outside MCP. */
export function httpStatusOf (refusal: Pick<Refusal, 'kind' | 'retryable'>): 403 | 404 | 409 | 429 | 503 {
  const { kind } = refusal
  switch (kind) {
    case 'not_found': return 404
    case 'conflict': return 409
    case 'unavailable': return 503
    case 'limit': return isPassingLimit(refusal) ? 429 : 409
    case 'forbidden': return 403
  }
}

/** A bug or a broken dependency. What it was is for the log alone (ERR-11). */
export const internalError: Rejection = {
  rule: 'ERR-11',
  status: 200,
  code: errorCodes.internalError,
  message: 'mooring could not complete the request because of an internal error; its log has the details.',
  data: { code: 'internal_error', retryable: false, nextAction: 'Report it to the operator with the time of the call.' }
}
