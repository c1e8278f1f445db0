import type { Absence } from './device-prober.ts'
import { isLive } from './contract/lease.ts'
import { dueAtMs, holdOf, type Occupancy } from './contract/lease-machine.ts'
import type { DeviceState } from './contract/lease-manager.ts'

/** What a device is to whoever looks at the pool. */
export interface Outlook {
  readonly state: DeviceState
  /** Why, where that is not told by the state. */
  readonly reason: string | undefined
  /** When it may become free; undefined when nobody can know, as of one that could not be put in order. */
  readonly freeAtMs: number | undefined
}

export interface OutlookFacts {
  readonly absence: Absence | undefined
  /** How long a device may be away before it is gone. */
  readonly recoveryMs: number
  readonly nowMs: number
}

/**
 * Of all that is true of a device the most telling: that it is being put in order or cannot be,
 * that it is blocked, that it drains, then that it is not there, that it is leased. A block shows
 * on a leased device only once its lease is over, because it does not concern it.
 */
export function outlook ({ device, lease }: Occupancy, { absence, recoveryMs, nowMs }: OutlookFacts): Outlook {
  const { state, reason } = device
  const whenLifted = (atMs: number | undefined) => device.holds.length === 0 ? atMs : undefined
  if (state === 'cleaning') return { state, reason, freeAtMs: whenLifted(nowMs) }
  if (state === 'quarantined') return { state, reason, freeAtMs: undefined }
  const [block, drain] = [holdOf(device, 'block'), holdOf(device, 'drain')]
  if (block !== undefined && state === 'free') return { state: 'blocked', reason: block.reason, freeAtMs: undefined }
  if (drain !== undefined) return { state: 'draining', reason: drain.reason, freeAtMs: undefined }
  if (absence !== undefined) {
    const isGone = absence.awaySinceMs !== undefined && absence.awaySinceMs + recoveryMs <= nowMs
    return isGone
      ? { state: 'gone', reason: absence.reason, freeAtMs: undefined }
      : { state: 'offline', reason: absence.reason, freeAtMs: whenLifted(absence.nextLookAtMs) }
  }
  if (state === 'free') return { state, reason, freeAtMs: nowMs }
  return { state, reason, freeAtMs: whenLifted(lease !== undefined && isLive(lease) ? dueAtMs(lease) : nowMs) }
}
