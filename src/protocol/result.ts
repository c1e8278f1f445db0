/**
 * What a method answers, before an era gives it its shape.
 *
 * Most results are made per request (`complete`). Lists are the same for many callers and often
 * large, so they are `prepared`: serialized once for each shape an era needs and then sent as
 * the same bytes until the list changes.
 */
import type { JsonObject } from './message.ts'

export interface CacheHint {
  readonly ttlMs: number
  /** `public` may be given to any caller; whatever was filtered by principal is `private` (CACHE-04). */
  readonly scope: 'public' | 'private'
}

/** What a call of a tool tells of itself beside its result, for the log and for telemetry. */
export interface Noted {
  /** The code of the refusal that the result is. */
  readonly refusal?: string | undefined
  /** The device that it was about; several are joined by commas. */
  readonly device?: string | undefined
  /** How long it only waited, in milliseconds. */
  readonly waitedMs: number
}

export type Result = AnyResult & { readonly noted?: Noted }

type AnyResult =
  | {
    readonly kind: 'complete'
    readonly body: JsonObject
    readonly cache?: CacheHint
    /** Takes back what making the result brought about; called when the caller never got it. */
    readonly undo?: () => Promise<void>
    /** The session id that goes out beside the result (LEGACY-02). */
    readonly sessionId?: string
  }
  | { readonly kind: 'prepared', readonly prepared: PreparedResult }
  /** Questions to the caller, which calls again with the answers and the state (MRTR-01); for modern callers alone. */
  | { readonly kind: 'input_required', readonly inputRequests?: JsonObject, readonly requestState: string }

export interface PreparedResult {
  /** The encoded result member for a revision. */
  bytesFor (version: string): Buffer
}

export const complete = (body: JsonObject, cache?: CacheHint): Result =>
  cache === undefined ? { kind: 'complete', body } : { kind: 'complete', body, cache }
