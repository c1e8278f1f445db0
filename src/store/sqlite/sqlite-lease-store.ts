import type { Database } from 'better-sqlite3'
import { and, asc, desc, eq, getTableColumns, lt, lte, sql, type SQL } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { auditOf, type AuditEntry } from '../../leases/contract/audit.ts'
import { advance, type LeaseEvent, type Occupancy } from '../../leases/contract/lease-machine.ts'
import type { LeaseStore } from '../../leases/contract/lease-store.ts'
import { audit, devices, leases, presence } from '../schema/sqlite/lease-tables.ts'
import { toAuditEntry, toAuditRow, toDeviceRow, toLease, toLeaseRow, toOccupancy } from './lease-rows.ts'

// Spelled out, not bound: SQLite uses a partial index only where it can read its condition.
const isOpen = sql`${leases.state} <> 'ended'`
const isLive = sql`${leases.state} in ('granted', 'awaiting_owner')`
const isEnded = sql`${leases.state} = 'ended'`
const isKeyed = sql`${leases.sessionKey} is not null`

const onlyRow = 1

/** Carries the news that one event of several did not fit out of a transaction, which undoes the others. */
class Unfit extends Error {}

/**
 * `LeaseStore` on SQLite. better-sqlite3 works synchronously, so no two changes ever overlap;
 * the promises are the port's.
 *
 * The connection commits with synchronous=FULL, which in WAL mode is one fsync per change. Moves
 * of an expiry by mere use would pay it twice per tool call for something nobody was promised;
 * they commit with synchronous=NORMAL, which keeps them over the death of the process, though
 * not of the machine.
 */
