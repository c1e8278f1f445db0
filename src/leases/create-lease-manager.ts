import { CancelledRefusal } from '../refusals/cancellation.ts'
import type { DeviceDriver } from '../devices/device-driver.ts'
import { fenceDriver } from '../devices/fenced-driver.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { ChangeLedger } from './cleanup/change-ledger.ts'
import { usualCleanup } from './cleanup/cleanup-level.ts'
import { createHeartbeatAnswer } from './answer-heartbeat.ts'
import { createAwaitedOwners } from './awaited-owners.ts'
import { createDeviceCleaner } from './device-cleaner.ts'
import { createDeviceProber } from './device-prober.ts'
import { grantDevices, type GrantParts } from './grant-devices.ts'
import { createHeartbeats } from './heartbeats.ts'
import { isLive, type Lease } from './contract/lease.ts'
import { createLeaseBook } from './lease-book.ts'
import { createLeaseClock } from './lease-clock.ts'
import { dueAtMs } from './contract/lease-machine.ts'
import type { LeaseManager } from './contract/lease-manager.ts'
import { LeasesUnavailableRefusal } from './contract/lease-refusals.ts'
import type { LeaseSettings } from './contract/lease-settings.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { createLeaseUses } from './lease-use.ts'
import { createAcquireQueue, type AcquireQueue } from './queue/acquire-queue.ts'
import { assertTtl } from './queue/acquire-request.ts'
import { createWaiters } from './queue/waiters.ts'
import { shownHandle, type Log } from './log.ts'
import { createOccupancyBoard } from './occupancy-board.ts'
import { createPoolOperations } from './pool-operations.ts'
import { createPoolView } from './pool-view.ts'
import { createPresenceWatch } from './presence-watch.ts'
import { createRelease } from './release-lease.ts'
import { createRunningWork } from './running-work.ts'
import { settleAfterRestart } from './settle-after-restart.ts'
import { createShownTimes } from './shown-times.ts'
import { createSteadyTime } from './steady-time.ts'
import { watchChanges, type PoolChange } from './watch-changes.ts'

const purgeEveryMs = 600_000
const noteAliveEveryMs = 5_000

export interface LeaseManagerParts {
  readonly store: LeaseStore
  /** What leases have changed on their devices, in the same database as the store. */
  readonly ledger: ChangeLedger
  /** The pool. The manager fences them; nobody else may use them directly. */
  readonly drivers: readonly DeviceDriver[]
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly settings: LeaseSettings
  readonly log: Log
  /** Which request is granted next; without it, a queue as the settings say. */
  readonly queue?: AcquireQueue
  /** Told of every change, once it has been recorded; must not throw. */
  readonly onChange?: (change: PoolChange) => void
  /** Told the device of each lease that a holder gets or names. */
  readonly noteDevice?: (deviceId: string) => void
}

/**
 * Leases over one store and the drivers of this process.
 *
 * Everything that must survive is in the store; what is kept here lives no longer than the
 * work, requests, cleanups and timers it is about.
 */
