import { isLive } from '../contract/lease.ts'
import { dueAtMs, holdOf, type Occupancy } from '../contract/lease-machine.ts'
import type { DeviceState } from '../contract/lease-manager.ts'
import type { Absence } from './presence.ts'

/** The one state in which a device is shown. */
export interface ShownState {
  readonly state: DeviceState
  /** Why, where the state does not tell. */
  readonly reason: string | undefined
  /** When it is expected to be free; undefined when that cannot be known. */
  readonly expectedAtMs: number | undefined
}

export interface StateFacts {
  readonly absence: Absence | undefined
  /** Why the last cleanup failed, as long as that could not be recorded. */
  readonly unrecordedFailure: string | undefined
  /** Why the device is about to leave the pool. */
  readonly leavingBecause: string | undefined
  /** How long a device may be away before it is gone. */
  readonly recoveryMs: number
  readonly nowMs: number
}

/**
 * Of all that is true of a device the most telling: that it is being put in order or cannot be,
 * that it is blocked, that it drains, then that it is not there, that it is leased. A block shows
 * on a leased device only once its lease is over, because it does not concern the lease.
 */
export function shownState ({ device, lease }: Occupancy, facts: StateFacts): ShownState {
  const { absence, unrecordedFailure, leavingBecause, recoveryMs, nowMs } = facts
  const { state, reason } = device
  const isKept = device.holds.length > 0 || leavingBecause !== undefined
  const unlessKept = (atMs: number | undefined) => isKept ? undefined : atMs
  if (state === 'quarantined') return { state, reason, expectedAtMs: undefined }
  if (unrecordedFailure !== undefined) return { state: 'quarantined', reason: unrecordedFailure, expectedAtMs: undefined }
  if (state === 'cleaning') return { state, reason, expectedAtMs: unlessKept(nowMs) }
  const [block, drain] = [holdOf(device, 'block'), holdOf(device, 'drain')]
  if (block !== undefined && state === 'free') return { state: 'blocked', reason: block.reason, expectedAtMs: undefined }
  const drainedBecause = drain?.reason ?? leavingBecause
  if (drainedBecause !== undefined) return { state: 'draining', reason: drainedBecause, expectedAtMs: undefined }
  if (absence !== undefined) {
    const isGone = absence.awaySinceMs !== undefined && absence.awaySinceMs + recoveryMs <= nowMs
    return isGone
      ? { state: 'gone', reason: absence.reason, expectedAtMs: undefined }
      : { state: 'offline', reason: absence.reason, expectedAtMs: unlessKept(absence.nextLookAtMs) }
  }
  if (state === 'free') return { state, reason, expectedAtMs: nowMs }
  return { state, reason, expectedAtMs: unlessKept(lease !== undefined && isLive(lease) ? dueAtMs(lease) : nowMs) }
}