export function createSqliteLeaseStore (client: Database): LeaseStore {
  const statements = prepareStatements(drizzle(client))

  function change (event: LeaseEvent): Occupancy | undefined {
    const row = statements.occupancy.get({ id: event.deviceId })
    if (row === undefined) return undefined
    const before = toOccupancy(row)
    const after = advance(before, withFreeKey(event))
    if (after === undefined) return undefined
    if (after.device !== before.device) statements.updateDevice.run(toDeviceRow(after.device))
    if (after.lease !== undefined) {
      if (before.lease === undefined) statements.insertLease.run(toLeaseRow(after.lease))
      else if (after.lease !== before.lease) statements.updateLease.run(toLeaseRow(after.lease))
    }
    const entry = auditOf(event, before, after)
    if (entry !== undefined) statements.insertAudit.run(toAuditRow(entry))
    return after
  }

  /** The event without its session key if a live lease has it. */
  function withFreeKey (event: LeaseEvent): LeaseEvent {
    if (event.type !== 'grant' || event.sessionKey === undefined) return event
    const { sessionKey, holder: { principal } } = event
    return statements.liveOfKey.get({ sessionKey, principal }) === undefined ? event : { ...event, sessionKey: undefined }
  }

  const changeInTransaction = client.transaction(change)
  const changeAllInTransaction = client.transaction((events: readonly LeaseEvent[]) => events.map((event) => {
    const changed = change(event)
    if (changed === undefined) throw new Unfit()
    return changed
  }))
  const enroll = client.transaction((deviceIds: readonly string[]) => {
    for (const id of deviceIds) statements.enrollDevice.run({ id })
  })

  function withoutFsync<T> (work: () => T): T {
    client.pragma('synchronous = NORMAL')
    try {
      return work()
    } finally {
      client.pragma('synchronous = FULL')
    }
  }

  return {
    async enroll (deviceIds) {
      enroll(deviceIds)
    },

    async occupancies () {
      return statements.occupancies.all().map(toOccupancy)
    },

    async change (event) {
      if (event.type !== 'extend' || event.durable) return changeInTransaction(event)
      return withoutFsync(() => changeInTransaction(event))
    },

    async changeAll (events) {
      try {
        return changeAllInTransaction(events)
      } catch (cause) {
        if (cause instanceof Unfit) return undefined
        throw cause
      }
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

    async purgeEnded (untilMs) {
      return statements.purgeEnded.run({ untilMs }).changes
    },

    async audit ({ limit, before = Number.MAX_SAFE_INTEGER }): Promise<readonly AuditEntry[]> {
      return statements.audit.all({ limit, before }).map(toAuditEntry)
    },

    async purgeAudit (untilMs) {
      return statements.purgeAudit.run({ untilMs }).changes
    },

    async noteAlive (atMs) {
      withoutFsync(() => statements.noteAlive.run({ atMs }))
    },

    async aliveAtMs () {
      return statements.aliveAtMs.get()?.aliveAtMs
    }
  }
}

function prepareStatements (db: BetterSQLite3Database) {
  const given = (name: string): SQL => sql`${sql.placeholder(name)}`
  const occupancies = () => db
    .select({ device: getTableColumns(devices), lease: getTableColumns(leases) })
    .from(devices)
    .leftJoin(leases, and(eq(leases.deviceId, devices.id), isOpen))
  const ofKey = () => and(isKeyed, eq(leases.principal, given('principal')), eq(leases.sessionKey, given('sessionKey')))

  return {
    enrollDevice: db.insert(devices)
      .values({ id: given('id'), state: 'free', fence: 0, lastUsedAtMs: 0 })
      .onConflictDoNothing()
      .prepare(),
    occupancies: occupancies().orderBy(asc(devices.id)).prepare(),
    occupancy: occupancies().where(eq(devices.id, given('id'))).prepare(),
    updateDevice: db.update(devices)
      .set({
        state: given('state'),
        fence: given('fence'),
        reason: given('reason'),
        blockReason: given('blockReason'),
        blockBy: given('blockBy'),
        blockAtMs: given('blockAtMs'),
        drainReason: given('drainReason'),
        drainBy: given('drainBy'),
        drainAtMs: given('drainAtMs'),
        drainDeadlineAtMs: given('drainDeadlineAtMs'),
        lastUsedAtMs: given('lastUsedAtMs'),
        failures: given('failures')
      })
      .where(eq(devices.id, given('id')))
      .prepare(),
    lease: db.select().from(leases).where(eq(leases.handle, given('handle'))).prepare(),
    liveLeases: db.select().from(leases).where(isLive).orderBy(asc(leases.expiresAtMs)).prepare(),
    liveOfKey: db.select({ handle: leases.handle }).from(leases).where(and(ofKey(), isLive)).prepare(),
    // A key is bound anew only when its lease is over: a live one is always the last.
    lastOfKey: db.select().from(leases).where(ofKey()).orderBy(sql`rowid desc`).limit(1).prepare(),
    insertLease: db.insert(leases)
      .values({
        handle: given('handle'),
        deviceId: given('deviceId'),
        bootId: given('bootId'),
        fence: given('fence'),
        principal: given('principal'),
        sessionKey: given('sessionKey'),
        state: given('state'),
        purpose: given('purpose'),
        priority: given('priority'),
        grantedAtMs: given('grantedAtMs'),
        ttlMs: given('ttlMs'),
        expiresAtMs: given('expiresAtMs'),
        mustEndAtMs: given('mustEndAtMs'),
        idleMs: given('idleMs'),
        lastControlAtMs: given('lastControlAtMs'),
        isUsed: given('isUsed'),
        heartbeatMs: given('heartbeatMs'),
        endReason: given('endReason'),
        endedAtMs: given('endedAtMs'),
        endNote: given('endNote')
      })
      .prepare(),
    // All that ever changes about a lease.
    updateLease: db.update(leases)
      .set({
        state: given('state'),
        ttlMs: given('ttlMs'),
        expiresAtMs: given('expiresAtMs'),
        mustEndAtMs: given('mustEndAtMs'),
        lastControlAtMs: given('lastControlAtMs'),
        isUsed: given('isUsed'),
        endReason: given('endReason'),
        endedAtMs: given('endedAtMs'),
        endNote: given('endNote')
      })
      .where(eq(leases.handle, given('handle')))
      .prepare(),
    purgeEnded: db.delete(leases).where(and(isEnded, lte(leases.endedAtMs, given('untilMs')))).prepare(),
    insertAudit: db.insert(audit)
      .values({
        atMs: given('atMs'),
        event: given('event'),
        deviceId: given('deviceId'),
        lease: given('lease'),
        principal: given('principal'),
        by: given('by'),
        reason: given('reason')
      })
      .prepare(),
    audit: db.select().from(audit).where(lt(audit.id, given('before'))).orderBy(desc(audit.id)).limit(sql.placeholder('limit')).prepare(),
    purgeAudit: db.delete(audit).where(lte(audit.atMs, given('untilMs'))).prepare(),
    noteAlive: db.insert(presence)
      .values({ id: onlyRow, aliveAtMs: given('atMs') })
      .onConflictDoUpdate({ target: presence.id, set: { aliveAtMs: sql`excluded.alive_at_ms` } })
      .prepare(),
    aliveAtMs: db.select({ aliveAtMs: presence.aliveAtMs }).from(presence).prepare()
  }
}
