import type { LegacySession } from '../../protocol/mcp-request.ts'
import type { Principal } from '../../protocol/principal.ts'

/** What tells a caller from the other callers of its principal, as far as it says. */
export interface CallerIdentity {
  readonly principal: Principal
  /** Hashed (POOL-04). */
  readonly sessionKey: string | undefined
  /** The session id that it sent, hashed, be it one of ours or not; undefined where none are given out. */
  readonly sessionId: string | undefined
  /** What the id says; undefined for one that does not open. */
  readonly legacySession: LegacySession | undefined
}

/**
 * Whether two messages come from one caller, as far as can be told (LEGACY-13). Session ids decide
 * where both have one, because each client has its own. Else the session keys do, and two callers
 * with neither cannot be told apart. A client that was given an id sends it with every message, so
 * that one without is of another client, unless a key says otherwise.
 */
export function isSameCaller (one: CallerIdentity, other: CallerIdentity): boolean {
  if (one.principal.key !== other.principal.key) return false
  if (one.sessionId !== undefined && other.sessionId !== undefined) return one.sessionId === other.sessionId
  return one.sessionKey === other.sessionKey && (one.sessionKey !== undefined || one.sessionId === other.sessionId)
}
