import type { ChangeLedger } from '../leases/cleanup/change-ledger.ts'
import type { LeaseStore } from '../leases/contract/lease-store.ts'
import type { StoreHealth } from './store-health.ts'

export const storeKinds = ['sqlite', 'postgres'] as const
export type StoreKind = (typeof storeKinds)[number]

/** What outlives the process, by room. */
export interface Store {
  readonly kind: StoreKind
  readonly leases: LeaseStore
  readonly changes: ChangeLedger
  /** How the database is now, as a read and a write of this moment or of the last second show it. */
  health (): Promise<StoreHealth>
  /** Closes the database and gives up its lock. Nothing in the store may be used after it. */
  close (): Promise<void>
}
