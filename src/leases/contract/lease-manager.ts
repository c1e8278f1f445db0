import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { DeviceKind, DeviceDescription, Platform } from '../../devices/device-types.ts'
import type { AuditEntry } from './audit.ts'
import type { CleanupLevel } from '../cleanup/cleanup-level.ts'
import type { EndReason, Holder, Lease, Priority } from './lease.ts'
import { recordedDeviceStates, type Hold } from './lease-machine.ts'

/** Which device a caller wants; every given member must match. */
export interface DeviceSelector {
  readonly device?: string
  readonly platform?: Platform
  readonly kind?: DeviceKind
  /** Glob, letter case aside. */
  readonly model?: string
  /** Range of dotted numbers: `15`, `>=14`, `>=14 <16`, `17.x`. */
  readonly os?: string
  /** All of these. */
  readonly labels?: readonly string[]
  /** None of these. */
  readonly withoutLabels?: readonly string[]
}

export const deviceStates = [...recordedDeviceStates, 'draining', 'blocked', 'offline', 'gone'] as const
/** The one state in which a device is shown; `device/device-state.ts` says which goes before which. */
export type DeviceState = (typeof deviceStates)[number]

/** A device of the pool as operators and `listDevices` see it. */
export interface PooledDevice {
  readonly description: DeviceDescription
  readonly state: DeviceState
  /** Why it is quarantined, offline, gone or held. */
  readonly reason: string | undefined
  /** What operators have laid on it, a block before a drain: no grants until all are lifted. */
  readonly holds: readonly Hold[]
  /** How often in a row it could not be put back. */
  readonly failures: number
  /** The lease that holds it or is being cleaned up after. */
  readonly lease: Lease | undefined
}

/**
 * A device is in another state or held otherwise, or has another lease or one in another state. That
 * a lease lasts longer now, or that its holder is known to have learned of it, is no change.
 */
export interface PoolChange {
  readonly deviceId: string
  /** The lease that is over, at the moment it is. */
  readonly ended: Lease | undefined
}

/** What work done under a lease gets to act with. */
export interface LeaseUse {
  readonly lease: Lease
  /** Writes down what it changes, so that the release can undo it. */
  readonly driver: DeviceDriver
  /** Aborts when the caller's own signal does, or when the lease ends. */
  readonly signal: AbortSignal
}

export interface ReleaseResult {
  readonly lease: Lease
  /** What was put back, in short phrases. */
  readonly cleaned: readonly string[]
  /** What could not be, with the reason; the device is quarantined then. */
  readonly failed: readonly string[]
  /** False when the lease had been released before: releasing twice is no error. */
  readonly releasedNow: boolean
}

/** Where a request is in the queue. */
export interface QueuePosition {
  /** From 1, among the requests that compete for the same devices. */
  readonly position: number
  /** How long it may still take; undefined when that cannot be known. */
  readonly estimateMs: number | undefined
  /** What keeps it waiting beside the requests in front: a hold of an operator, the limit of its holder. */
  readonly note?: string
}

export interface AcquireTerms {
  readonly holder: Holder
  readonly ttlMs?: number
  readonly purpose?: string
  /** How long to wait in the queue, at most 3,600,000; 0 or absent: at once or not at all. */
  readonly waitMs?: number
  readonly priority?: Priority
  /** A promise to beat at least this often, 2,000 to 60,000; the lease ends when it is broken. */
  readonly heartbeatMs?: number
  /** Hash of the caller's session key; the lease is bound to it when no live one is. */
  readonly sessionKey?: string
  /** Fires when the caller is gone: its request leaves the queue at once, and a grant that it never learns of is undone. */
  readonly signal: AbortSignal
  /** Called on joining the queue, and when the position has changed or the estimate has moved by seconds; must not throw. */
  readonly onWaiting?: (position: QueuePosition) => void
}

