/**
 * A lane: everything that one device of the pool has in memory, and the only way in which the
 * device changes.
 *
 * Record. The store has what is recorded of the device, and the lane a copy of it (`record.ts`).
 * Each change takes its turn in the mailbox of the device: one transaction in the store, then the
 * copy. The lane does what follows from it in the same instant (`recordChanged`): the fence of the
 * driver rises, work under a lease that has ended is aborted, a dirty device is cleaned, and the
 * timer of the lease is set anew.
 *
 * Facts. The rest is what this process has seen: whether the device is there (`presence.ts`), what
 * runs under its lease (`running-work.ts`), when there was a sign of its holder, and how its
 * cleanup goes (`cleaning.ts`). From the record and the facts follows when the lease has to end
 * (`duty.ts`); `lease-watch.ts` sees to it.
 *
 * Leaving. By an operator's order the device leaves the pool. It is drained, which is recorded, and
 * not granted from then on, whether or not an operator lifts the drain. When its lease is over and
 * it is clean or in quarantine, the lane calls `onEmpty`.
 */
import { CancelledRefusal } from '../../refusals/cancellation.ts'
import type { DeviceDriver } from '../../devices/device-driver.ts'
import { DeviceOfflineRefusal } from '../../devices/device-refusals.ts'
import type { Departure } from '../../devices/device-source.ts'
import type { DeviceDescription } from '../../devices/device-types.ts'
import type { FencedDriver } from '../../devices/fenced-driver.ts'
import type { ChangeLedger } from '../cleanup/change-ledger.ts'
import { usualCleanup, type CleanupLevel } from '../cleanup/cleanup-level.ts'
import { recordingDriver } from '../cleanup/recording-driver.ts'
import type { LeaseContext } from '../context.ts'
import type { EndReason, Lease } from '../contract/lease.ts'
import { holdOf, type Hold, type LeaseEvent, type Occupancy } from '../contract/lease-machine.ts'
import type { PoolChange } from '../contract/lease-manager.ts'
import type { LeaseSettings } from '../contract/lease-settings.ts'
import type { LeaseStore } from '../contract/lease-store.ts'
import { shownHandle } from '../log.ts'
import type { DeviceAvailability } from '../queue/availability.ts'
import type { ShownTimes } from '../shown-times.ts'
import { createCleaning, type Cleanup } from './cleaning.ts'
import { shownState, type ShownState } from './device-state.ts'
import { isOtherBoot, type LeaseFacts } from './duty.ts'
import { createLeaseWatch } from './lease-watch.ts'
import type { Mailbox } from './mailbox.ts'
import { createPresence, type Sighting } from './presence.ts'
import { createRecord, type ChangeSteps, type RecordChange } from './record.ts'
import { createRunningWork, type RunningWork } from './running-work.ts'

const soonestRetryMs = 1_000

type ExtendEvent = Extract<LeaseEvent, { readonly type: 'extend' }>

export type Removal = Extract<Departure, { kind: 'removed' }>

export interface EndTerms {
  /** Why an operator ends it. */
  readonly note?: string
  /** The operator that ends it. */
  readonly by?: string
  /** How the device is to be cleaned; as usual without it. */
  readonly cleanup?: CleanupLevel
}

export interface Ending {
  readonly lease: Lease
  /** What becomes of the device. */
  readonly cleanup: Promise<Cleanup>
}

export interface Lane {
  readonly deviceId: string
  /** The same object as long as the device has the same driver. */
  readonly description: DeviceDescription
  /** Writes down what it changes; undefined while the device cannot be reached. */
  readonly driver: DeviceDriver | undefined
  readonly mailbox: Mailbox
  /** What is recorded of the device, with the lease that has not left it behind yet. */
  readonly record: Occupancy
  readonly liveLease: Lease | undefined
  readonly running: RunningWork
  /** The state in which it is shown. */
  readonly shownState: ShownState
  /** What the queue knows of it. */
  readonly availability: DeviceAvailability
  /** Whether it is about to leave the pool. */
  readonly isLeaving: boolean
  /** Whether it can leave now. */
  readonly isEmpty: boolean

  /** Makes one change, in turn. @returns undefined: it did not fit */
  change (event: LeaseEvent): Promise<Occupancy | undefined>
  /** The steps of one change, for a change to several devices at once: its caller holds the turns of all of them. */
  readonly steps: ChangeSteps

