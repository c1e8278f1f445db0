import type { DeviceSource } from '../devices/device-source.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { noteDevice } from '../runtime/request-scope.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { awaitOwners, endLeasesOfMissing } from './after-restart.ts'
import type { ChangeLedger } from './cleanup/change-ledger.ts'
import { createContext, type LeaseContext } from './context.ts'
import { isLive, type Lease } from './contract/lease.ts'
import { dueAtMs } from './contract/lease-machine.ts'
import type { LeaseManager, PoolChange } from './contract/lease-manager.ts'
import { LeasesUnavailableRefusal } from './contract/lease-refusals.ts'
import type { LeaseSettings } from './contract/lease-settings.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { StoreNotWritableRefusal } from './contract/store-not-writable.ts'
import { queuedDevices } from './device/grant.ts'
import { createPool } from './device/pool.ts'
import { createLeaseLookup } from './lease-lookup.ts'
import { createLeaseTime } from './lease-time.ts'
import { createLeaseUses } from './lease-use.ts'
import { shownHandle, type Log } from './log.ts'
import { createOperations } from './operations.ts'
import { createAcquireQueue, type AcquireQueue } from './queue/acquire-queue.ts'
import { assertTtl } from './queue/acquire-request.ts'
import { createWaiters } from './queue/waiters.ts'
import { createRelease } from './release-lease.ts'
import { createShownTimes } from './shown-times.ts'

const purgeEveryMs = 600_000
const noteAliveEveryMs = 5_000
const purgeSlice = 500
const purgePauseMs = 20

