/**
 * A store in one Postgres database, which no other process may use meanwhile.
 *
 * The tables are brought up to date at each start, before the term of the process begins. Nothing
 * is ever deleted or repaired: a database that cannot be used is for a person to look at.
 */
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { join } from 'node:path'
import pg, { type Client, type ClientBase } from 'pg'
import { createChangeLedger } from '../../leases/cleanup/change-rows.ts'
import { createLeaseStore } from '../../leases/create-lease-store.ts'
import { StoreNotWritableRefusal } from '../../leases/contract/store-not-writable.ts'
import type { Log } from '../../leases/log.ts'
import { packageRoot } from '../../runtime/package-root.ts'
import type { Refusal } from '../../refusals/refusal.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { createHealthWatch } from '../store-health.ts'
import type { Store } from '../store.ts'
import { StoreTooNewRefusal, StoreUnreachableRefusal, StoreUnusableRefusal, type StoreTakenOverRefusal } from '../store-refusals.ts'
import { createPostgresChangeRows } from './postgres-change-rows.ts'
import { faultOf, isServerBusy, toStoreFault } from './postgres-faults.ts'
import { createPostgresLeaseRows } from './postgres-lease-rows.ts'
import { usualLimits, type PostgresLimits } from './postgres-limits.ts'
import { postgresServer, type PostgresServer } from './postgres-server.ts'
import { createPostgresWork } from './postgres-work.ts'
import { claimStore } from './store-claim.ts'

const migrationsFolder = join(packageRoot, 'migrations', 'postgres')
/** The first version that can say what has become of a transaction. */
const oldestVersion = 13
const rowLockMs = 250

export interface PostgresStoreParts {
  readonly url: string
  readonly scheduler: Scheduler
  readonly log: Log
  /** Another process has taken the database over, and this one must end. */
  readonly onLost: (refusal: StoreTakenOverRefusal) => void
  readonly limits?: PostgresLimits
}

/**
 * @throws {StoreUnreachableRefusal} the server does not let us in
 * @throws {StoreInUseRefusal} another process has the database
 * @throws {StoreTooNewRefusal} a newer version has migrated it
 * @throws {StoreUnusableRefusal} it cannot be used: no such database, no rights, an old server
 */
export async function openPostgresStore ({ url, scheduler, log, onLost, limits = usualLimits }: PostgresStoreParts): Promise<Store> {
  const server = serverOf(url, limits)

  async function bringUpToDate (client: Client) {
    await assertVersion(client, server.label)
    if (await isTooNew(client)) throw new StoreTooNewRefusal({ database: server.label })
    await migrate(drizzle(client), { migrationsFolder })
  }

  const claim = await claimStore({ server, limits, scheduler, log, migrate: bringUpToDate, onLost }).catch((cause: unknown) => {
    throw toRefusal(server.label, cause)
  })
  const pool = server.createPool()
  const base = { pool, claim, limits, scheduler }
  const tries = createPostgresWork(base)
  let mayHaveLockedRows = false
  const watch = createHealthWatch({
    read: () => tries.lookUp((connection) => connection.query('SELECT (SELECT term FROM claim), (SELECT id FROM devices LIMIT 1), (SELECT handle FROM leases LIMIT 1)')),
    write: () => tries.change({ durable: true, read: async () => undefined, write: tryWrite }),
    limitMs: limits.healthMs,
    scheduler,
    log
  })
  const work = createPostgresWork({ ...base, onRefusal: failed, onWritten: watch.wrote })

  /** Rows that another program has locked keep some changes from being made and others not: only a try of them all tells. */
  function failed (refusal: Refusal) {
    if (refusal instanceof StoreNotWritableRefusal) mayHaveLockedRows = true
    watch.failed(refusal)
  }

  async function tryWrite (connection: ClientBase) {
    await writeNothingNew(connection)
    if (!mayHaveLockedRows) return
    await lockAllRows(connection)
    mayHaveLockedRows = false
  }

  return {
    kind: 'postgres',
    leases: createLeaseStore(createPostgresLeaseRows(work)),
    changes: createChangeLedger(createPostgresChangeRows(work)),

    health: watch.health,

    async close () {
      watch.stop()
      await pool.end()
      await claim.close()
    }
  }
}

/** Writes as a grant does, and changes nothing: a row is added and taken back, and another one is written as it was. */
async function writeNothingNew (connection: ClientBase): Promise<void> {
  await connection.query("SAVEPOINT before; INSERT INTO audit (at_ms, event, device_id) VALUES (0, 'probe', ''); ROLLBACK TO before; LOCK TABLE devices, leases, changes IN ROW EXCLUSIVE MODE; UPDATE claim SET term = term")
}

/** Briefly, because the changes of this process wait for it as well. */
async function lockAllRows (connection: ClientBase): Promise<void> {
  await connection.query(`SET LOCAL lock_timeout = ${rowLockMs};
    SELECT FROM devices ORDER BY id COLLATE "C" FOR NO KEY UPDATE;
    SELECT FROM leases WHERE state <> 'ended' ORDER BY handle COLLATE "C" FOR NO KEY UPDATE`)
}

function serverOf (url: string, limits: PostgresLimits): PostgresServer {
  try {
    return postgresServer(url, limits)
  } catch (cause) {
    // The address is sound, or it would not have become a setting; it may name files, though.
    throw new StoreUnusableRefusal('of the settings', `a file that its address names cannot be read (${cause instanceof Error ? cause.message : 'unknown'})`, cause)
  }
}

async function assertVersion (client: Client, label: string): Promise<void> {
  const { rows: [row] } = await client.query<{ readonly server_version_num: string }>('SHOW server_version_num')
  const version = Math.floor(Number(row?.server_version_num) / 10_000)
  if (!(version >= oldestVersion)) throw new StoreUnusableRefusal(label, `the server is Postgres ${version}, and mooring needs ${oldestVersion} or later`)
}

/** Whether a migration was applied that this version does not have. */
async function isTooNew (client: Client): Promise<boolean> {
  const { rows: [table] } = await client.query<{ readonly oid: string | null }>("SELECT to_regclass('drizzle.__drizzle_migrations') AS oid")
  if (table?.oid === null || table === undefined) return false
  const { rows } = await client.query<{ readonly created_at: string }>('SELECT created_at FROM drizzle.__drizzle_migrations')
  const known = new Set(readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis))
  return rows.some((row) => !known.has(Number(row.created_at)))
}

function toRefusal (label: string, cause: unknown): unknown {
  const fault = faultOf(cause)
  if (isServerBusy(fault)) return new StoreUnreachableRefusal(label, fault)
  if (fault instanceof pg.DatabaseError) return new StoreUnusableRefusal(label, fault.message, fault)
  return toStoreFault(fault, 'write')
}