  /** Ends a lease. @returns undefined: it was over, or it was to end by time and is not due */
  end (lease: Lease, reason: EndReason, how?: EndTerms): Promise<Ending | undefined>
  /** Moves the expiry of a lease. @returns undefined: it was over */
  extend (lease: Lease, how: Pick<ExtendEvent, 'by' | 'durable' | 'ttlMs' | 'byAcquirer'>): Promise<Lease | undefined>
  /** Records that the holder of a lease knows of it, where nothing else records that. @returns false: it was over */
  confirm (lease: Lease): Promise<boolean>
  /** A sign of the holder of a lease. */
  hear (handle: string): void
  /** The lease that awaited its holder after a restart goes on: the holder has been heard of. */
  resume (lease: Lease): Promise<void>
  /** Ends or resumes the lease if that is due, and sets the timer. */
  review (): Promise<void>

  /** Whether the device answered the last look. */
  readonly isPresent: boolean
  /** Whether it did, in the boot that the lease is for. */
  isThere (lease: Lease): boolean
  /** Looks at the device. */
  probe (): Promise<Sighting>
  /** Looks at the device, and ends its lease if the look shows that it has to end. Returns after that. */
  look (): Promise<Sighting>
  /** When it is worth asking again for the absent device of a lease: something is found out or decided by then. */
  retryAfterMs (lease: Lease): number

  /** Cleans a device that is dirty, now instead of later. Resolves however that goes. */
  clean (): Promise<void>
  /** What becomes or became of the cleanup after a lease; undefined when this process knows of none. */
  cleanupAfter (lease: Lease): Promise<Cleanup> | undefined

  // `connect`, `disconnect`, `leave` and `left` are called in the turn of the device.
  /** The device is reached through this driver from now on. One that was about to leave stays. */
  connect (driver: FencedDriver): Promise<void>
  /** The device cannot be reached any more. */
  disconnect (reason: string): void
  /** The device is to leave the pool, and is drained for that. Whether its lease ends now is for a review to see. */
  leave (removal: Removal): Promise<void>
  /** Records that the device has left the pool. The drain that `leave` has laid goes with it. */
  left (): Promise<void>

  /** Does nothing by itself any more, and closes the driver. */
  stop (): Promise<void>
}

export interface LaneParts {
  readonly context: LeaseContext
  readonly store: LeaseStore
  readonly ledger: ChangeLedger
  readonly settings: LeaseSettings
  readonly shown: ShownTimes
  /** Whether a request waits that could be granted this device if it had no lease. */
  readonly isWanted: (deviceId: string) => boolean
  /** Told of each change, once the lane has taken it over; must not throw. */
  readonly tell: (change: PoolChange) => void
  /** A device that is to leave the pool has nothing left to do in it. */
  readonly onEmpty: (lane: Lane) => void
}

