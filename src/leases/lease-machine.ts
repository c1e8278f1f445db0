/**
 * The state machine of leases and of the devices they are for.
 *
 * A device, as it is recorded:
 *
 *   free         clean, and nobody's. A grant makes it leased.
 *   leased       has one granted lease. The end of that lease makes it cleaning; a grant that
 *                its caller never learned of is withdrawn and leaves it free again.
 *   cleaning     is being put back to its home state after a lease that is releasing. Success
 *                makes it free, failure quarantined; either way the lease has ended.
 *   quarantined  could not be put back. Nobody gets it until a later try succeeds.
 *
 * (Offline is what the running process sees of a free device that does not answer; it is not
 * recorded, because after a restart somebody has to look again anyway.)
 *
 * A lease goes `granted`, `releasing`, `ended` (`lease.ts`), never back. While it is granted,
 * use and renewal move its expiry. After that nothing about it changes but the state.
 *
 * Fencing: a grant takes the device's next token, and so does the end of a lease; cleanup runs
 * with the latter. A command of the former holder that wakes up late carries a lower token from
 * the moment its lease ended, not only from the next grant.
 *
 * Every event names what it relies on: the handle and fence of a granted lease, or the fence a
 * cleanup ran with. An event that finds something else changes nothing. It came too late.
 *
 * Invariant: a device has at most one lease that has not ended.
 */
import type { EndReason, Holder, Lease } from './lease.ts'

export const recordedDeviceStates = ['free', 'leased', 'cleaning', 'quarantined'] as const

/** What is recorded about a device, whether or not a driver for it is present. */
export interface DeviceRecord {
  readonly id: string
  readonly state: (typeof recordedDeviceStates)[number]
  /** The highest fencing token given out for it. */
  readonly fence: number
  /** Why it is quarantined. */
  readonly reason: string | undefined
  /** When its last lease ended, in epoch milliseconds; 0 when it never had one. */
  readonly lastUsedAtMs: number
}

/** A device with the lease that has not left it behind yet. */
export interface Occupancy {
  readonly device: DeviceRecord
  readonly lease: Lease | undefined
}

interface LeaseReference {
  readonly deviceId: string
  readonly handle: string
  readonly fence: number
}

interface CleanupReference {
  readonly deviceId: string
  /** The token the cleanup ran with. */
  readonly fence: number
}

export type LeaseEvent =
  /** Gives a free device to a holder. */
  | {
    readonly type: 'grant'
    readonly deviceId: string
    readonly handle: string
    readonly bootId: string
    readonly holder: Holder
    readonly purpose: string | undefined
    readonly ttlMs: number
    readonly nowMs: number
  }
  /** Unmakes a grant nobody has learned of, and nobody can have used. */
  | LeaseReference & { readonly type: 'withdraw' }
  /** Moves the expiry to one full ttl from `nowMs`. */
  | LeaseReference & {
    readonly type: 'extend'
    readonly nowMs: number
    /** A new ttl; without it the lease keeps its own. */
    readonly ttlMs?: number
    /** Whether work runs under the lease, which keeps it from expiring. */
    readonly inUse: boolean
    /**
     * False when a power cut may forget the move: the lease then ends sooner, which harms
     * nobody else. The death of the process never forgets it.
     */
    readonly durable: boolean
  }
  /** Ends a lease for its holder; `expired` only if it is due by `nowMs`. */
  | LeaseReference & { readonly type: 'end', readonly reason: EndReason, readonly nowMs: number }
  /** The device is back in its home state. */
  | CleanupReference & { readonly type: 'settle' }
  /** The device could not be put back to its home state. */
  | CleanupReference & { readonly type: 'quarantine', readonly reason: string }

/** The only function that changes the state of a lease or a device. Undefined: not in this state. */
export function advance ({ device, lease }: Occupancy, event: LeaseEvent): Occupancy | undefined {
  switch (event.type) {
    case 'grant': {
      if (device.state !== 'free') return undefined
      const { handle, bootId, holder, purpose, ttlMs, nowMs } = event
      const fence = device.fence + 1
      return {
        device: { ...device, state: 'leased', fence },
        lease: {
          handle,
          deviceId: device.id,
          bootId,
          fence,
          holder,
          state: 'granted',
          purpose,
          grantedAtMs: nowMs,
          ttlMs,
          expiresAtMs: nowMs + ttlMs,
          end: undefined
        }
      }
    }
    case 'withdraw':
      if (!isGranted(lease, event)) return undefined
      return { device: { ...device, state: 'free' }, lease: undefined }
    case 'extend': {
      if (!isGranted(lease, event)) return undefined
      if (lease.expiresAtMs <= event.nowMs && !event.inUse) return undefined
      const ttlMs = event.ttlMs ?? lease.ttlMs
      return { device, lease: { ...lease, ttlMs, expiresAtMs: event.nowMs + ttlMs } }
    }
    case 'end': {
      if (!isGranted(lease, event)) return undefined
      const { reason, nowMs } = event
      if (reason === 'expired' && lease.expiresAtMs > nowMs) return undefined
      return {
        device: { ...device, state: 'cleaning', fence: device.fence + 1, lastUsedAtMs: nowMs },
        // Found out late or not, an expired lease was over at the instant it promised.
        lease: { ...lease, state: 'releasing', end: { reason, atMs: reason === 'expired' ? lease.expiresAtMs : nowMs } }
      }
    }
    case 'settle':
      if (!awaitsCleanup(device, event)) return undefined
      return { device: { ...device, state: 'free', reason: undefined }, lease: leftBehind(lease) }
    case 'quarantine':
      if (!awaitsCleanup(device, event)) return undefined
      return { device: { ...device, state: 'quarantined', reason: event.reason }, lease: leftBehind(lease) }
  }
}

function isGranted (lease: Lease | undefined, { handle, fence }: LeaseReference): lease is Lease {
  return lease !== undefined && lease.state === 'granted' && lease.handle === handle && lease.fence === fence
}

function awaitsCleanup (device: DeviceRecord, { fence }: CleanupReference): boolean {
  return (device.state === 'cleaning' || device.state === 'quarantined') && device.fence === fence
}

function leftBehind (lease: Lease | undefined): Lease | undefined {
  return lease === undefined ? undefined : { ...lease, state: 'ended' }
}
