/**
 * Protocol rejections: the "no" of the wire itself, before or instead of a result.
 *
 * A rejection already knows how it goes out: the rule it enforces, the HTTP status (fixed
 * before the first byte, HTTP-18), the JSON-RPC code and the data that the rule prescribes.
 * Checks return rejections as values; code deeper down throws them as `ProtocolError`.
 */
export interface Rejection {
  /** Id of the rule in the wire contract, for logs and tests. */
  readonly rule: string
  readonly status: number
  readonly code: number
  /** One sentence with what to do about it. Never repeats a value that may be private. */
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
  /** Goes out as `Retry-After`, which a 429 and a 503 must have. */
  readonly retryAfterMs?: number
}

export type RequestId = string | number

/** A rejection on its way up from where a return value cannot carry it. */
export class ProtocolError extends Error {
  readonly rejection: Rejection

  constructor (rejection: Rejection) {
    super(rejection.message)
    this.name = 'ProtocolError'
    this.rejection = rejection
  }
}
