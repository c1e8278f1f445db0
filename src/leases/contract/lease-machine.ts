/**
 * The state machine of leases and of the devices they are for.
 *
 * A device, as it is recorded:
 *
 *   free         clean, and without a lease. A grant makes it leased, unless an operator holds it.
 *   leased       has one live lease. The end of that lease makes it cleaning; only a grant that
 *                is taken back (`undelivered`, `unused`) before any call was let in leaves it free
 *                at once.
 *   cleaning     is being put back to its home state after a lease that is releasing. Success
 *                makes it free, failure quarantined; either way the lease has ended.
 *   quarantined  could not be put back. It is granted again once a later try succeeds.
 *
 * Beside its state a device may have holds, laid on it by operators: a drain, whose deadline ends
 * the lease that is left then, a block, or both. A hold forbids grants in whatever state the
 * device is, and changes nothing else, least of all the other hold. It stays until it is lifted;
 * one of the same kind takes its place.
 *
 * Which devices are in the pool is not recorded: their sources tell it after each start. That an
 * operator has added or removed one changes nothing here, and is kept in the audit.
 *
 * (Offline and gone are what the running process sees of a device that does not answer; they are
 * not recorded, because after a restart the device has to be looked at again anyway.)
 *
 * A lease, from its grant on (a request in the queue is none yet):
 *
 *   granted         use and renewal move its expiry, control calls the time it idles from.
 *   awaiting_owner  was granted when we restarted. It has some time at least until its holder is
 *                   heard of; any use, renewal or heartbeat makes it granted again, and so does
 *                   the end of that time if it has time left by then.
 *   releasing       over for its holder. Nothing about it changes but the state.
 *   ended           for ever.
 *
 * A lease is confirmed once its holder is known to have learned of it: by any claim of it (use,
 * renewal, heartbeat, release) but those of the call that acquired it. The answer of that call may
 * never arrive. Until the lease is confirmed the grant can be taken back (`undelivered`): the
 * handle was told to no other call, and what the acquiring call has done itself is cleaned up. A
 * confirmed lease is not taken back, and stays confirmed. A lease that is not even used can also be
 * given back when its device is wanted (`unused`).
 *
 * The first two states are live, and a live lease is over by time at the earliest of three instants:
 * its expiry, its idle time after the last control call, its full length. A running call may
 * hold that off (`isVetoed`); a lease that is only held up by calls is expiring, which is not
 * recorded. An end by time is refused while the lease is not due: it was decided by
 * times that have moved since. An end for any other reason holds at once.
 *
 * Fencing: a grant takes the device's next token, and so does the end of a lease; cleanup runs
 * with the latter. A command of the former holder that wakes up late carries a lower token from
 * the moment its lease ended, not only from the next grant.
 *
 * Every event names what it relies on: the handle and fence of a live lease, or the fence a
 * cleanup ran with. An event that finds something else changes nothing. It came too late.
 *
 * Invariant: a device has at most one lease that has not ended.
 */
import { isLive, type EndReason, type Holder, type Lease, type LeaseEnd, type Priority } from './lease.ts'

export const recordedDeviceStates = ['free', 'leased', 'cleaning', 'quarantined'] as const

/** The one that shows first comes first. */
export const holdKinds = ['block', 'drain'] as const
export type HoldKind = (typeof holdKinds)[number]

/** What an operator has laid on a device. */
export interface Hold {
  readonly kind: HoldKind
  readonly reason: string
  /** The operator's principal. */
  readonly by: string
  readonly atMs: number
  /** When a drain ends the lease that is left. */
  readonly deadlineAtMs?: number
}

/** What is recorded about a device, whether or not a driver for it is present. */
export interface DeviceRecord {
  readonly id: string
  readonly state: (typeof recordedDeviceStates)[number]
  /** The highest fencing token given out for it. */
  readonly fence: number
  /** Why it is quarantined. */
  readonly reason: string | undefined
  /** At most one of each kind, in the order of `holdKinds`. */
  readonly holds: readonly Hold[]
  /** When its last lease ended; 0 when it never had one. */
  readonly lastUsedAtMs: number
  /** How often in a row it could not be put back. */
  readonly failures: number
}

/** A device with the lease that has not left it behind yet. */
export interface Occupancy {
  readonly device: DeviceRecord
  readonly lease: Lease | undefined
}

interface LeaseReference {
  readonly deviceId: string
  readonly handle: string
  readonly fence: number
  readonly nowMs: number
}

interface CleanupReference {
  readonly deviceId: string
  /** The token the cleanup ran with. */
  readonly fence: number
  readonly nowMs: number
}

