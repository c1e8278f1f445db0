import type { DeviceDriver, DeviceKind, DeviceDescription, Platform } from '../devices/device-driver.ts'
import type { Holder, Lease } from './lease.ts'
import { recordedDeviceStates } from './lease-machine.ts'

/** Which device a caller wants; every given member must match. */
export interface DeviceSelector {
  readonly device?: string
  readonly platform?: Platform
  readonly kind?: DeviceKind
  readonly model?: string
  readonly labels?: readonly string[]
}

export const deviceStates = [...recordedDeviceStates, 'offline'] as const
export type DeviceState = (typeof deviceStates)[number]

/** A device of the pool as operators and `listDevices` see it. */
export interface PooledDevice {
  readonly description: DeviceDescription
  readonly state: DeviceState
  /** Why it is quarantined or offline. */
  readonly reason: string | undefined
  /** The lease that holds it or is being cleaned up after. */
  readonly lease: Lease | undefined
}

/** What work done under a lease gets to act with. */
export interface LeaseUse {
  readonly lease: Lease
  readonly driver: DeviceDriver
  /** Aborts when the caller's own signal does, or when the lease ends for another reason than time. */
  readonly signal: AbortSignal
}

export interface ReleaseResult {
  readonly lease: Lease
  /** What was put back, in short phrases. */
  readonly cleaned: readonly string[]
  /** False when the lease had been released before: releasing twice is no error. */
  readonly releasedNow: boolean
}

export interface LeaseManager {
  /**
   * Grants a free device that matches, least recently used first.
   *
   * @throws {UnknownDeviceRefusal} no device of the pool can ever match
   * @throws {CapacityExhaustedRefusal} all that match are taken
   */
  acquire (request: {
    readonly holder: Holder
    readonly selector: DeviceSelector
    readonly ttlMs?: number
    readonly purpose?: string
    /** Aborted when the caller is gone; a grant it never learns of is undone. */
    readonly signal: AbortSignal
  }): Promise<Lease>

  /**
   * Extends a granted lease to one full ttl from now.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {LeaseEndedRefusal} over, with the reason
   */
  renew (request: { readonly handle: string, readonly holder: Holder, readonly ttlMs?: number }): Promise<Lease>

  /**
   * Ends the lease and returns once the device is clean, or quarantined.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {LeaseEndedRefusal} ended by something else than its holder
   */
  release (request: { readonly handle: string, readonly holder: Holder }): Promise<ReleaseResult>

  /**
   * Runs `work` under a lease. The lease moves to a full ttl from now, and does not expire
   * while `work` runs.
   *
   * @throws {UnknownLeaseRefusal} not there, or not this holder's
   * @throws {LeaseEndedRefusal} over, with the reason
   */
  use<T> (
    request: { readonly handle: string, readonly holder: Holder, readonly signal: AbortSignal },
    work: (use: LeaseUse) => Promise<T>
  ): Promise<T>

  /** A holder's granted leases, or everybody's. */
  list (holder?: Holder): Promise<readonly Lease[]>

  /** The whole pool, ordered by device id. */
  devices (): Promise<readonly PooledDevice[]>

  /** Whether a device is part of the pool, whatever its state. */
  hasDevice (deviceId: string): boolean

  /** Whether the holder's lease goes on. Looking does not use it: its expiry stays. */
  isHolding (request: { readonly handle: string, readonly holder: Holder }): Promise<boolean>

  /** Ids of the apps that phones of the pool have in their home state; one that does not answer is left out. */
  homeApps (signal: AbortSignal): Promise<readonly string[]>

  /** Acquisitions that have been asked for and are not decided yet. */
  readonly acquiring: number

  /** Settles what an earlier process left behind; nothing is granted before it returns. */
  start (): Promise<void>

  /** Stops granting and sweeping, aborts what runs under leases. Leases stay as they are. */
  stop (): Promise<void>
}
