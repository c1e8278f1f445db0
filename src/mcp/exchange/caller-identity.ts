import type { LegacySession } from '../../protocol/mcp-request.ts'
import type { Principal } from '../../protocol/principal.ts'

/** What tells a caller from the other callers of its principal, as far as it says. */
export interface CallerIdentity {
  readonly principal: Principal
  /** Hashed (POOL-04). */
  readonly sessionKey: string | undefined
  readonly legacySession: LegacySession | undefined
}

/**
 * Whether two messages come from one caller, as far as can be told (LEGACY-13). Session ids decide
 * where both have one, because each client has its own. Else the session keys do, and two callers
 * without a key cannot be told apart.
 */
export function isSameCaller (one: CallerIdentity, other: CallerIdentity): boolean {
  return one.principal.key === other.principal.key &&
    one.legacySession?.id === other.legacySession?.id &&
    (one.legacySession !== undefined || one.sessionKey === other.sessionKey)
}
