import { ensureNotCancelled } from '../devices/cancellation.ts'
import { CancelledRefusal } from '../devices/device-refusals.ts'
import type { DeviceDriver } from '../devices/device-driver.ts'
import { fenceDriver } from '../devices/fenced-driver.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { createDeviceCleaner } from './device-cleaner.ts'
import { createDeviceProber } from './device-prober.ts'
import { grantDevice } from './grant-device.ts'
import type { EndReason, Holder, Lease } from './lease.ts'
import { createLeaseExpiry } from './lease-expiry.ts'
import type { LeaseManager, ReleaseResult } from './lease-manager.ts'
import { LeaseEndedRefusal, LeasesUnavailableRefusal, TtlOutOfRangeRefusal, UnknownLeaseRefusal } from './lease-refusals.ts'
import { minTtlMs, type LeaseSettings } from './lease-settings.ts'
import type { LeaseStore } from './lease-store.ts'
import { shownHandle, type Log } from './log.ts'
import { createRunningWork, type Run } from './running-work.ts'
import { settleAfterRestart } from './settle-after-restart.ts'
import { steadyTime } from './steady-time.ts'
import { watchChanges, type PoolChange } from './watch-changes.ts'

const purgeEveryMs = 600_000

export interface LeaseManagerParts {
  readonly store: LeaseStore
  /** The pool. The manager fences them; nobody else may use them directly. */
  readonly drivers: readonly DeviceDriver[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly settings: LeaseSettings
  readonly log: Log
  /** Told of every change, once it has been recorded; must not throw. */
  readonly onChange?: (change: PoolChange) => void
  /** Told the device of each lease that a holder gets or names. */
  readonly noteDevice?: (deviceId: string) => void
}

interface Claim {
  readonly handle: string
  readonly holder: Holder
}

/**
 * Leases over one store and the drivers of this process.
 *
 * Everything that must survive is in the store; what is kept here lives no longer than the
 * work, cleanups and timers it is about.
 */
export function createLeaseManager (
  { store: unwatched, drivers: pool, clock, scheduler, ids, settings, log, onChange = () => {}, noteDevice = () => {} }: LeaseManagerParts
): LeaseManager {
  const store = watchChanges(unwatched, onChange)
  const drivers = new Map(pool.map((driver) => [driver.description.id, fenceDriver(driver)]))
  if (drivers.size !== pool.length) throw new Error('two drivers claim to be the same device')
  const nowMs = steadyTime(clock)
  const running = createRunningWork()
  const prober = createDeviceProber({
    scheduler, nowMs, limitMs: settings.probeTimeoutMs, log, onChange: (deviceId) => onChange({ deviceId, ended: undefined })
  })
  const cleaner = createDeviceCleaner({ store, drivers, scheduler, nowMs, limitMs: settings.cleanupTimeoutMs, log })
  const expiry = createLeaseExpiry({
    store, scheduler, nowMs, isInUse: running.has, expire: (lease) => end(lease, 'expired'), log
  })
  // Releases under way, for a second release of the same lease to join.
  const releases = new Map<string, Promise<ReleaseResult | undefined>>()
  let open = false
  let acquiring = 0
  let stopPurging: Cancel | undefined

  function assertOpen () {
    if (!open) throw new LeasesUnavailableRefusal()
  }

  function assertTtl (ttlMs: number | undefined) {
    const { maxTtlMs } = settings
    if (ttlMs !== undefined && !(ttlMs >= minTtlMs && ttlMs <= maxTtlMs)) throw new TtlOutOfRangeRefusal({ minTtlMs, maxTtlMs })
  }

  /** Ends a lease and starts the cleanup after it. Undefined: it was over, or is not due yet. */
  async function end ({ deviceId, handle, fence }: Lease, reason: EndReason) {
    const ended = await store.change({ type: 'end', deviceId, handle, fence, reason, nowMs: nowMs() })
    if (ended?.lease?.end === undefined) return undefined
    drivers.get(deviceId)?.raiseFence(ended.device.fence)
    running.abort(handle, new LeaseEndedRefusal(deviceId, ended.lease.end))
    log.info({ lease: shownHandle(handle), device: deviceId, reason }, 'lease ended')
    return { lease: ended.lease, cleanup: cleaner.clean(ended.device) }
  }

  function hasExpired (lease: Lease): boolean {
    return lease.expiresAtMs <= nowMs() && !running.has(lease.handle)
  }

  /** The holder's lease in whatever state; one that is due has ended by then. */
  async function leaseOf ({ handle, holder }: Claim): Promise<Lease> {
    assertOpen()
    const lease = await store.lease(handle)
    if (lease === undefined || lease.holder.principal !== holder.principal) throw new UnknownLeaseRefusal()
    noteDevice(lease.deviceId)
    if (lease.state === 'granted' && hasExpired(lease)) return (await end(lease, 'expired'))?.lease ?? await leaseOf({ handle, holder })
    return lease
  }

  async function grantedLeaseOf (claim: Claim): Promise<Lease> {
    const lease = await leaseOf(claim)
    if (lease.end !== undefined) throw new LeaseEndedRefusal(lease.deviceId, lease.end)
    return lease
  }

  async function extend (lease: Lease, how: { readonly ttlMs?: number, readonly inUse: boolean, readonly durable: boolean }) {
    const { deviceId, handle, fence } = lease
    const extended = await store.change({ type: 'extend', deviceId, handle, fence, nowMs: nowMs(), ...how })
    if (extended?.lease !== undefined) expiry.watch(extended.lease.expiresAtMs)
    return extended?.lease
  }

  /** Lets work in: moves the expiry, and holds it off until the caller calls `leave`. */
  async function enter (claim: Claim): Promise<{ readonly lease: Lease, readonly run: Run }> {
    const lease = await grantedLeaseOf(claim)
    const run = running.enter(lease.handle)
    try {
      const extended = await extend(lease, { inUse: running.has(lease.handle), durable: false })
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
    return await enter(claim)
  }

  async function leave (lease: Lease, run: Run) {
    let extended: Lease | undefined
    try {
      // What the work has done, it has done: no fault here may make it look undone.
      if (open) extended = await extend(lease, { inUse: true, durable: false })
    } catch (storageFault) {
      log.error({ lease: shownHandle(lease.handle), err: storageFault }, 'expiry could not be moved after work')
    }
    run.leave()
    expiry.watch((extended ?? lease).expiresAtMs)
  }

  async function release (claim: Claim): Promise<ReleaseResult> {
    const lease = await leaseOf(claim)
    const earlier = releases.get(lease.handle)
    if (earlier !== undefined) {
      const joined = await earlier
      return joined === undefined ? await release(claim) : { ...joined, releasedNow: false }
    }
    if (lease.state === 'granted') {
      const releasing = releaseNow(lease).finally(() => releases.delete(lease.handle))
      releases.set(lease.handle, releasing)
      // Undefined: it ended in another way between the two looks; the next look says which.
      return await releasing ?? await release(claim)
    }
    if (lease.end !== undefined && lease.end.reason !== 'released') {
      throw new LeaseEndedRefusal(lease.deviceId, lease.end, 'Go on: there is nothing left to release.')
    }
    // Released before a restart, and perhaps still being cleaned up after.
    const cleanup = lease.state === 'releasing' ? await cleaner.underWay(lease.deviceId) : undefined
    return { lease: cleanup?.lease ?? lease, cleaned: cleanup?.cleaned ?? [], releasedNow: false }
  }

  async function releaseNow (lease: Lease): Promise<ReleaseResult | undefined> {
    const ended = await end(lease, 'released')
    if (ended === undefined) return undefined
    const { cleaned, lease: final } = await ended.cleanup
    return { lease: final ?? ended.lease, cleaned, releasedNow: true }
  }

  function purge () {
    store.purgeEnded(nowMs() - settings.keepEndedMs).catch((storageFault: unknown) => {
      log.error({ err: storageFault }, 'ended leases could not be purged')
    })
  }

  return {
    async acquire ({ holder, selector, ttlMs, purpose, signal }) {
      assertOpen()
      assertTtl(ttlMs)
      acquiring++
      try {
        // The timer may have slept with the machine; nobody should wait for a lease that is over.
        await expiry.sweep()
        const lease = await grantDevice(
          { store, drivers, prober, cleaner, ids, nowMs, assertOpen },
          { holder, selector, ttlMs: ttlMs ?? settings.ttlMs, purpose, signal }
        )
        expiry.watch(lease.expiresAtMs)
        noteDevice(lease.deviceId)
        log.info({ lease: shownHandle(lease.handle), device: lease.deviceId, fence: lease.fence }, 'lease granted')
        return lease
      } finally {
        acquiring--
      }
    },

    get acquiring () { return acquiring },

    async renew ({ handle, holder, ttlMs }) {
      assertTtl(ttlMs)
      for (;;) {
        const lease = await grantedLeaseOf({ handle, holder })
        const renewed = await extend(lease, { ...(ttlMs === undefined ? {} : { ttlMs }), inUse: running.has(handle), durable: true })
        if (renewed !== undefined) return renewed
      }
    },

    release,

    async use ({ handle, holder, signal }, work) {
      const { lease, run } = await enter({ handle, holder })
      const driver = drivers.get(lease.deviceId)
      try {
        // A lease without a driver ended when this process started.
        if (driver === undefined) throw new Error(`no driver for device ${lease.deviceId}`)
        const either = AbortSignal.any([run.signal, signal])
        ensureNotCancelled(either)
        return await work({ lease, driver, signal: either })
      } catch (cause) {
        // Work that fails because its lease ended is told so, however it put it.
        throw run.signal.aborted ? run.signal.reason : cause
      } finally {
        await leave(lease, run)
      }
    },

    async list (holder) {
      const granted = await store.grantedLeases()
      return granted.filter((lease) => !hasExpired(lease) && (holder === undefined || lease.holder.principal === holder.principal))
    },

    async devices () {
      const found = await store.occupancies()
      return found.flatMap(({ device, lease }) => {
        const driver = drivers.get(device.id)
        if (driver === undefined) return []
        const offline = device.state === 'free' ? prober.offline(device.id) : undefined
        return [{
          description: driver.description,
          state: offline === undefined ? device.state : 'offline' as const,
          reason: offline?.reason ?? device.reason,
          lease
        }]
      })
    },

    hasDevice: (deviceId) => drivers.has(deviceId),

    async isHolding ({ handle, holder }) {
      const lease = await store.lease(handle)
      return lease?.state === 'granted' && lease.holder.principal === holder.principal && !hasExpired(lease)
    },

    async homeApps (signal) {
      const byDevice = await Promise.all([...drivers.values()].map((driver) => driver.homeApps(signal).catch(() => [])))
      return [...new Set(byDevice.flat())].sort()
    },

    async start () {
      await settleAfterRestart({ store, drivers, prober, cleaner, nowMs, end })
      await expiry.sweep()
      purge()
      stopPurging = scheduler.every(purgeEveryMs, purge)
      open = true
    },

    async stop () {
      open = false
      stopPurging?.()
      expiry.stop()
      prober.stop()
      running.abortAll(new CancelledRefusal('shutting_down'))
      await cleaner.stop()
    }
  }
}