export function createLeaseManager (
  {
    store: unwatched, ledger, drivers: pool, clock: wallClock, scheduler, ids, settings, log,
    queue = createAcquireQueue(settings), onChange = () => {}, noteDevice = () => {}
  }: LeaseManagerParts
): LeaseManager {
  const drivers = new Map(pool.map((driver) => [driver.description.id, fenceDriver(driver)]))
  if (drivers.size !== pool.length) throw new Error('two drivers claim to be the same device')
  const time = createSteadyTime({ clock: wallClock, scheduler, log })
  const { nowMs } = time
  const shown = createShownTimes(time)
  const board = createOccupancyBoard()
  const store = watchChanges(unwatched, board, (change) => {
    tell(change)
    lookIfFree(change.deviceId)
  })
  const running = createRunningWork()
  const isVetoed = (handle: string) => (running.vetoUntilMs(handle) ?? 0) > nowMs()

  const prober = createDeviceProber({
    scheduler,
    nowMs,
    limitMs: settings.probeTimeoutMs,
    log,
    onChange: (deviceId) => tell({ deviceId, ended: undefined }),
    onLook: (deviceId, sighting) => {
      presence.onLook(deviceId, sighting)
      owners.onLook()
    }
  })
  const cleaner = createDeviceCleaner({
    store,
    ledger,
    drivers,
    scheduler,
    nowMs,
    chance: () => ids.bytes(4).readUInt32BE() / 2 ** 32,
    usualLevel: usualCleanup(settings.lowestCleanup),
    limitMs: settings.cleanupTimeoutMs,
    log
  })
  const isAway = (deviceId: string) => prober.offline(deviceId)?.awaySinceMs !== undefined
  const book = createLeaseBook({ store, drivers, running, cleaner, shown, nowMs, isAway, noteDevice, log })
  const owners = createAwaitedOwners({
    store, scheduler, nowMs, awaitOwnerMs: settings.awaitOwnerMs, liveLeases, isAway, log
  })
  const clock = createLeaseClock({ store, scheduler, nowMs, vetoUntilMs: running.vetoUntilMs, end: book.endDue, log })
  const heartbeats = createHeartbeats({
    board, scheduler, nowMs, isVetoed, giveUp: (lease) => book.end(lease, 'heartbeat_lost'), log
  })
  const answerHeartbeat = createHeartbeatAnswer({ store, book, heartbeats, owners })
  const presence = createPresenceWatch({
    board,
    drivers,
    prober,
    scheduler,
    nowMs,
    everyMs: settings.watchEveryMs,
    windowMs: ({ state }) => state === 'awaiting_owner' ? settings.awaitOwnerMs : settings.recoveryMs,
    end: book.end,
    log
  })
  const view = createPoolView({ board, drivers, prober, cleaner, nowMs, recoveryMs: settings.recoveryMs })
  const granting: GrantParts = { store, drivers, prober, clock, ids, nowMs, log }
  const waiters = createWaiters({
    queue,
    devices: { availability: view.availability, grant: (order) => grantDevices(granting, order) },
    scheduler,
    nowMs,
    settings,
    log
  })
  const uses = createLeaseUses({
    store,
    ledger,
    drivers,
    book,
    running,
    clock,
    heartbeats,
    presence,
    prober,
    shown,
    nowMs,
    longestVetoMs: settings.longestVetoMs,
    isOpen: () => open,
    log
  })
  const release = createRelease({ book, cleaner, lowestCleanup: settings.lowestCleanup })
  const desk = createPoolOperations({
    store, board, drivers, prober, cleaner, scheduler, nowMs, shown, book, assertOpen, log
  })
  let open = false
  const timers: Cancel[] = []

  function tell (change: PoolChange) {
    onChange(change.ended === undefined ? change : { ...change, ended: shown.lease(change.ended) })
    waiters.devicesChanged()
  }

  /** A device that was put back, say, has answered: it need not stay offline until somebody looks for it. */
  function lookIfFree (deviceId: string) {
    const driver = drivers.get(deviceId)
    if (!open || driver === undefined || board.of(deviceId)?.device.state !== 'free' || prober.offline(deviceId) === undefined) return
    inBackground(prober.probe(driver), 'look at device broke off')
  }

  function assertOpen () {
    if (!open) throw new LeasesUnavailableRefusal()
  }

  function liveLeases (): readonly Lease[] {
    return board.all().flatMap(({ lease }) => lease !== undefined && isLive(lease) ? [lease] : [])
  }

  function begin (lease: Lease): Lease {
    heartbeats.expect(lease)
    noteDevice(lease.deviceId)
    log.info({ lease: shownHandle(lease.handle), device: lease.deviceId, fence: lease.fence }, 'lease granted')
    return shown.lease(lease)
  }

  function purge () {
    inBackground(store.purgeEnded(nowMs() - settings.keepEndedMs), 'ended leases could not be purged')
    inBackground(store.purgeAudit(nowMs() - settings.keepAuditMs), 'the audit could not be purged')
  }

  function noteAlive () {
    if (liveLeases().length > 0) inBackground(store.noteAlive(nowMs()), 'a sign of life could not be noted')
  }

  function inBackground (work: Promise<unknown>, fault: string) {
    work.catch((cause: unknown) => log.error({ err: cause }, fault))
  }

  async function lastBoundTo (sessionKey: string, principal: string): Promise<Lease | undefined> {
    assertOpen()
    const bound = await store.boundLease({ sessionKey, principal })
    return bound && await book.settled(bound)
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
      await book.checked(request, () => assertTtl(request.ttlMs, settings))
      return await uses.renew(request)
    },

    async release (request) {
      assertOpen()
      const { lease, ...result } = await release(request)
      return { lease: shown.lease(lease), ...result }
    },

    async undo ({ handle, holder }) {
      assertOpen()
      const lease = await store.lease(handle)
      if (lease?.holder.principal !== holder.principal || !isLive(lease)) return
      const ended = await book.end(lease, 'undelivered')
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
      return await answerHeartbeat(request)
    },

    async list (holder) {
      const live = await store.liveLeases()
      const going = live.filter((lease) => !book.isOver(lease) && (holder === undefined || lease.holder.principal === holder.principal))
      return going.map(shown.lease)
    },

    isExpiring ({ deviceId, handle }) {
      const lease = board.of(deviceId)?.lease
      return lease?.handle === handle && isLive(lease) && dueAtMs(lease) <= nowMs()
    },

    waiting: (holder) => waiters.list(holder?.principal).map(shown.request),

    async devices () {
      return view.pooled(await store.occupancies()).map(shown.device)
    },

    hasDevice: (deviceId) => drivers.has(deviceId),

    async isHolding ({ handle, holder }) {
      const lease = await store.lease(handle)
      if (lease === undefined || !isLive(lease) || lease.holder.principal !== holder.principal || book.isOver(lease)) return false
      return await book.confirm(lease)
    },

    async homeApps (signal) {
      const byDevice = await Promise.all([...drivers.values()].map((driver) => driver.homeApps(signal).catch(() => [])))
      return [...new Set(byDevice.flat())].sort()
    },

    operations: desk.operations,

    async start () {
      time.start()
      await settleAfterRestart({
        store, board, drivers, presence, cleaner, nowMs, awaitOwnerMs: settings.awaitOwnerMs, end: book.end
      })
      liveLeases().forEach(heartbeats.expect)
      await clock.sweep()
      owners.start()
      purge()
      timers.push(
        scheduler.every(purgeEveryMs, purge),
        scheduler.every(noteAliveEveryMs, noteAlive)
      )
      presence.start()
      desk.start()
      open = true
    },

    async stop () {
      const wasOpen = open
      open = false
      for (const cancel of timers) cancel()
      const queueClosed = waiters.close(new LeasesUnavailableRefusal())
      prober.stop()
      presence.stop()
      heartbeats.stop()
      owners.stop()
      clock.stop()
      desk.stop()
      running.abortAll(new CancelledRefusal('shutting_down'))
      await queueClosed
      await cleaner.stop()
      if (wasOpen) await store.noteAlive(nowMs())
      time.stop()
    }
  }
}
