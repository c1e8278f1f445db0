import type { Database, RunResult } from 'better-sqlite3'
import { and, asc, desc, eq, getTableColumns, lt, lte, sql } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { ChangeScope, Decision, FoundRows, LeaseRows, RowWrite } from '../../leases/contract/lease-rows.ts'
import { boundColumns, given } from '../bound-columns.ts'
import { type DeviceRow, fixedLeaseColumns, toAuditEntry, toAuditRow, toDeviceRow, toLease, toLeaseRow, toOccupancy } from '../lease-columns.ts'
import { audit, devices, leases, presence } from '../schema/sqlite/lease-tables.ts'

// Spelled out, not bound: SQLite uses a partial index only where it can read its condition.
const isOpen = sql`${leases.state} <> 'ended'`
const isLive = sql`${leases.state} in ('granted', 'awaiting_owner')`
const isEnded = sql`${leases.state} = 'ended'`
const isKeyed = sql`${leases.sessionKey} is not null`

const onlyRow = 1

/**
 * `LeaseRows` on SQLite. better-sqlite3 works synchronously, so no two changes ever overlap;
 * the promises are the port's.
 *
 * The connection commits with synchronous=FULL, which in WAL mode is one fsync per change. Moves
 * of an expiry by mere use would pay it twice per tool call for a promise that was never made;
 * they commit with synchronous=NORMAL, which keeps them over the death of the process, though
 * not of the machine.
 */
export function createSqliteLeaseRows (client: Database): LeaseRows {
  const statements = prepareStatements(drizzle(client))

  function find ({ deviceIds, sessionKeys }: ChangeScope): FoundRows {
    return {
      occupancies: deviceIds.flatMap((id) => {
        const row = statements.occupancy.get({ id })
        return row === undefined ? [] : toOccupancy(row)
      }),
      keyedLeases: sessionKeys.flatMap((key) => statements.liveOfKey.all({ ...key }).map(toLease))
    }
  }

  function make (change: RowWrite): void {
    switch (change.write) {
      case 'device':
        expectOne(statements.updateDevice.run(toDeviceRow(change.device) satisfies typeof devices.$inferSelect))
        return
      case 'new_lease':
        statements.insertLease.run(toLeaseRow(change.lease) satisfies typeof leases.$inferSelect)
        return
      case 'lease':
        expectOne(statements.updateLease.run(toLeaseRow(change.lease) satisfies typeof leases.$inferSelect))
        return
      case 'audit':
        statements.insertAudit.run(toAuditRow(change.entry) satisfies Omit<typeof audit.$inferSelect, 'id'>)
    }
  }

  const transact = client.transaction((scope: ChangeScope, decide: (found: FoundRows) => Decision | undefined) => {
    const decision = decide(find(scope))
    decision?.writes.forEach(make)
    return decision
  })

  const skipFsync = client.prepare('PRAGMA synchronous = NORMAL')
  const restoreFsync = client.prepare('PRAGMA synchronous = FULL')

  function withoutFsync<T> (work: () => T): T {
    skipFsync.run()
    try {
      return work()
    } finally {
      restoreFsync.run()
    }
  }

  const addMissing = client.transaction((rows: readonly DeviceRow[]) => {
    for (const row of rows) statements.addMissingDevice.run(row)
  })

  return {
    async addMissing (records) {
      addMissing(records.map(toDeviceRow))
    },

    async transact (scope, decide) {
      return scope.durable ? transact(scope, decide) : withoutFsync(() => transact(scope, decide))
    },

    async occupancies () {
      return statements.occupancies.all().map(toOccupancy)
    },

    async lease (handle) {
      const row = statements.lease.get({ handle })
      return row && toLease(row)
    },

    async liveLeases () {
      return statements.liveLeases.all().map(toLease)
    },

    async boundLease (key) {
      const row = statements.lastOfKey.get({ ...key })
      return row && toLease(row)
    },

    async purgeEnded (untilMs, most) {
      return statements.purgeEnded.run({ untilMs, most }).changes
    },

    async audit ({ limit, before = Number.MAX_SAFE_INTEGER }) {
      return statements.audit.all({ limit, before }).map(toAuditEntry)
    },

    async purgeAudit (untilMs, most) {
      return statements.purgeAudit.run({ untilMs, most }).changes
    },

    async noteAlive (atMs) {
      withoutFsync(() => statements.noteAlive.run({ atMs }))
    },

    async aliveAtMs () {
      return statements.aliveAtMs.get()?.aliveAtMs
    }
  }
}

/** The row was read a moment ago, in the same transaction. */
function expectOne ({ changes }: RunResult): void {
  if (changes !== 1) throw new Error(`a write to one row has changed ${changes}`)
}

function prepareStatements (db: BetterSQLite3Database) {
  const occupancies = () => db
    .select({ device: getTableColumns(devices), lease: getTableColumns(leases) })
    .from(devices)
    .leftJoin(leases, and(eq(leases.deviceId, devices.id), isOpen))
  const ofKey = () => and(isKeyed, eq(leases.principal, given('principal')), eq(leases.sessionKey, given('sessionKey')))

  return {
    addMissingDevice: db.insert(devices).values(boundColumns(getTableColumns(devices))).onConflictDoNothing().prepare(),
    occupancies: occupancies().orderBy(asc(devices.id)).prepare(),
    occupancy: occupancies().where(eq(devices.id, given('id'))).prepare(),
    updateDevice: db.update(devices)
      .set(boundColumns(getTableColumns(devices), ['id']))
      .where(eq(devices.id, given('id')))
      .prepare(),
    lease: db.select().from(leases).where(eq(leases.handle, given('handle'))).prepare(),
    liveLeases: db.select().from(leases).where(isLive).orderBy(asc(leases.expiresAtMs)).prepare(),
    liveOfKey: db.select().from(leases).where(and(ofKey(), isLive)).prepare(),
    // A key is bound anew only when its lease is over: a live one is always the last.
    lastOfKey: db.select().from(leases).where(ofKey()).orderBy(sql`rowid desc`).limit(1).prepare(),
    insertLease: db.insert(leases).values(boundColumns(getTableColumns(leases))).prepare(),
    updateLease: db.update(leases)
      .set(boundColumns(getTableColumns(leases), fixedLeaseColumns))
      .where(eq(leases.handle, given('handle')))
      .prepare(),
    purgeEnded: db.delete(leases).where(sql`rowid in (
      select rowid from ${leases} where ${isEnded} and ${lte(leases.endedAtMs, given('untilMs'))} order by ${leases.endedAtMs} limit ${sql.placeholder('most')})`).prepare(),
    insertAudit: db.insert(audit).values(boundColumns(getTableColumns(audit), ['id'])).prepare(),
    audit: db.select().from(audit).where(lt(audit.id, given('before'))).orderBy(desc(audit.id)).limit(sql.placeholder('limit')).prepare(),
    purgeAudit: db.delete(audit).where(sql`rowid in (
      select rowid from ${audit} where ${lte(audit.atMs, given('untilMs'))} order by ${audit.atMs} limit ${sql.placeholder('most')})`).prepare(),
    noteAlive: db.insert(presence)
      .values({ id: onlyRow, aliveAtMs: given('atMs') })
      .onConflictDoUpdate({ target: presence.id, set: { aliveAtMs: sql`excluded.alive_at_ms` } })
      .prepare(),
    aliveAtMs: db.select({ aliveAtMs: presence.aliveAtMs }).from(presence).prepare()
  }
}
