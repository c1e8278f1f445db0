import type { ChangeLedger } from '../leases/cleanup/change-ledger.ts'
import { createChangeLedger } from '../leases/cleanup/change-rows.ts'
import type { LeaseStore } from '../leases/contract/lease-store.ts'
import { createLeaseStore } from '../leases/create-lease-store.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { createSqliteChangeRows } from './sqlite/sqlite-change-rows.ts'
import { createSqliteLeaseRows } from './sqlite/sqlite-lease-rows.ts'

/** What outlives the process, by room. */
export interface Store {
  readonly leases: LeaseStore
  readonly changes: ChangeLedger
  /** Whether the database can be read now. */
  isAnswering (): Promise<boolean>
  /** Closes the database and gives up its lock. Nothing in the store may be used after it. */
  close (): Promise<void>
}

/**
 * Opens a store in one SQLite file, which no other process may use meanwhile.
 *
 * @throws {Refusal} as `openDatabase` does
 */
export function openSqliteStore ({ file, isOwnFolder = false }: {
  readonly file: string
  /** Whether the folder is mooring's alone, and so is closed to others if it was not. */
  readonly isOwnFolder?: boolean
}): Store {
  const client = openDatabase(file, { isOwnFolder })
  return {
    leases: createLeaseStore(createSqliteLeaseRows(client)),
    changes: createChangeLedger(createSqliteChangeRows(client)),
    async isAnswering () {
      try {
        return client.prepare('SELECT 1').pluck().get() === 1
      } catch {
        return false
      }
    },
    async close () {
      client.close()
    }
  }
}
