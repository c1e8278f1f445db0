import type { Lease } from './lease.ts'
import type { LeaseEvent, Occupancy } from './lease-machine.ts'

/**
 * Where leases and fencing tokens outlive the process.
 *
 * `change` is the only way a lease or a device changes: one transaction that reads the device
 * with its open lease, asks `advance` (`lease-machine.ts`), and writes what it says. When its
 * promise resolves the change is on the disk (but see `durable` in `LeaseEvent`); of two
 * changes to one device at once, the second sees what the first has written.
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

  /** A lease in whatever state, tombstones included. */
  lease (handle: string): Promise<Lease | undefined>

  /** Leases in state `granted`, the soonest to expire first. */
  grantedLeases (): Promise<readonly Lease[]>

  /** Forgets the tombstones of leases that were over at `untilMs`. @returns how many */
  purgeEnded (untilMs: number): Promise<number>
}
