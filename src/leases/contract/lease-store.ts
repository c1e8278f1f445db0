import type { AuditEntry } from './audit.ts'
import type { Lease } from './lease.ts'
import type { LeaseEvent, Occupancy } from './lease-machine.ts'

/**
 * Where leases and fencing tokens outlive the process.
 *
 * `change` and `changeAll` are the only ways a lease or a device changes: one transaction that
 * reads each device with its open lease, asks `advance` (`lease-machine.ts`), and writes what it
 * says, with a row of the audit for what `auditOf` wants remembered. When the promise resolves
 * the change is on the disk (but see `durable` in `LeaseEvent`); of two changes to one device at
 * once, the second sees what the first has written. A change that fails may have been made all
 * the same, where the database is on another machine: its rows are read again before they are
 * relied on.
 *
 * A grant's session key is kept only when no live lease of the same principal has it.
 *
 * Instants come from the caller, read before asking: a slow write must not lengthen a lease.
 */
export interface LeaseStore {
  /** Records the devices not seen before, as free; those it knows stay as they are. */
  enroll (deviceIds: readonly string[]): Promise<void>

  /** Every device ever enrolled with its open lease, ordered by device id. */
  occupancies (): Promise<readonly Occupancy[]>

  /** @returns what came of it, or undefined when the event did not fit and changed nothing */
  change (event: LeaseEvent): Promise<Occupancy | undefined>

  /** @returns what came of each, in order, or undefined when one did not fit and none changed anything */
  changeAll (events: readonly LeaseEvent[]): Promise<readonly Occupancy[] | undefined>

  /** A lease in whatever state, tombstones included. */
  lease (handle: string): Promise<Lease | undefined>

  /** Live leases, the soonest to expire first. */
  liveLeases (): Promise<readonly Lease[]>

  /** The lease that was bound to a session key of a principal last, in whatever state. */
  boundLease (key: { readonly sessionKey: string, readonly principal: string }): Promise<Lease | undefined>

  /** Forgets the oldest tombstones of leases that were over at `untilMs`, `most` of them at most. @returns how many */
  purgeEnded (untilMs: number, most: number): Promise<number>

  /** The latest entries first; with `before`, those older than that one. */
  audit (page: { readonly limit: number, readonly before?: number }): Promise<readonly AuditEntry[]>

  /** Forgets the oldest entries that were written up to `untilMs`, `most` of them at most. @returns how many */
  purgeAudit (untilMs: number, most: number): Promise<number>

  /** Notes that the process is there. A power cut may forget it. */
  noteAlive (atMs: number): Promise<void>

  /** The last instant noted; undefined when there was none. */
  aliveAtMs (): Promise<number | undefined>
}
