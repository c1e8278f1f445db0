import type { AuditEntry } from './contract/audit.ts'
import type { Lease } from './contract/lease.ts'
import type { PooledDevice, WaitingRequest } from './contract/lease-manager.ts'
import { LeaseEndedRefusal } from './contract/lease-refusals.ts'
import type { LeaseTime } from './lease-time.ts'

/** Leases, devices, requests and entries with their instants as the wall clock has them now: for everything outside of this room. */
export interface ShownTimes {
  lease (lease: Lease): Lease
  device (device: PooledDevice): PooledDevice
  request (request: WaitingRequest): WaitingRequest
  entry (entry: AuditEntry): AuditEntry
  /** The refusal of a lease that is over. */
  refusal (lease: Lease, nextAction?: string): LeaseEndedRefusal
}

export function createShownTimes ({ shownMs }: Pick<LeaseTime, 'shownMs'>): ShownTimes {
  function lease (counted: Lease): Lease {
    if (shownMs(0) === 0) return counted
    const { grantedAtMs, expiresAtMs, mustEndAtMs, lastControlAtMs, end } = counted
    return {
      ...counted,
      grantedAtMs: shownMs(grantedAtMs),
      expiresAtMs: shownMs(expiresAtMs),
      mustEndAtMs: shownMs(mustEndAtMs),
      lastControlAtMs: shownMs(lastControlAtMs),
      end: end && { ...end, atMs: shownMs(end.atMs) }
    }
  }

  return {
    lease,

    device ({ holds, ...device }) {
      return {
        ...device,
        holds: holds.map((hold) => ({
          ...hold,
          atMs: shownMs(hold.atMs),
          ...(hold.deadlineAtMs === undefined ? {} : { deadlineAtMs: shownMs(hold.deadlineAtMs) })
        })),
        lease: device.lease && lease(device.lease)
      }
    },

    request: (request) => ({ ...request, sinceMs: shownMs(request.sinceMs) }),
    entry: (entry) => ({ ...entry, atMs: shownMs(entry.atMs) }),

    refusal (over, nextAction) {
      const { deviceId, end } = lease(over)
      if (end === undefined) throw new Error('the lease has not ended')
      return new LeaseEndedRefusal(deviceId, end, nextAction)
    }
  }
}
