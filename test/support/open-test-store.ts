import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { openPostgresStore, type PostgresStoreParts } from '../../src/store/postgres/open-postgres-store.ts'
import { usualLimits, type PostgresLimits } from '../../src/store/postgres/postgres-limits.ts'
import type { Store } from '../../src/store/store.ts'

/** As long as any machine may take that has other things to do. */
export const testLimits: PostgresLimits = {
  ...usualLimits,
  connectMs: 60_000,
  statementMs: 60_000,
  lockMs: 60_000,
  healthMs: 60_000,
  answerMs: 60_000,
  idleTransactionMs: 60_000,
  beatMs: 60_000,
  outcomeMs: 60_000
}

/** Opens a store on Postgres that logs nothing and is never lost, unless told otherwise. */
export async function openTestStore (url: string, parts: Partial<PostgresStoreParts> = {}): Promise<Store> {
  return await openPostgresStore({
    url,
    scheduler: systemScheduler,
    log: { info () {}, warn () {}, error () {} },
    onLost (refusal) { throw refusal },
    limits: testLimits,
    ...parts
  })
}

/** Opens the store at a place: the address of a Postgres database, or a file for SQLite. */
export async function openStoreAt (place: string): Promise<Store> {
  return place.startsWith('postgres:') ? await openTestStore(place) : openSqliteStore({ file: place })
}
