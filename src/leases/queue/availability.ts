/**
 * The port between the queue and the devices.
 *
 * The queue decides which request gets which devices. It knows of each device what
 * `DeviceAvailability` says, and it has one way to act: `grant`. The two sides share nothing
 * else. Availability is plain data, a grant is an order with an answer, and either side may be
 * late: the queue proposes from what it was last told, and the device side decides.
 */
import type { DeviceDescription } from '../../devices/device-types.ts'
import type { Lease } from '../contract/lease.ts'
import type { GrantEvent, Hold } from '../contract/lease-machine.ts'
import type { DeviceState } from '../contract/lease-manager.ts'

/** What the queue knows of one device. */
export interface DeviceAvailability {
  /** What selectors are matched with. Stays the same object as long as nothing in it changes: the queue compares by identity. */
  readonly description: DeviceDescription
  /** Whether it can be granted now. */
  readonly canBeGranted: boolean
  /** When it is expected to be grantable; undefined when that cannot be known. */
  readonly expectedAtMs: number | undefined
  /** When its last lease ended; 0 when it never had one. The least recently used device is granted first. */
  readonly lastUsedAtMs: number
  /** How often in a row its cleanup failed. */
  readonly failures: number
  /** What refusals say of it. */
  readonly state: DeviceState
  /** What an operator has laid on it; the one that shows first. */
  readonly hold: Hold | undefined
  /** When a failed cleanup is tried again. No promise, but a good time to ask again. */
  readonly nextTryAtMs: number | undefined
  /** The principal whose live lease it has; counts towards the limit on the leases of a holder. */
  readonly holder: string | undefined
  /** Whether it leaves the pool as soon as its lease is over: no request can wait for it, but that lease counts. */
  readonly isLeaving: boolean
}

/** What a lease is to be like, whatever the device. */
export type LeaseTerms = Omit<GrantEvent, 'type' | 'deviceId' | 'handle' | 'bootId' | 'nowMs'>

export interface GrantOrder {
  readonly deviceIds: readonly string[]
  readonly terms: LeaseTerms
  /** Fires when the request has left the queue. The device side asks it after each wait and then grants nothing. */
  readonly signal: AbortSignal
}

export interface Granted {
  /** One for each of `deviceIds`, in that order. */
  readonly leases: readonly Lease[]
  /** Undoes the grant: its caller left before it could be told, so nothing was done under the leases. */
  takeBack (): Promise<void>
}

/** The devices as the queue sees them. */
export interface QueuedDevices {
  /**
   * Every device of the pool, in any order. A device that is away for a while stays in the list,
   * so that requests go on waiting for it. One that is left out or leaving is not waited for.
   */
  availability (): readonly DeviceAvailability[]
  /**
   * Grants all of these devices or none. Undefined: one of them could not be granted. A rejection
   * says that the grant could not even be decided, for want of storage perhaps: the request stays
   * in the queue, is told the message of a refusal, and its devices are proposed again later.
   */
  grant (order: GrantOrder): Promise<Granted | undefined>
}