/** A request in the queue, as operators see it. */
export interface WaitingRequest {
  readonly id: string
  readonly principal: string
  readonly priority: Priority
  readonly wanted: readonly DeviceSelector[]
  readonly purpose: string | undefined
  readonly sinceMs: number
  readonly position: number
  readonly estimateMs: number | undefined
}

/** `control` acts on the device or may; `look` only looks, and does not keep the lease from idling. */
export type UseKind = 'control' | 'look'

/** A lease, and the holder that names it. */
export interface LeaseClaim {
  readonly handle: string
  readonly holder: Holder
  /** Hashed; the session key of the call, if it has one. A lease that is bound to another one is not for this call. */
  readonly sessionKey?: string | undefined
}

export interface LeaseManager {
  /**
   * Grants a free device that matches, least recently used first; or waits for one in the queue.
   *
   * @throws {UnknownDeviceRefusal} no device of the pool can ever match
   * @throws {TooManyDevicesRefusal} the pool has fewer devices of that sort than are wanted at once
   * @throws {DevicesOnHoldRefusal} an operator holds what is wanted, and the request does not wait
   * @throws {CapacityExhaustedRefusal} all that match are taken, and the request does not wait
   * @throws {CleanupInProgressRefusal} the same, and only cleanup stands in between
   * @throws {WaitTimedOutRefusal} none became free in time
   * @throws {QueueFullRefusal} too many wait already
   * @throws {RequestRemovedRefusal} an operator has taken it out of the queue
   * @throws {LeaseLimitReachedRefusal} the holder would have more leases than it may, and the request does not wait or can never fit
   * @throws {PriorityNotAllowedRefusal} the priority is above what callers may ask for
   * @throws {CancelledRefusal} the caller is gone
   */
  acquire (request: AcquireTerms & { readonly selector: DeviceSelector }): Promise<Lease>

  /** As `acquire`, for several devices under labels: all of them at one instant, or none. */
  acquireAll (
    request: AcquireTerms & { readonly wanted: Readonly<Record<string, DeviceSelector>> }
  ): Promise<Readonly<Record<string, Lease>>>

  /**
   * Extends a live lease to one full ttl from now, as far as its length allows.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {OtherSessionKeyRefusal} bound to another session key than the call's
   * @throws {LeaseEndedRefusal} over, with the reason
   */
  renew (request: LeaseClaim & { readonly ttlMs?: number }): Promise<Lease>

  /**
   * Ends the lease and returns once the device is clean, or quarantined. A lease with a session key
   * that is released without that key ends as `released_by_other`: the agent with the key may be in
   * the middle of its work.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {OtherSessionKeyRefusal} bound to another session key than the call's
   * @throws {LeaseEndedRefusal} ended by something else than its holder
   * @throws {CleanupNotAllowedRefusal} less cleanup than the operator allows
   */
  release (request: LeaseClaim & { readonly cleanup?: CleanupLevel }): Promise<ReleaseResult>

  /**
   * Takes back a lease whose holder has not learned of it: the answer of the call that acquired it
   * did not arrive. One that is confirmed, or over, stays as it is. Returns once the device is clean.
   */
  undo (request: LeaseClaim): Promise<void>

  /**
   * Runs `work` under a lease. The lease moves to a full ttl from now and does not end by time
   * while `work` runs, for `limitMs` and for `leases.longestVetoMs` at most. `byAcquirer`: the call
   * that acquired the lease uses it, which does not show that its holder knows of it.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {OtherSessionKeyRefusal} bound to another session key than the call's
   * @throws {LeaseEndedRefusal} over, with the reason
   * @throws {DeviceOfflineRefusal} the device does not answer; the lease waits for it
   */
  use<T> (
    request: LeaseClaim & {
      readonly signal: AbortSignal
      readonly kind: UseKind
      readonly limitMs?: number
      readonly byAcquirer?: boolean
    },
    work: (use: LeaseUse) => Promise<T>
  ): Promise<T>