/** Gives a free device to a holder. */
export interface GrantEvent {
  readonly type: 'grant'
  readonly deviceId: string
  readonly handle: string
  readonly bootId: string
  readonly holder: Holder
  /** Bound to the lease, unless the holder has a live lease bound to it. */
  readonly sessionKey: string | undefined
  readonly purpose: string | undefined
  readonly priority: Priority
  readonly heartbeatMs: number | undefined
  readonly ttlMs: number
  readonly idleMs: number
  readonly maxLengthMs: number
  readonly nowMs: number
}

export type LeaseEvent =
  | GrantEvent
  /** Moves the expiry to one full ttl from `nowMs`. */
  | LeaseReference & {
    readonly type: 'extend'
    /** A new ttl; without it the lease keeps its own. */
    readonly ttlMs?: number
    /** What moves it: a call that begins or ends, or a renewal. */
    readonly by: 'control' | 'look' | 'renewal'
    /** Whether a running call holds off the end by time. */
    readonly isVetoed: boolean
    /**
     * False when a power cut may forget the move: the lease then ends sooner, which harms
     * its own holder only. The death of the process never forgets it.
     */
    readonly durable: boolean
    /** The call that acquired the lease moves it, which does not confirm it; every other one does. */
    readonly byAcquirer?: boolean
  }
  /** The holder knows of the lease: it has claimed it in a way that does not move it. */
  | LeaseReference & { readonly type: 'confirm' }
  /** After a restart: the lease waits for its owner, and time it could not be used in is forgiven. */
  | LeaseReference & { readonly type: 'await_owner', readonly forgivenMs: number, readonly ownerMs: number }
  /** The owner has been heard of, or has time left after the time in which it was awaited. */
  | LeaseReference & { readonly type: 'resume' }
  /** Ends a lease for its holder; by time only if it is due, as undelivered or unused only if it is not confirmed. */
  | LeaseReference & { readonly type: 'end', readonly reason: EndReason, readonly note?: string, readonly by?: string }
  /** The device is back in its home state. */
  | CleanupReference & { readonly type: 'settle' }
  /** The device could not be put back to its home state. */
  | CleanupReference & { readonly type: 'quarantine', readonly reason: string }
  | { readonly type: 'hold', readonly deviceId: string, readonly hold: Hold, readonly nowMs: number }
  | { readonly type: 'unhold', readonly deviceId: string, readonly kind: HoldKind, readonly by: string, readonly nowMs: number }
  /** An operator has added the device to the pool. */
  | { readonly type: 'add', readonly deviceId: string, readonly by: string, readonly nowMs: number }
  /** The device has left the pool by an operator's order. */
  | {
    readonly type: 'remove'
    readonly deviceId: string
    readonly by: string
    readonly reason: string
    /** Whether the drain on it was laid by that order, and goes with it. */
    readonly liftsDrain: boolean
    readonly nowMs: number
  }

/** The hold of a kind on a device, if there is one. */
export function holdOf ({ holds }: Pick<DeviceRecord, 'holds'>, kind: HoldKind): Hold | undefined {
  return holds.find((hold) => hold.kind === kind)
}

/** When a live lease is over by time, unless something moves that. */
export function dueAtMs ({ expiresAtMs, mustEndAtMs, lastControlAtMs, idleMs }: Lease): number {
  return Math.min(expiresAtMs, mustEndAtMs, lastControlAtMs + idleMs)
}

/** How a live lease ends by time at `nowMs`; undefined while it is not due. */
export function whyDue (lease: Lease, nowMs: number): LeaseEnd | undefined {
  const atMs = dueAtMs(lease)
  if (atMs > nowMs) return undefined
  if (lease.mustEndAtMs === atMs) return { reason: 'max_length', atMs }
  if (lease.state === 'awaiting_owner') return { reason: 'owner_lost', atMs }
  return { reason: lease.expiresAtMs === atMs ? 'expired' : 'idle', atMs }
}

