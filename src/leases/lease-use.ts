import { ensureNotCancelled } from '../refusals/cancellation.ts'
import { unlessCancelled } from '../runtime/abortable.ts'
import { DeviceOfflineRefusal } from '../devices/device-refusals.ts'
import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { ChangeLedger } from './cleanup/change-ledger.ts'
import { recordingDriver } from './cleanup/recording-driver.ts'
import type { DeviceProber } from './device-prober.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { Lease } from './contract/lease.ts'
import type { LeaseBook } from './lease-book.ts'
import type { LeaseClock } from './lease-clock.ts'
import { dueAtMs, type LeaseEvent } from './contract/lease-machine.ts'
import type { LeaseClaim, LeaseManager, UseKind } from './contract/lease-manager.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { shownHandle, type Log } from './log.ts'
import type { PresenceWatch } from './presence-watch.ts'
import type { Run, RunningWork } from './running-work.ts'
import type { ShownTimes } from './shown-times.ts'

export interface LeaseUseParts {
  readonly store: LeaseStore
  readonly ledger: ChangeLedger
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly book: LeaseBook
  readonly running: RunningWork
  readonly clock: LeaseClock
  readonly heartbeats: Heartbeats
  readonly presence: PresenceWatch
  readonly prober: DeviceProber
  readonly shown: ShownTimes
  readonly nowMs: () => number
  readonly longestVetoMs: number
  readonly isOpen: () => boolean
  readonly log: Log
}

type ExtendEvent = Extract<LeaseEvent, { readonly type: 'extend' }>

/** What keeps leases going: work under them, and renewal. */
export type LeaseUses = Pick<LeaseManager, 'use' | 'renew'>

export function createLeaseUses (
  { store, ledger, drivers, book, running, clock, heartbeats, presence, prober, shown, nowMs, longestVetoMs, isOpen, log }: LeaseUseParts
): LeaseUses {
  const recording = new Map([...drivers].map(([id, driver]) => [id, recordingDriver(driver, ledger)]))

  async function extend (
    { deviceId, handle, fence }: Lease,
    how: Pick<ExtendEvent, 'by' | 'durable' | 'ttlMs' | 'byAcquirer'>
  ): Promise<Lease | undefined> {
    const isVetoed = (running.vetoUntilMs(handle) ?? 0) > nowMs()
    const extended = await store.change({ type: 'extend', deviceId, handle, fence, nowMs: nowMs(), isVetoed, ...how })
    heartbeats.hear(handle)
    if (extended?.lease !== undefined) clock.watch(dueAtMs(extended.lease))
    return extended?.lease
  }

  /**
   * The holder's lease, once its device is not away. One that is away is asked again, so that
   * whoever comes first after its return is let in, and nobody gets into another incarnation.
   */
  async function presentLeaseOf (claim: LeaseClaim, signal: AbortSignal, byAcquirer: boolean): Promise<Lease> {
    const lease = await book.liveLeaseOf(claim)
    if (prober.offline(lease.deviceId) === undefined) return lease
    // It may get no further than this, and its caller knows of the lease all the same.
    if (!byAcquirer) await book.confirm(lease)
    const sighting = await unlessCancelled(signal, presence.look(lease))
    if (sighting !== 'away') return await book.liveLeaseOf(claim)
    throw new DeviceOfflineRefusal(lease.deviceId, { retryAfterMs: presence.retryAfterMs(lease) })
  }

  /** Lets work in: moves the expiry, and holds the end by time off until the caller calls `leave`. */
  async function enter (
    claim: LeaseClaim, use: { readonly kind: UseKind, readonly signal: AbortSignal, readonly limitMs: number, readonly byAcquirer: boolean }
  ): Promise<{ readonly lease: Lease, readonly run: Run }> {
    const { kind, signal, limitMs, byAcquirer } = use
    const lease = await presentLeaseOf(claim, signal, byAcquirer)
    const run = running.enter(lease.handle, nowMs() + Math.min(limitMs, longestVetoMs))
    try {
      const extended = await extend(lease, { by: kind, durable: false, byAcquirer })
      if (extended !== undefined) {
        run.begin()
        return { lease: extended, run }
      }
    } catch (storageFault) {
      run.leave()
      throw storageFault
    }
    // It ended or came due between the two looks; the next look says which.
    run.leave()
    return await enter(claim, use)
  }

  async function leave (lease: Lease, run: Run, kind: UseKind, byAcquirer: boolean) {
    let extended: Lease | undefined
    try {
      // What the work has done, it has done: no fault here may make it look undone.
      if (isOpen()) extended = await extend(lease, { by: kind, durable: false, byAcquirer })
    } catch (storageFault) {
      log.error({ lease: shownHandle(lease.handle), err: storageFault }, 'expiry could not be moved after work')
    }
    run.leave()
    clock.watch(dueAtMs(extended ?? lease))
  }

  return {
    async use ({ handle, holder, signal, kind, limitMs = longestVetoMs, byAcquirer = false }, work) {
      const { lease, run } = await enter({ handle, holder }, { kind, signal, limitMs, byAcquirer })
      const driver = recording.get(lease.deviceId)
      try {
        // A lease without a driver ended when this process started.
        if (driver === undefined) throw new Error(`no driver for device ${lease.deviceId}`)
        const either = AbortSignal.any([run.signal, signal])
        ensureNotCancelled(either)
        return await work({ lease: shown.lease(lease), driver, signal: either })
      } catch (cause) {
        if (cause instanceof DeviceOfflineRefusal) {
          presence.look(lease).catch((fault: unknown) => log.error({ device: lease.deviceId, err: fault }, 'look at leased device broke off'))
        }
        // Work that fails because its lease ended is told so, however it put it.
        throw run.signal.aborted ? run.signal.reason : cause
      } finally {
        await leave(lease, run, kind, byAcquirer)
      }
    },

    async renew ({ handle, holder, ttlMs }) {
      for (;;) {
        const lease = await book.liveLeaseOf({ handle, holder })
        const renewed = await extend(lease, { by: 'renewal', durable: true, ...(ttlMs === undefined ? {} : { ttlMs }) })
        if (renewed !== undefined) return shown.lease(renewed)
      }
    }
  }
}