  /** The live lease bound to a session key, for this holder. */
  boundTo (request: { readonly sessionKey: string, readonly holder: Holder }): Promise<Lease | undefined>

  /** The lease that was bound to a session key last, for this holder: live, or over and why, as long as that is remembered. */
  lastBoundTo (request: { readonly sessionKey: string, readonly holder: Holder }): Promise<Lease | undefined>

  /** A sign of life of the holder. It keeps a lease from being given up, not from being over. */
  heartbeat (request: {
    readonly handle?: string
    readonly sessionKey?: string
    readonly holder: Holder
  }): Promise<'ok' | { readonly ended: EndReason } | 'unknown'>

  /** The live leases of a holder, or of all. */
  list (holder?: Holder): Promise<readonly Lease[]>

  /** Whether the lease's time is over and only a running call keeps it. */
  isExpiring (lease: Lease): boolean

  /** A holder's requests in the queue, or those of all holders, in the order in which they would be served now. */
  waiting (holder?: Holder): readonly WaitingRequest[]

  /** The whole pool, ordered by device id. */
  devices (): Promise<readonly PooledDevice[]>

  /** Whether a device is part of the pool, whatever its state. */
  hasDevice (deviceId: string): boolean

  /** Whether the holder's lease goes on. Asking is a claim, but no use: its expiry stays. */
  isHolding (request: LeaseClaim): Promise<boolean>

  /** Ids of the apps that phones of the pool have in their home state; one that does not answer is left out. */
  homeApps (signal: AbortSignal): Promise<readonly string[]>

  /** What operators do to devices and to other people's leases. */
  readonly operations: PoolOperations

  /** Settles what an earlier process left behind; nothing is granted before it returns. */
  start (): Promise<void>

  /** Stops granting and sweeping, aborts what runs under leases, and refuses the requests that wait. Leases stay as they are. */
  stop (): Promise<void>
}

/** `by` is the operator's principal. What is done to devices and leases is audited with it. */
export interface PoolOperations {
  /**
   * Forbids new leases on a device, or on all; those it has go on, until the deadline at most.
   * A block stands beside it.
   *
   * @returns the devices that drain now
   * @throws {DeviceUnknownRefusal}
   */
  drain (request: {
    readonly device?: string
    readonly reason: string
    /** Milliseconds from now until what is still leased is revoked. */
    readonly deadlineMs?: number
    readonly by: string
  }): Promise<readonly string[]>

  /** @returns the devices that do not drain any more */
  undrain (request: { readonly device?: string, readonly by: string }): Promise<readonly string[]>

  /** Forbids new leases on a device and touches none. A drain stands beside it. */
  block (request: { readonly device: string, readonly reason: string, readonly by: string }): Promise<void>

  /** Never touches a lease, and leaves a drain. */
  unblock (request: { readonly device: string, readonly by: string }): Promise<void>

  /**
   * Ends the lease of any holder.
   *
   * @throws {UnknownLeaseRefusal}
   * @throws {LeaseEndedRefusal}
   */
  revoke (request: { readonly handle: string, readonly reason: string, readonly by: string }): Promise<Lease>

  /**
   * Takes a request out of the queue and refuses it with the reason. A grant that is under way for
   * it is taken back. Not audited: requests are not recorded.
   *
   * @returns the request as it was
   * @throws {RequestUnknownRefusal}
   */
  removeRequest (request: { readonly id: string, readonly reason: string }): Promise<WaitingRequest>

  /** Looks at an offline device, or tries to put back a quarantined one, now instead of later. Not audited: only what comes of it is. */
  retry (request: { readonly device: string, readonly by: string }): Promise<void>

  /** What happened to devices and leases, the latest first. `before` is the id of the last entry of the page before. */
  audit (request: { readonly limit: number, readonly before?: number }): Promise<readonly AuditEntry[]>
}
