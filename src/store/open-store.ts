import type { ChangeLedger } from '../leases/cleanup/change-ledger.ts'
import type { LeaseStore } from '../leases/contract/lease-store.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { createSqliteChangeLedger } from './sqlite/sqlite-change-ledger.ts'
import { createSqliteLeaseStore } from './sqlite/sqlite-lease-store.ts'

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
    leases: createSqliteLeaseStore(client),
    changes: createSqliteChangeLedger(client),
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
