import type { Absence } from './device-prober.ts'
import { isLive } from './lease.ts'
import { dueAtMs, type Occupancy } from './lease-machine.ts'
import type { DeviceState } from './lease-manager.ts'

/** What a device is to whoever looks at the pool. */
export interface Outlook {
  readonly state: DeviceState
  /** Why, where that is not told by the state. */
  readonly reason: string | undefined
  /** When it may become free; undefined when nobody can know. */
  readonly freeAtMs: number | undefined
}

export interface OutlookFacts {
  readonly absence: Absence | undefined
  /** How long a device may be away before it is gone. */
  readonly recoveryMs: number
  /** When its cleanup is tried next. */
  readonly nextTryAtMs: number | undefined
  readonly nowMs: number
}

/**
 * Of all that is true of a device the most telling: that it is being put in order or cannot be,
 * that it drains, then that it is not there, that it is blocked, that it is leased. A block shows
 * on a leased device only once its lease is over, because it does not concern it.
 */
export function outlook ({ device: { state, reason, hold }, lease }: Occupancy, { absence, recoveryMs, nextTryAtMs, nowMs }: OutlookFacts): Outlook {
  const whenLifted = (atMs: number | undefined) => hold === undefined ? atMs : undefined
  if (state === 'cleaning') return { state, reason, freeAtMs: whenLifted(nowMs) }
  if (state === 'quarantined') return { state, reason, freeAtMs: whenLifted(nextTryAtMs) }
  if (hold?.kind === 'drain') return { state: 'draining', reason: hold.reason, freeAtMs: undefined }
  if (hold !== undefined && state === 'free') return { state: 'blocked', reason: hold.reason, freeAtMs: undefined }
  if (absence !== undefined) {
    const isGone = absence.awaySinceMs !== undefined && absence.awaySinceMs + recoveryMs <= nowMs
    return isGone
      ? { state: 'gone', reason: absence.reason, freeAtMs: undefined }
      : { state: 'offline', reason: absence.reason, freeAtMs: whenLifted(absence.nextLookAtMs) }
  }
  if (state === 'free') return { state, reason, freeAtMs: nowMs }
  return { state, reason, freeAtMs: whenLifted(lease !== undefined && isLive(lease) ? dueAtMs(lease) : nowMs) }
}
