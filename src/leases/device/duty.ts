/**
 * When the lease of a device has to end, and what else its lane has to do at some instant.
 *
 * A lease ends
 *
 *   by time             when it has expired, was idle, or has its full length (`whyDue`)
 *   unused              when it was neither used nor renewed for some time since its grant, and a
 *                       request waits for its device: its holder may never have learned of it
 *   heartbeat_lost      4 s after its holder was silent for longer than it promised
 *   drained             at the deadline of a drain, or when its device is to leave the pool now
 *   device_restarted    when its device has answered in another boot
 *   device_lost         when its device has been away for the recovery window; after a restart of
 *                       the gateway, for the time in which leases await their owners
 *
 * A running call holds off the first three. A lease that awaits its owner after a restart goes on
 * without it when that time is over and time is left, but not while its device is away.
 *
 * Pure: the lane asks again whenever one of the facts has changed, and at `nextAtMs`.
 */
import { holdOf, dueAtMs, whyDue, type DeviceRecord } from '../contract/lease-machine.ts'
import type { EndReason, Lease } from '../contract/lease.ts'

export const suspectMs = 4_000

/** What is true of a leased device besides its record. */
export interface LeaseFacts {
  readonly device: DeviceRecord
  /** The live lease. */
  readonly lease: Lease
  /** Until when running calls hold off an end by time; 0 when no call does. */
  readonly vetoUntilMs: number
  /** When the lease ends as unused; infinite when it was used, or while its device is not wanted. */
  readonly unusedAtMs: number
  /** When there was a sign of its holder last. */
  readonly heardAtMs: number
  /** Whether it is known already that the holder is silent. */
  readonly isSuspect: boolean
  /** Since when the device is known to be away. */
  readonly awaySinceMs: number | undefined
  /** When it was last found to be away. */
  readonly awaySeenAtMs: number
  /** Whether a look at the device is under way. */
  readonly isLookedAt: boolean
  /** The boot in which the device has answered last. */
  readonly lastBootId: string | undefined
  /** How long the device may be away. */
  readonly windowMs: number
  /** Until when a lease that awaits its owner does so. */
  readonly awaitedUntilMs: number
  /** Why the lease has to end now so that its device can leave the pool. */
  readonly eviction: { readonly reason: string, readonly by: string } | undefined
}

export type Duty =
  | { readonly do: 'end', readonly reason: EndReason, readonly note?: string, readonly by?: string }
  /** The lease goes on without its owner. */
  | { readonly do: 'resume' }
  /** The device has been away for so long that its lease ends, unless this look finds it. */
  | { readonly do: 'look' }
  /** The holder is silent for longer than it promised. */
  | { readonly do: 'suspect' }

/** What the lane has to do about the lease now; undefined: nothing. */
export function dutyAt (facts: LeaseFacts, nowMs: number): Duty | undefined {
  const { device, lease, vetoUntilMs, awaySinceMs, windowMs, eviction } = facts
  const isAway = awaySinceMs !== undefined
  if (vetoUntilMs <= nowMs) {
    const due = whyDue(lease, nowMs)
    // The owner cannot be blamed when there was no device to come back to.
    if (due !== undefined) return { do: 'end', reason: due.reason === 'owner_lost' && isAway ? 'device_lost' : due.reason }
    if (facts.unusedAtMs <= nowMs) return { do: 'end', reason: 'unused' }
    if (silentFromMs(facts) + suspectMs <= nowMs) return { do: 'end', reason: 'heartbeat_lost' }
  }
  const drain = holdOf(device, 'drain')
  if (drain?.deadlineAtMs !== undefined && drain.deadlineAtMs <= nowMs) {
    return { do: 'end', reason: 'drained', note: drain.reason, by: drain.by }
  }
  if (eviction !== undefined) return { do: 'end', reason: 'drained', note: eviction.reason, by: eviction.by }
  if (isOtherBoot(facts)) return { do: 'end', reason: 'device_restarted' }
  if (isAway && awaySinceMs + windowMs <= nowMs) {
    if (awaySinceMs + windowMs <= facts.awaySeenAtMs) return { do: 'end', reason: 'device_lost' }
    if (!facts.isLookedAt) return { do: 'look' }
  }
  if (lease.state === 'awaiting_owner' && facts.awaitedUntilMs <= nowMs && !isAway) return { do: 'resume' }
  if (vetoUntilMs <= nowMs && silentFromMs(facts) <= nowMs && !facts.isSuspect) return { do: 'suspect' }
  return undefined
}

/** The earliest instant at which there may be something to do, unless a fact changes before. */
export function nextAtMs (facts: LeaseFacts): number {
  const { device, lease, vetoUntilMs, awaySinceMs, windowMs, isLookedAt, isSuspect, awaitedUntilMs } = facts
  return Math.min(
    Math.max(Math.min(dueAtMs(lease), facts.unusedAtMs), vetoUntilMs),
    Math.max(silentFromMs(facts) + (isSuspect ? suspectMs : 0), vetoUntilMs),
    holdOf(device, 'drain')?.deadlineAtMs ?? Number.POSITIVE_INFINITY,
    awaySinceMs === undefined || isLookedAt ? Number.POSITIVE_INFINITY : awaySinceMs + windowMs,
    lease.state === 'awaiting_owner' && awaySinceMs === undefined ? awaitedUntilMs : Number.POSITIVE_INFINITY
  )
}

/** Whether the device has answered in another boot than the one the lease is for. */
export function isOtherBoot ({ lease, lastBootId }: Pick<LeaseFacts, 'lease' | 'lastBootId'>): boolean {
  return lastBootId !== undefined && lastBootId !== lease.bootId
}

function silentFromMs ({ lease, heardAtMs }: LeaseFacts): number {
  return lease.heartbeatMs === undefined ? Number.POSITIVE_INFINITY : heardAtMs + lease.heartbeatMs
}
