import { ensureNotCancelled } from '../refusals/cancellation.ts'
import { unlessCancelled } from '../runtime/abortable.ts'
import { DeviceOfflineRefusal } from '../devices/device-refusals.ts'
import type { LeaseContext } from './context.ts'
import type { Lease } from './contract/lease.ts'
import type { LeaseClaim, LeaseManager, UseKind } from './contract/lease-manager.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { StoreNotWritableRefusal } from './contract/store-not-writable.ts'
import type { Lane } from './device/lane.ts'
import type { Pool } from './device/pool.ts'
import type { Run } from './device/running-work.ts'
import type { LeaseLookup, LiveLease } from './lease-lookup.ts'
import { failureFields, shownHandle } from './log.ts'
import type { ShownTimes } from './shown-times.ts'

export interface LeaseUseParts {
  readonly context: LeaseContext
  readonly store: LeaseStore
  readonly pool: Pool
  readonly lookup: LeaseLookup
  readonly shown: ShownTimes
  readonly longestVetoMs: number
  readonly isOpen: () => boolean
}

/** What keeps leases going: work under them, renewal, and other signs of their holders. */
export type LeaseUses = Pick<LeaseManager, 'use' | 'renew' | 'heartbeat'>

export function createLeaseUses ({ context, store, pool, lookup, shown, longestVetoMs, isOpen }: LeaseUseParts): LeaseUses {
  const { nowMs, log, inBackground } = context

  /**
   * The holder's lease, once its device is there. An absent device is looked at again, so that the
   * first call after its return is let in, and no call gets into another boot of the device.
   */
  async function presentLeaseOf (claim: LeaseClaim, signal: AbortSignal, byAcquirer: boolean): Promise<LiveLease> {
    const found = await lookup.liveLeaseOf(claim)
    const { lease, lane } = found
    if (lane.isThere(lease)) return found
    // The call may get no further than this, and its caller knows of the lease all the same.
    if (!byAcquirer) await lane.confirm(lease)
    const sighting = await unlessCancelled(signal, lane.look())
    if (sighting !== 'away') return await lookup.liveLeaseOf(claim)
    throw new DeviceOfflineRefusal(lease.deviceId, { retryAfterMs: lane.retryAfterMs(lease) })
  }

  /** Lets work in: moves the expiry, and holds the end by time off until the caller calls `leave`. */
  async function enter (
    claim: LeaseClaim, use: { readonly kind: UseKind, readonly signal: AbortSignal, readonly limitMs: number, readonly byAcquirer: boolean }
  ): Promise<LiveLease & { readonly run: Run }> {
    const { kind, signal, limitMs, byAcquirer } = use
    const { lease, lane } = await presentLeaseOf(claim, signal, byAcquirer)
    const run = lane.running.enter(lease.handle, nowMs() + Math.min(limitMs, longestVetoMs))
    try {
      const extended = await lane.extend(lease, { by: kind, durable: false, byAcquirer })
      if (extended !== undefined) {
        run.begin()
        return { lease: extended, lane, run }
      }
    } catch (storageFault) {
      // A look changes nothing that has to be recorded; its lease just does not last longer for it.
      if (kind === 'look' && storageFault instanceof StoreNotWritableRefusal && lane.liveLease?.handle === lease.handle) {
        run.begin()
        return { lease, lane, run }
      }
      run.leave()
      throw storageFault
    }
    // It ended or came due between the two looks; the next look says which.
    run.leave()
    return await enter(claim, use)
  }

  async function leave (lease: Lease, lane: Lane, run: Run, kind: UseKind, byAcquirer: boolean) {
    try {
      // What the work has done, it has done: no fault here may make it look undone.
      if (isOpen()) await lane.extend(lease, { by: kind, durable: false, byAcquirer })
    } catch (storageFault) {
      log.warn({ lease: shownHandle(lease.handle), ...failureFields(storageFault) }, 'expiry could not be moved after work')
    }
    run.leave()
  }

  async function heartbeat (beat: Parameters<LeaseManager['heartbeat']>[0]): ReturnType<LeaseManager['heartbeat']> {
    const { handle, sessionKey, holder: { principal } } = beat
    const named = handle !== undefined
      ? await store.lease(handle)
      : sessionKey && await store.boundLease({ sessionKey, principal })
    if (!named || named.holder.principal !== principal) return 'unknown'
    const lease = await lookup.settled(named)
    if (lease.end !== undefined) return { ended: lease.end.reason }
    const lane = pool.lane(lease.deviceId)
    lane?.hear(lease.handle)
    // It ended between the two looks; the next look says how.
    if (lane === undefined || !await lane.confirm(lease)) return await heartbeat(beat)
    if (lease.state === 'awaiting_owner') await lane.resume(lease)
    return 'ok'
  }

  return {
    async use ({ handle, holder, sessionKey, signal, kind, limitMs = longestVetoMs, byAcquirer = false }, work) {
      const { lease, lane, run } = await enter({ handle, holder, sessionKey }, { kind, signal, limitMs, byAcquirer })
      try {
        const { driver } = lane
        if (driver === undefined) throw new DeviceOfflineRefusal(lease.deviceId, { retryAfterMs: lane.retryAfterMs(lease) })
        const either = AbortSignal.any([run.signal, signal])
        ensureNotCancelled(either)
        return await work({ lease: shown.lease(lease), driver, signal: either })
      } catch (cause) {
        if (cause instanceof DeviceOfflineRefusal) inBackground(lane.look(), 'look at leased device broke off', { device: lease.deviceId })
        // Work that fails because its lease ended is told so, however it put it.
        throw run.signal.aborted ? run.signal.reason : cause
      } finally {
        await leave(lease, lane, run, kind, byAcquirer)
      }
    },

    async renew ({ ttlMs, ...claim }) {
      for (;;) {
        const { lease, lane } = await lookup.liveLeaseOf(claim)
        const renewed = await lane.extend(lease, { by: 'renewal', durable: true, ...(ttlMs === undefined ? {} : { ttlMs }) })
        if (renewed !== undefined) return shown.lease(renewed)
      }
    },

    heartbeat
  }
}
