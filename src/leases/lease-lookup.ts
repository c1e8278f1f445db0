import { noteDevice } from '../runtime/request-scope.ts'
import { isLive, type Lease } from './contract/lease.ts'
import { dueAtMs } from './contract/lease-machine.ts'
import type { LeaseClaim } from './contract/lease-manager.ts'
import { LeasesUnavailableRefusal, OtherSessionKeyRefusal, UnknownLeaseRefusal } from './contract/lease-refusals.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Lane } from './device/lane.ts'
import type { Pool } from './device/pool.ts'
import type { ShownTimes } from './shown-times.ts'

/** A live lease, and the lane of its device. */
export interface LiveLease {
  readonly lease: Lease
  readonly lane: Lane
}

/** Finds leases. A lease whose time is over has ended by the time it is found. */
export interface LeaseLookup {
  /** Whether its time is over and no call holds that off. */
  isOver (lease: Lease): boolean
  /** @throws {UnknownLeaseRefusal | OtherSessionKeyRefusal} not there, not this holder's, or another key's */
  leaseOf (claim: LeaseClaim): Promise<Lease>
  /** @throws {UnknownLeaseRefusal | OtherSessionKeyRefusal | LeaseEndedRefusal} */
  liveLeaseOf (claim: LeaseClaim): Promise<LiveLease>
  /**
   * Checks what else a claim asks for. A claim that is refused for that shows all the same that its
   * holder knows of the lease.
   */
  checked<T> (claim: LeaseClaim, check: () => T): Promise<T>
  /** A lease found by other means, ended if its time is over. */
  settled (lease: Lease): Promise<Lease>
}

export function createLeaseLookup ({ store, pool, shown, nowMs }: {
  readonly store: LeaseStore
  readonly pool: Pool
  readonly shown: ShownTimes
  readonly nowMs: () => number
}): LeaseLookup {
  function isOver (lease: Lease): boolean {
    if (!isLive(lease)) return false
    const vetoUntilMs = pool.lane(lease.deviceId)?.running.vetoUntilMs(lease.handle) ?? 0
    return Math.max(dueAtMs(lease), vetoUntilMs) <= nowMs()
  }

  async function settled (lease: Lease): Promise<Lease> {
    if (!isOver(lease)) return lease
    const lane = pool.lane(lease.deviceId)
    await lane?.review()
    const now = await read(lease.handle)
    // Without a lane nothing would ever end it here.
    if (lane === undefined && isOver(now)) throw new LeasesUnavailableRefusal()
    return await settled(now)
  }

  async function read (handle: string): Promise<Lease> {
    const lease = await store.lease(handle)
    if (lease === undefined) throw new UnknownLeaseRefusal()
    return lease
  }

  async function leaseOf ({ handle, holder, sessionKey }: LeaseClaim): Promise<Lease> {
    const lease = await store.lease(handle)
    if (lease === undefined || lease.holder.principal !== holder.principal) throw new UnknownLeaseRefusal()
    if (isOfOtherKey(lease, sessionKey)) throw new OtherSessionKeyRefusal()
    noteDevice(lease.deviceId)
    return isOver(lease) ? await settled(lease) : lease
  }

  async function liveLeaseOf (claim: LeaseClaim): Promise<LiveLease> {
    const lease = await leaseOf(claim)
    if (lease.end !== undefined) throw shown.refusal(lease)
    const lane = pool.lane(lease.deviceId)
    if (lane !== undefined) return { lease, lane }
    // Its device has left the pool, so it was over by the time it had been read.
    const over = await read(lease.handle)
    throw over.end === undefined ? new LeasesUnavailableRefusal() : shown.refusal(over)
  }

  async function checked<T> ({ handle, holder, sessionKey }: LeaseClaim, check: () => T): Promise<T> {
    try {
      return check()
    } catch (refusal) {
      const lease = await store.lease(handle)
      if (lease?.holder.principal === holder.principal && !isOfOtherKey(lease, sessionKey)) await pool.lane(lease.deviceId)?.confirm(lease)
      throw refusal
    }
  }

  return { isOver, leaseOf, checked, settled, liveLeaseOf }
}

/** A call without a key may name any lease of its principal, and so may a call under any key where the lease has none. */
function isOfOtherKey (lease: Lease, sessionKey: string | undefined): boolean {
  return sessionKey !== undefined && lease.sessionKey !== undefined && lease.sessionKey !== sessionKey
}
