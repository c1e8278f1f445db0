/**
 * Refusals: every expected "no" of mooring.
 *
 * A refusal says what happened, whether the same call can work later, how long to wait, and
 * what to do instead. It is the only kind of error whose text a caller ever sees; anything
 * else that is thrown is a bug or a broken dependency and stays in the log.
 *
 * "Not yours" and "not there" are the same refusal with the same text.
 */
export type RefusalFacts = Retry & {
  /** One sentence, safe for every caller that may see the object. */
  readonly message: string
  /** An instruction: what the caller should do now. */
  readonly nextAction: string
  /** What else the caller may want to read: candidates, nearest labels, the device. */
  readonly details?: Readonly<Record<string, unknown>>
  /** What led here; goes to the log only. */
  readonly cause?: unknown
}

/** Whether the same call, unchanged, can succeed later; then also how long to wait before that, where it is known. */
export type Retry =
  | { readonly retryable: true, readonly retryAfterMs?: number }
  | { readonly retryable: boolean, readonly retryAfterMs?: never }

/**
 * What sort of "no" it is, for wires that have an answer for each sort:
 *
 *   not_found    what is named is not there, or not the caller's
 *   conflict     something is in a state in which this cannot be done
 *   unavailable  a part that is needed cannot answer now
 *   limit        a bound is reached; where the same call can succeed later, a wire that limits rates says so
 *   forbidden    the operator does not allow it
 */
export type RefusalKind = 'not_found' | 'conflict' | 'unavailable' | 'limit' | 'forbidden'

export abstract class Refusal extends Error {
  /** Public, snake_case, never reused for another meaning. */
  abstract readonly code: string
  readonly kind: RefusalKind = 'conflict'
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly nextAction: string
  readonly details: Readonly<Record<string, unknown>>

  constructor (facts: RefusalFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.retryable = facts.retryable
    this.retryAfterMs = facts.retryAfterMs
    this.nextAction = facts.nextAction
    this.details = facts.details ?? {}
  }

  /** The refusal as callers read it, on every wire. */
  toJSON (): RefusalBody {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      nextAction: this.nextAction,
      ...this.details
    }
  }
}

export interface RefusalBody {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
  readonly nextAction: string
  readonly [detail: string]: unknown
}
