import type { AuditEntry } from './contract/audit.ts'
import type { Lease } from './contract/lease.ts'
import type { PooledDevice, WaitingRequest } from './contract/lease-manager.ts'
import type { SteadyTime } from './steady-time.ts'

/** Leases, devices, requests and entries with their instants as the wall clock has them now: for whoever is not of this room. */
export interface ShownTimes {
  lease (lease: Lease): Lease
  device (device: PooledDevice): PooledDevice
  request (request: WaitingRequest): WaitingRequest
  entry (entry: AuditEntry): AuditEntry
}

export function createShownTimes ({ shownMs }: Pick<SteadyTime, 'shownMs'>): ShownTimes {
  function lease (steady: Lease): Lease {
    if (shownMs(0) === 0) return steady
    const { grantedAtMs, expiresAtMs, mustEndAtMs, lastControlAtMs, end } = steady
    return {
      ...steady,
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
    entry: (entry) => ({ ...entry, atMs: shownMs(entry.atMs) })
  }
}