export function createLane (
  { description: firstDescription, occupancy, mailbox }: {
    readonly description: DeviceDescription
    readonly occupancy: Occupancy
    readonly mailbox: Mailbox
  },
  { context, store, ledger, settings, shown, isWanted, tell, onEmpty }: LaneParts
): Lane {
  const { nowMs, scheduler, log, inBackground } = context
  const deviceId = occupancy.device.id
  const sinceMs = nowMs()
  const awaitedUntilMs = sinceMs + settings.awaitOwnerMs
  const record = createRecord({ context, store, mailbox, occupancy, onChange: recordChanged, announce })
  const running = createRunningWork(() => watch.setTimer())
  const presence = createPresence({
    context,
    deviceId,
    limitMs: settings.probeTimeoutMs,
    onChange: () => tell({ deviceId, ended: undefined }),
    onLook: () => watch.reviewInBackground()
  })
  const cleaning = createCleaning({
    context,
    ledger,
    deviceId,
    driver: () => presence.driver,
    change: record.change,
    usualLevel: usualCleanup(settings.lowestCleanup),
    limitMs: settings.cleanupTimeoutMs
  })
  const watch = createLeaseWatch({
    context,
    deviceId,
    facts,
    end: (lease, reason, why) => lane.end(lease, reason, why),
    resume,
    suspect: () => { heard.isSuspect = true },
    look: lookInBackground
  })
  const stopLooking = scheduler.every(settings.watchEveryMs, lookAround)

  let description = firstDescription
  let driver: DeviceDriver | undefined
  /** The last sign of the holder, and whether it is known to be silent since. */
  let heard = { atMs: nowMs(), isSuspect: false }
  let removal: Removal & { readonly hold: Hold } | undefined
  let stopped = false

  /** Everything that follows from a change of the record, in the same instant. */
  function recordChanged ({ before, ended, level }: RecordChange) {
    const { liveLease: lease, occupancy: { device } } = record
    presence.driver?.raiseFence(device.fence)
    if (before !== undefined && ended?.end !== undefined) running.abort(before.handle, shown.refusal(ended))
    if (lease !== undefined && lease.handle !== before?.handle) heard = { atMs: nowMs(), isSuspect: false }
    if (device.state === 'cleaning' && !cleaning.isUnderWay && cleaning.nextTryAtMs === undefined) cleanInBackground(level)
    watch.setTimer()
    if (lane.isEmpty) onEmpty(lane)
  }

  function announce (change: PoolChange) {
    tell(change)
    // A device that was just cleaned has answered: it need not stay offline until the next look.
    if (record.occupancy.device.state === 'free' && presence.absence !== undefined) lookInBackground()
  }

  function facts (): LeaseFacts | undefined {
    const { liveLease: lease, occupancy: { device } } = record
    if (lease === undefined) return undefined
    const { absence, lastBootId, isLookedAt } = presence
    return {
      device,
      lease,
      vetoUntilMs: running.vetoUntilMs(lease.handle),
      unusedAtMs: unusedAtMs(lease),
      heardAtMs: heard.atMs,
      isSuspect: heard.isSuspect,
      awaySinceMs: absence?.awaySinceMs,
      awaySeenAtMs: absence?.foundAtMs ?? 0,
      isLookedAt,
      lastBootId,
      windowMs: windowMs(lease),
      awaitedUntilMs,
      eviction: removal?.lease === 'ends' ? removal : undefined
    }
  }

  /** The time before this process was there is not counted: no call could use the lease then. */
  function unusedAtMs ({ isUsed, isConfirmed, grantedAtMs }: Lease): number {
    if (isUsed || isConfirmed) return Number.POSITIVE_INFINITY
    const atMs = Math.max(grantedAtMs, sinceMs) + settings.firstUseMs
    return atMs > nowMs() || isWanted(deviceId) ? atMs : Number.POSITIVE_INFINITY
  }

  /** How long the device of a lease may be away. */
  function windowMs ({ state }: Lease): number {
    return state === 'awaiting_owner' ? settings.awaitOwnerMs : settings.recoveryMs
  }

  async function resume ({ handle, fence }: Lease) {
    await record.change({ type: 'resume', deviceId, handle, fence, nowMs: nowMs() })
  }

  function lookInBackground () {
    if (!stopped && presence.driver !== undefined) inBackground(presence.look(), 'look at device broke off', { device: deviceId })
  }

  /** A leased device is looked at in any case, a free one only while it is there: its absence has looks of its own. */
  function lookAround () {
    if (record.liveLease !== undefined || (record.occupancy.device.state === 'free' && presence.absence === undefined)) lookInBackground()
  }

  function cleanInBackground (level?: CleanupLevel) {
    if (!stopped) inBackground(cleaning.start(record.occupancy.device, level), 'cleanup broke off', { device: deviceId })
  }

  /** Nothing gets through to the device by a former driver any more, neither from work that holds it nor from a cleanup. */
  function retire (former: FencedDriver | undefined) {
    if (former === undefined) return
    former.raiseFence(Number.MAX_SAFE_INTEGER)
    cleaning.interrupt()
    running.abortAll(new DeviceOfflineRefusal(deviceId, { retryAfterMs: soonestRetryMs }))
    inBackground(former.close(), 'driver could not be closed', { device: deviceId })
  }

  /** Whether the drain that `leave` has laid is still the one on the device. */
  function isDrainedToLeave (): boolean {
    const drain = holdOf(record.occupancy.device, 'drain')
    return removal !== undefined && drain?.atMs === removal.hold.atMs && drain.by === removal.by
  }

  /** A device that was about to leave does not leave. */
  async function stay () {
    if (removal !== undefined && isDrainedToLeave()) {
      await record.changeNow({ type: 'unhold', deviceId, kind: 'drain', by: removal.by, nowMs: nowMs() })
    }
    if (stopped) throw new Error('the pool has stopped')
    removal = undefined
  }

  const lane: Lane = {
    deviceId,
    get description () { return description },
    get driver () { return driver },
    mailbox,
    get record () { return record.occupancy },
    get liveLease () { return record.liveLease },
    running,
    get shownState () {
      return shownState(record.occupancy, {
        absence: presence.absence,
        unrecordedFailure: cleaning.unrecordedFailure,
        leavingBecause: removal?.reason,
        recoveryMs: settings.recoveryMs,
        nowMs: nowMs()
      })
    },
    get availability () {
      const { lastUsedAtMs, failures, holds: [hold] } = record.occupancy.device
      const { state, expectedAtMs } = lane.shownState
      return {
        description,
        canBeGranted: state === 'free',
        expectedAtMs,
        lastUsedAtMs,
        failures,
        state,
        hold,
        nextTryAtMs: cleaning.nextTryAtMs,
        holder: record.liveLease?.holder.principal,
        isLeaving: removal !== undefined
      }
    },
    get isLeaving () { return removal !== undefined },
    get isEmpty () { return removal !== undefined && record.liveLease === undefined && record.occupancy.device.state !== 'cleaning' },

    change: (event) => record.change(event),
    steps: record.steps,

    async end ({ handle, fence }, reason, { cleanup: level, ...why } = {}) {
      const ended = await record.change({ type: 'end', deviceId, handle, fence, reason, ...why, nowMs: nowMs() }, level)
      if (ended?.lease?.end === undefined) return undefined
      const { device, lease } = ended
      log.info({ lease: shownHandle(handle), device: deviceId, reason }, 'lease ended')
      // A lease under which nothing was done leaves nothing to clean.
      return { lease, cleanup: cleaning.of(device.fence) ?? Promise.resolve({ cleaned: [], failed: [], lease }) }
    },

    async extend ({ handle, fence }, how) {
      const isVetoed = running.vetoUntilMs(handle) > nowMs()
      const extended = await record.change({ type: 'extend', deviceId, handle, fence, nowMs: nowMs(), isVetoed, ...how })
      lane.hear(handle)
      return extended?.lease
    },

    async confirm ({ isConfirmed, handle, fence }) {
      return isConfirmed || await record.change({ type: 'confirm', deviceId, handle, fence, nowMs: nowMs() }) !== undefined
    },

    hear (handle) {
      if (record.liveLease?.handle !== handle) return
      const wasSuspect = heard.isSuspect
      heard = { atMs: nowMs(), isSuspect: false }
      if (wasSuspect) watch.setTimer()
    },

    resume,
    review: watch.review,

    get isPresent () { return presence.absence === undefined },
    isThere: (lease) => presence.absence === undefined && !isOtherBoot({ lease, lastBootId: presence.lastBootId }),
    probe: presence.look,

    async look () {
      const sighting = await presence.look()
      await watch.review()
      return sighting
    },

    retryAfterMs (lease) {
      const { awaySinceMs = nowMs(), nextLookAtMs = Number.POSITIVE_INFINITY } = presence.absence ?? { nextLookAtMs: nowMs() }
      const leftMs = awaySinceMs + windowMs(lease) - nowMs()
      return Math.max(soonestRetryMs, Math.min(nextLookAtMs - nowMs(), settings.watchEveryMs, leftMs))
    },

    async clean () {
      const { device } = record.occupancy
      if (!stopped && (device.state === 'cleaning' || device.state === 'quarantined')) await cleaning.start(device)
    },

    cleanupAfter: ({ fence }) => cleaning.of(fence + 1),

    async connect (fenced) {
      await stay()
      fenced.raiseFence(record.occupancy.device.fence)
      driver = recordingDriver(fenced, ledger)
      description = fenced.description
      retire(presence.connect(fenced))
      // It can be granted again, and a grant that was under way has failed with the former driver.
      if (presence.absence === undefined) tell({ deviceId, ended: undefined })
    },

    disconnect (reason) {
      driver = undefined
      retire(presence.disconnect(reason))
      watch.reviewInBackground()
    },

    async leave (order) {
      const { reason, by } = order
      const hold: Hold = { kind: 'drain', reason, by, atMs: nowMs() }
      const before = removal
      removal = { ...order, hold }
      try {
        await record.changeNow({ type: 'hold', deviceId, hold, nowMs: nowMs() })
      } catch (fault) {
        removal = before
        throw fault
      }
    },

    async left () {
      if (removal === undefined) return
      const { by, reason } = removal
      await record.changeNow({ type: 'remove', deviceId, by, reason, liftsDrain: isDrainedToLeave(), nowMs: nowMs() })
    },

    async stop () {
      stopped = true
      stopLooking()
      record.stop()
      watch.stop()
      presence.stop()
      running.abortAll(new CancelledRefusal('shutting_down'))
      await cleaning.stop()
      await mailbox.last?.catch(() => {})
      await presence.driver?.close()
    }
  }
  return lane
}