export interface LeaseManagerParts {
  readonly store: LeaseStore
  /** What leases have changed on their devices, in the same database as the store. */
  readonly ledger: ChangeLedger
  /** Where the devices of the pool come from. Their drivers are fenced and closed here, and used by nothing else. */
  readonly sources: readonly DeviceSource[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly settings: LeaseSettings
  readonly log: Log
  /** Which request is granted next; without it, a queue as the settings say. */
  readonly queue?: AcquireQueue
  /** Told of every change, once it has been recorded; must not throw. */
  readonly onChange?: (change: PoolChange) => void
}

/**
 * Leases over one store and the devices of this process.
 *
 * Everything that must survive is in the store. What is kept in memory of one device is in its
 * lane (`device/lane.ts`), and lives no longer than the work, cleanups and timers it is about;
 * what is kept of requests is in the queue.
 */
export function createLeaseManager (
  {
    store, ledger, sources, clock, scheduler, ids, settings, log, queue = createAcquireQueue(settings), onChange = () => {}
  }: LeaseManagerParts
): LeaseManager {
  const time = createLeaseTime({ clock, scheduler, log })
  const { nowMs } = time
  const context = createContext({ nowMs, scheduler, ids, log })
  const shown = createShownTimes(time)
  const pool = createPool(sources, {
    context, store, ledger, settings, shown, isWanted: (deviceId) => waiters.wants(deviceId), tell
  })
  const lookup = createLeaseLookup({ store, pool, shown, nowMs })
  const waiters = createWaiters({ ...context, queue, devices: queuedDevices({ context, store, pool }), settings })
  const uses = createLeaseUses({
    context, store, pool, lookup, shown, longestVetoMs: settings.longestVetoMs, isOpen: () => open
  })
  const release = createRelease({ pool, lookup, shown, lowestCleanup: settings.lowestCleanup })
  const operations = createOperations({ context, store, pool, waiters, shown, assertOpen })
  /** Started in this order, and stopped in the reverse of it. */
  const services: readonly Service[] = [
    time,
    { start: startPool, stop: pool.stop },
    { start () {}, stop: () => waiters.close(new LeasesUnavailableRefusal()) },
    repeated(context, noteAliveEveryMs, noteAlive),
    repeated(context, purgeEveryMs, purge)
  ]
  let open = false
  let isStopped = false

  function tell (change: PoolChange) {
    onChange(change.ended === undefined ? change : { ...change, ended: shown.lease(change.ended) })
    waiters.devicesChanged()
  }

  async function startPool () {
    await awaitOwners({ context, store }, settings.awaitOwnerMs)
    await pool.start()
    await endLeasesOfMissing({ context, store, pool, tell })
    purge()
  }

  function assertOpen () {
    if (!open) throw new LeasesUnavailableRefusal()
  }

  function begin (lease: Lease): Lease {
    noteDevice(lease.deviceId)
    log.info({ lease: shownHandle(lease.handle), device: lease.deviceId, fence: lease.fence }, 'lease granted')
    return shown.lease(lease)
  }

  function purge () {
    const { keepEndedMs, keepAuditMs } = settings
    context.inBackground(inSlices((most) => store.purgeEnded(nowMs() - keepEndedMs, most)), 'ended leases could not be purged')
    context.inBackground(inSlices((most) => store.purgeAudit(nowMs() - keepAuditMs, most)), 'the audit could not be purged')
  }

  /** A slice at a time: a purge of very many rows must not keep callers waiting, nor one transaction grow with them. */
  async function inSlices (purgeSome: (most: number) => Promise<number>): Promise<void> {
    for (;;) {
      if (isStopped || await purgeSome(purgeSlice) < purgeSlice) return
      await new Promise<void>((resolve) => { scheduler.after(purgePauseMs, resolve) })
    }
  }

  function noteAlive () {
    if (pool.lanes.some(({ liveLease }) => liveLease !== undefined)) {
      context.inBackground(store.noteAlive(nowMs()), 'a sign of life could not be noted')
    }
  }

  async function lastBoundTo (sessionKey: string, principal: string): Promise<Lease | undefined> {
    assertOpen()
    const bound = await store.boundLease({ sessionKey, principal })
    return bound && await lookup.settled(bound)
  }

  return {
    async acquire ({ selector, ...terms }) {
      assertOpen()
      const [lease] = await waiters.acquire(terms, [selector])
      if (lease === undefined) throw new Error('nothing was granted')
      return begin(lease)
    },

    async acquireAll ({ wanted, ...terms }) {
      assertOpen()
      const labels = Object.keys(wanted)
      const leases = await waiters.acquire(terms, Object.values(wanted))
      return Object.fromEntries(leases.map((lease, i) => [labels[i], begin(lease)]))
    },

    async renew (request) {
      assertOpen()
      await lookup.checked(request, () => assertTtl(request.ttlMs, settings))
      return await uses.renew(request)
    },

    async release (request) {
      assertOpen()
      return await release(request)
    },

    async undo ({ handle, holder }) {
      assertOpen()
      const lease = await store.lease(handle)
      if (lease?.holder.principal !== holder.principal || !isLive(lease)) return
      const ended = await pool.lane(lease.deviceId)?.end(lease, 'undelivered')
      await ended?.cleanup
    },

    async use (request, work) {
      assertOpen()
      return await uses.use(request, work)
    },

    async boundTo ({ sessionKey, holder: { principal } }) {
      const lease = await lastBoundTo(sessionKey, principal)
      return lease !== undefined && isLive(lease) ? shown.lease(lease) : undefined
    },

    async lastBoundTo ({ sessionKey, holder: { principal } }) {
      const lease = await lastBoundTo(sessionKey, principal)
      return lease && shown.lease(lease)
    },

    async heartbeat (request) {
      assertOpen()
      return await uses.heartbeat(request)
    },

    async list (holder) {
      const live = await store.liveLeases()
      const going = live.filter((lease) => !lookup.isOver(lease) && (holder === undefined || lease.holder.principal === holder.principal))
      return going.map(shown.lease)
    },

    isExpiring ({ deviceId, handle }) {
      const lease = pool.lane(deviceId)?.liveLease
      return lease?.handle === handle && dueAtMs(lease) <= nowMs()
    },

    waiting: (holder) => waiters.list(holder?.principal).map(shown.request),

    async devices () {
      const pooled = pool.lanes.map(({ description, shownState: { state, reason }, record: { device: { holds, failures }, lease } }) => {
        return shown.device({ description, state, reason, holds, failures, lease })
      })
      return pooled.toSorted((one, other) => one.description.id < other.description.id ? -1 : 1)
    },

    hasDevice: (deviceId) => pool.lane(deviceId) !== undefined,

    async isHolding ({ handle, holder }) {
      const lease = await store.lease(handle)
      if (lease === undefined || !isLive(lease) || lease.holder.principal !== holder.principal || lookup.isOver(lease)) return false
      const lane = pool.lane(lease.deviceId)
      try {
        return await lane?.confirm(lease) ?? false
      } catch (fault) {
        // That its holder knows of it is found out again by a later call.
        if (fault instanceof StoreNotWritableRefusal) return lane?.liveLease?.handle === handle
        throw fault
      }
    },

    async homeApps (signal) {
      const byDevice = await Promise.all(pool.lanes.map(({ driver }) => driver?.homeApps(signal).catch(() => []) ?? []))
      return [...new Set(byDevice.flat())].sort()
    },

    operations,

    async start () {
      for (const service of services) await service.start()
      open = true
    },

    async stop () {
      const wasOpen = open
      open = false
      isStopped = true
      // All begin to stop at once: a grant that the queue waits for is broken off by the pool.
      await Promise.all(services.toReversed().map((service) => service.stop()))
      // A store that fails now is no reason not to stop. The next process takes an earlier sign of life, and forgives more.
      if (wasOpen) await store.noteAlive(nowMs()).catch((cause: unknown) => log.error({ err: cause }, 'a sign of life could not be noted'))
    }
  }
}

/** A part that works by itself from its start to its stop. One that was not started can be stopped too. */
interface Service {
  start (): void | Promise<void>
  /** Begins nothing from now on. Resolves once nothing of it is under way any more. */
  stop (): void | Promise<void>
}

/** Work that is done again and again, from the start to the stop. */
function repeated ({ scheduler }: LeaseContext, everyMs: number, work: () => void): Service {
  let stop = () => {}
  return {
    start () {
      stop = scheduler.every(everyMs, work)
    },
    stop: () => stop()
  }
}