/** The only function that changes the state of a lease or a device. Undefined: not in this state. */
export function advance ({ device, lease }: Occupancy, event: LeaseEvent): Occupancy | undefined {
  switch (event.type) {
    case 'grant':
      return device.state === 'free' && device.holds.length === 0 ? grant(device, event) : undefined
    case 'extend': {
      if (!isMeant(lease, event) || (isDue(lease, event) && !event.isVetoed)) return undefined
      const { nowMs, by, ttlMs = lease.ttlMs, byAcquirer = false } = event
      return {
        device,
        lease: {
          ...lease,
          state: 'granted',
          ttlMs,
          expiresAtMs: Math.min(nowMs + ttlMs, lease.mustEndAtMs),
          lastControlAtMs: by === 'control' ? nowMs : lease.lastControlAtMs,
          isUsed: lease.isUsed || by !== 'renewal',
          isConfirmed: lease.isConfirmed || !byAcquirer
        }
      }
    }
    case 'confirm':
      if (!isMeant(lease, event)) return undefined
      return { device, lease: lease.isConfirmed ? lease : { ...lease, isConfirmed: true } }
    case 'await_owner': {
      if (!isMeant(lease, event)) return undefined
      const { forgivenMs, nowMs, ownerMs } = event
      const untilMs = nowMs + ownerMs
      return {
        device,
        lease: {
          ...lease,
          state: 'awaiting_owner',
          expiresAtMs: Math.max(lease.expiresAtMs + forgivenMs, untilMs),
          mustEndAtMs: Math.max(lease.mustEndAtMs + forgivenMs, untilMs),
          lastControlAtMs: Math.max(lease.lastControlAtMs + forgivenMs, untilMs - lease.idleMs)
        }
      }
    }
    case 'resume':
      if (!isMeant(lease, event) || lease.state !== 'awaiting_owner' || isDue(lease, event)) return undefined
      return { device, lease: { ...lease, state: 'granted' } }
    case 'end':
      return isMeant(lease, event) ? end(device, lease, event) : undefined
    case 'settle':
      if (!awaitsCleanup(device, event)) return undefined
      return { device: { ...device, state: 'free', reason: undefined, failures: 0 }, lease: leftBehind(lease) }
    case 'quarantine':
      if (!awaitsCleanup(device, event)) return undefined
      return {
        device: { ...device, state: 'quarantined', reason: event.reason, failures: device.failures + 1 },
        lease: leftBehind(lease)
      }
    case 'hold':
      return { device: { ...device, holds: inOrder([...without(device.holds, event.hold.kind), event.hold]) }, lease }
    case 'unhold':
      if (holdOf(device, event.kind) === undefined) return undefined
      return { device: { ...device, holds: without(device.holds, event.kind) }, lease }
    case 'add':
      return { device, lease }
    case 'remove':
      return { device: event.liftsDrain ? { ...device, holds: without(device.holds, 'drain') } : device, lease }
  }
}

function grant (device: DeviceRecord, { type, deviceId, nowMs, maxLengthMs, ttlMs, ...terms }: GrantEvent): Occupancy {
  const fence = device.fence + 1
  const mustEndAtMs = nowMs + maxLengthMs
  return {
    device: { ...device, state: 'leased', fence },
    lease: {
      ...terms,
      deviceId,
      fence,
      state: 'granted',
      grantedAtMs: nowMs,
      ttlMs,
      expiresAtMs: Math.min(nowMs + ttlMs, mustEndAtMs),
      mustEndAtMs,
      lastControlAtMs: nowMs,
      isUsed: false,
      isConfirmed: false,
      end: undefined
    }
  }
}

function end (device: DeviceRecord, lease: Lease, { reason, note, nowMs }: Extract<LeaseEvent, { type: 'end' }>): Occupancy | undefined {
  const fence = device.fence + 1
  switch (reason) {
    case 'undelivered':
      if (lease.isConfirmed) return undefined
      return lease.isUsed ? dirtied({ reason, atMs: nowMs }) : untouched({ reason, atMs: nowMs })
    case 'unused':
      return lease.isConfirmed || lease.isUsed ? undefined : untouched({ reason, atMs: nowMs })
    case 'expired':
    case 'idle':
    case 'max_length':
    case 'owner_lost': {
      const due = whyDue(lease, nowMs)
      // Found out late or not, the lease was over at the instant it promised.
      return due?.reason === reason ? dirtied(due) : undefined
    }
    default:
      return dirtied({ reason, atMs: nowMs, ...(note === undefined ? {} : { note }) })
  }

  /** No call was let in, so nothing has to be cleaned. */
  function untouched (ended: LeaseEnd): Occupancy {
    return { device: { ...device, state: 'free', fence }, lease: { ...lease, state: 'ended', end: ended } }
  }

  function dirtied (ended: LeaseEnd): Occupancy {
    return {
      device: { ...device, state: 'cleaning', fence, lastUsedAtMs: nowMs },
      lease: { ...lease, state: 'releasing', end: ended }
    }
  }
}

function without (holds: readonly Hold[], kind: HoldKind): readonly Hold[] {
  return holds.filter((hold) => hold.kind !== kind)
}

function inOrder (holds: readonly Hold[]): readonly Hold[] {
  return holds.toSorted((one, other) => holdKinds.indexOf(one.kind) - holdKinds.indexOf(other.kind))
}

function isMeant (lease: Lease | undefined, { handle, fence }: LeaseReference): lease is Lease {
  return lease !== undefined && isLive(lease) && lease.handle === handle && lease.fence === fence
}

function isDue (lease: Lease, { nowMs }: LeaseReference): boolean {
  return dueAtMs(lease) <= nowMs
}

function awaitsCleanup (device: DeviceRecord, { fence }: CleanupReference): boolean {
  return (device.state === 'cleaning' || device.state === 'quarantined') && device.fence === fence
}

function leftBehind (lease: Lease | undefined): Lease | undefined {
  return lease === undefined ? undefined : { ...lease, state: 'ended' }
}
