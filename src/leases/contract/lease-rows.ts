/**
 * Devices, leases and the audit as rows of a database: what the lease room asks of each dialect.
 *
 * A change is one transaction in three steps. The database reads the rows that the scope names
 * and keeps every other change away from these devices until the end. A rule of this room
 * (`createLeaseStore`) looks at the rows and says what is to be written. The database writes all
 * of it, or nothing.
 *
 * The rule in the middle is synchronous and has no effects of its own. So a database in this
 * process runs the three steps without a pause, and a database elsewhere reads in one round trip,
 * writes in another, and may run the rule again when it has to repeat the transaction.
 */
import type { AuditEntry } from './audit.ts'
import type { Lease } from './lease.ts'
import type { DeviceRecord, Occupancy } from './lease-machine.ts'
import type { LeaseStore } from './lease-store.ts'

/** A session key means something for one principal only. */
export interface SessionKeyOfPrincipal {
  readonly sessionKey: string
  readonly principal: string
}

/** What a change looks at. */
export interface ChangeScope {
  readonly deviceIds: readonly string[]
  readonly sessionKeys: readonly SessionKeyOfPrincipal[]
  /** False when a power cut may forget the change. The death of the process never forgets it. */
  readonly durable: boolean
}

/** The rows of a scope, as they are inside the transaction. */
export interface FoundRows {
  /** The enrolled devices of the scope, each with the lease that has not ended. */
  readonly occupancies: readonly Occupancy[]
  /** The live leases under the session keys of the scope. */
  readonly keyedLeases: readonly Lease[]
}

export type RowWrite =
  | { readonly write: 'device', readonly device: DeviceRecord }
  /** The handle must be new for ever, and the device must have no other lease that has not ended. */
  | { readonly write: 'new_lease', readonly lease: Lease }
  /** Writes everything about a lease that its grant has not fixed for good. */
  | { readonly write: 'lease', readonly lease: Lease }
  | { readonly write: 'audit', readonly entry: Omit<AuditEntry, 'id'> }

export interface Decision {
  /** In the order in which they are to be made. */
  readonly writes: readonly RowWrite[]
  /** What is true once they are made. */
  readonly changed: readonly Occupancy[]
}

/** The rows behind a `LeaseStore`. The lookups and purges are the store's own. */
export interface LeaseRows extends Omit<LeaseStore, 'enroll' | 'change' | 'changeAll'> {
  /** Adds the devices whose id has no row yet. */
  addMissing (devices: readonly DeviceRecord[]): Promise<void>

  /**
   * Runs a change. `decide` may be asked more than once; only what it said last is written.
   *
   * @returns what `decide` said, once that is written; undefined when it wants nothing written
   */
  transact (scope: ChangeScope, decide: (found: FoundRows) => Decision | undefined): Promise<Decision | undefined>
}
