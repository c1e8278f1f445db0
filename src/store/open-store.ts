import type { Database } from 'better-sqlite3'
import { join } from 'node:path'
import { createChangeLedger } from '../leases/cleanup/change-rows.ts'
import { createLeaseStore } from '../leases/create-lease-store.ts'
import type { Log } from '../leases/log.ts'
import { systemScheduler, type Scheduler } from '../runtime/scheduler.ts'
import { identityOf, type FileIdentity } from './sqlite/file-identity.ts'
import { openDatabase } from './sqlite/open-database.ts'
import { createSqliteChangeRows } from './sqlite/sqlite-change-rows.ts'
import { createSqliteLeaseRows } from './sqlite/sqlite-lease-rows.ts'
import { createSqliteWork, guardedChangeRows, guardedLeaseRows } from './sqlite/sqlite-work.ts'
import type { Store } from './store.ts'
import type { StoreSettings } from './store-settings.ts'

export interface StoreParts {
  readonly settings: StoreSettings
  readonly stateDir: string
  /** Whether that folder is mooring's alone, and so is closed to others if it was not. */
  readonly isOwnStateDir: boolean
  readonly scheduler: Scheduler
  readonly log: Log
}

/**
 * Opens the store that the settings name.
 *
 * @throws {Refusal} as `openDatabase` and `openPostgresStore` do
 */
export async function openStore ({ settings: { url }, stateDir, isOwnStateDir, scheduler, log }: StoreParts): Promise<Store> {
  if (url === undefined) return openSqliteStore({ file: join(stateDir, 'mooring.sqlite'), isOwnFolder: isOwnStateDir, scheduler, log })
  const openPostgresStore = await postgresDialect()
  return await openPostgresStore({
    url,
    scheduler,
    log,
    // There is nothing left to do for a process whose leases another one has: it stops as after any error.
    onLost (refusal) { scheduler.after(0, () => { throw refusal }) }
  })
}

/** Loaded where it is needed only. */
async function postgresDialect () {
  return (await import('./postgres/open-postgres-store.ts')).openPostgresStore
}

/**
 * Opens a store in one SQLite file, which no other process may use meanwhile.
 *
 * @throws {Refusal} as `openDatabase` does
 */
export function openSqliteStore ({ file, isOwnFolder = false, scheduler = systemScheduler, log = silent }: {
  readonly file: string
  /** Whether the folder is mooring's alone, and so is closed to others if it was not. */
  readonly isOwnFolder?: boolean
  readonly scheduler?: Scheduler
  readonly log?: Log
}): Store {
  const client = openDatabase(file, { isOwnFolder })
  return storeOn(client, { identity: identityOf(file), scheduler, log })
}

/** The store on an open database, which it closes. */
export function storeOn (client: Database, parts: {
  readonly identity: FileIdentity
  readonly scheduler: Scheduler
  readonly log: Log
}): Store {
  const work = createSqliteWork({ client, ...parts })
  return {
    kind: 'sqlite',
    leases: createLeaseStore(guardedLeaseRows(createSqliteLeaseRows(client), work)),
    changes: createChangeLedger(guardedChangeRows(createSqliteChangeRows(client), work)),
    health: work.health,
    async close () {
      work.stop()
      client.close()
    }
  }
}

const silent: Log = { info () {}, warn () {}, error () {} }
