import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { CleanupLevel } from './cleanup/cleanup-level.ts'
import type { Cleanup, DeviceCleaner } from './device-cleaner.ts'
import { isLive, type EndReason, type Lease } from './contract/lease.ts'
import { dueAtMs, whyDue } from './contract/lease-machine.ts'
import type { LeaseClaim } from './contract/lease-manager.ts'
import { LeaseEndedRefusal, UnknownLeaseRefusal } from './contract/lease-refusals.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { shownHandle, type Log } from './log.ts'
import type { RunningWork } from './running-work.ts'
import type { ShownTimes } from './shown-times.ts'

export interface Ending {
  readonly lease: Lease
  /** What becomes of the device. */
  readonly cleanup: Promise<Cleanup>
}

/** Looking leases up, and ending them: whoever finds a lease over has ended it by then. */
export interface LeaseBook {
  /** Whether its time is over and no call holds that off. */
  isOver (lease: Lease): boolean
  /** @returns undefined: it was over, or its time is not over yet */
  end (lease: Lease, reason: EndReason, how?: { readonly note?: string, readonly by?: string, readonly cleanup?: CleanupLevel }): Promise<Ending | undefined>
  /** Ends a lease whose time is over. */
  endDue (lease: Lease): Promise<Ending | undefined>
  /** @throws {UnknownLeaseRefusal} not there, or not this holder's */
  leaseOf (claim: LeaseClaim): Promise<Lease>
  /** @throws {UnknownLeaseRefusal | LeaseEndedRefusal} */
  liveLeaseOf (claim: LeaseClaim): Promise<Lease>
  /**
   * Records that its holder knows of a lease, where the claim itself does not.
   *
   * @returns false when it has ended meanwhile
   */
  confirm (lease: Lease): Promise<boolean>
  /**
   * Checks what else a claim asks for. One that is refused for it shows all the same that its
   * holder knows of the lease.
   */
  checked<T> (claim: LeaseClaim, check: () => T): Promise<T>
  /** A lease found by other means, ended if its time is over. */
  settled (lease: Lease): Promise<Lease>
  refusalOf (lease: Lease, nextAction?: string): LeaseEndedRefusal
}

export function createLeaseBook ({ store, drivers, running, cleaner, shown, nowMs, isAway, noteDevice, log }: {
  readonly store: LeaseStore
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly running: RunningWork
  readonly cleaner: DeviceCleaner
  readonly shown: ShownTimes
  readonly nowMs: () => number
  /** Whether a device is known not to answer. */
  readonly isAway: (deviceId: string) => boolean
  /** Told the device of each lease that a holder names. */
  readonly noteDevice: (deviceId: string) => void
  readonly log: Log
}): LeaseBook {
  const isOver: LeaseBook['isOver'] = (lease) => {
    return isLive(lease) && Math.max(dueAtMs(lease), running.vetoUntilMs(lease.handle) ?? 0) <= nowMs()
  }

  const end: LeaseBook['end'] = async ({ deviceId, handle, fence }, reason, { cleanup, ...why } = {}) => {
    const ended = await store.change({ type: 'end', deviceId, handle, fence, reason, ...why, nowMs: nowMs() })
    if (ended?.lease?.end === undefined) return undefined
    const { device, lease } = ended
    drivers.get(deviceId)?.raiseFence(device.fence)
    running.abort(handle, refusalOf(lease))
    log.info({ lease: shownHandle(handle), device: deviceId, reason }, 'lease ended')
    // A lease that ended without anything to clean has never been used.
    const nothing = { cleaned: [], failed: [], lease }
    return { lease, cleanup: device.state === 'cleaning' ? cleaner.clean(device, cleanup) : Promise.resolve(nothing) }
  }

  const endDue: LeaseBook['endDue'] = async (lease) => {
    const due = whyDue(lease, nowMs())
    if (due === undefined) return undefined
    // Its owner cannot be blamed: there was no device to come back to.
    const isLost = due.reason === 'owner_lost' && isAway(lease.deviceId)
    return await end(lease, isLost ? 'device_lost' : due.reason)
  }

  const settled: LeaseBook['settled'] = async (lease) => {
    if (!isOver(lease)) return lease
    const ended = await endDue(lease)
    if (ended !== undefined) return ended.lease
    const found = await store.lease(lease.handle)
    if (found === undefined) throw new UnknownLeaseRefusal()
    return await settled(found)
  }

  const leaseOf: LeaseBook['leaseOf'] = async ({ handle, holder }) => {
    const lease = await store.lease(handle)
    if (lease === undefined || lease.holder.principal !== holder.principal) throw new UnknownLeaseRefusal()
    noteDevice(lease.deviceId)
    return await settled(lease)
  }

  const confirm: LeaseBook['confirm'] = async ({ isConfirmed, deviceId, handle, fence }) => {
    return isConfirmed || await store.change({ type: 'confirm', deviceId, handle, fence, nowMs: nowMs() }) !== undefined
  }

  function refusalOf (lease: Lease, nextAction?: string): LeaseEndedRefusal {
    const { deviceId, end } = shown.lease(lease)
    if (end === undefined) throw new Error('the lease has not ended')
    return new LeaseEndedRefusal(deviceId, end, nextAction)
  }

  return {
    isOver,
    end,
    endDue,
    leaseOf,

    confirm,

    async checked (claim, check) {
      try {
        return check()
      } catch (refusal) {
        const lease = await store.lease(claim.handle)
        if (lease?.holder.principal === claim.holder.principal) await confirm(lease)
        throw refusal
      }
    },

    settled,
    refusalOf,

    async liveLeaseOf (claim) {
      const lease = await leaseOf(claim)
      if (lease.end !== undefined) throw refusalOf(lease)
      return lease
    }
  }
}
