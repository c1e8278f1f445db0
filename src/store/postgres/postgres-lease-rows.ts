import { asc, and, desc, eq, getTableColumns, lt, lte, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PoolClient } from 'pg'
import type { ChangeScope, FoundRows, LeaseRows, RowWrite } from '../../leases/contract/lease-rows.ts'
import { boundColumns, given } from '../bound-columns.ts'
import { fixedLeaseColumns, toAuditEntry, toAuditRow, toDeviceRow, toLease, toLeaseRow, toOccupancy } from '../lease-columns.ts'
import { audit, devices, leases, presence } from '../schema/postgres/lease-tables.ts'
import { onEach, type PostgresWork } from './postgres-work.ts'

// Spelled out, not bound: a generic plan uses a partial index only where it can read its condition.
const isOpen = sql`${leases.state} <> 'ended'`
const isLive = sql`${leases.state} in ('granted', 'awaiting_owner')`
const isEnded = sql`${leases.state} = 'ended'`
const isKeyed = sql`${leases.sessionKey} is not null`
// By bytes, as everywhere else; the database may sort by the rules of a language.
const byId = sql`${devices.id} collate "C"`

const onlyRow = 1

/**
 * `LeaseRows` on Postgres.
 *
 * A change locks the rows of its devices, in the order of their ids, so that two changes of
 * several devices never wait for each other. Their leases are read by a second statement: the
 * first one sees leases as they were when it began to wait for a lock.
 *
 * Moves of an expiry by mere use commit without waiting for the disk. The death of this process
 * never forgets them; a crash of the server may, for less than a second.
 */
export function createPostgresLeaseRows ({ lookUp, change }: PostgresWork): LeaseRows {
  const on = onEach(prepareStatements)

  async function find (connection: PoolClient, { deviceIds, sessionKeys }: ChangeScope): Promise<FoundRows> {
    const { lockedDevices, openLeases, liveOfKey } = on(connection)
    const [locked, open, keyed] = await Promise.all([
      lockedDevices.execute({ deviceIds }),
      openLeases.execute({ deviceIds }),
      Promise.all(sessionKeys.map((key) => liveOfKey.execute({ ...key })))
    ])
    const byDevice = new Map(open.map((lease) => [lease.deviceId, lease]))
    return {
      occupancies: locked.map((device) => toOccupancy({ device, lease: byDevice.get(device.id) ?? null })),
      keyedLeases: keyed.flat().map(toLease)
    }
  }

  async function make (connection: PoolClient, rowWrite: RowWrite): Promise<void> {
    const { updateDevice, insertLease, updateLease, insertAudit } = on(connection)
    switch (rowWrite.write) {
      case 'device':
        expectOne(await updateDevice.execute(toDeviceRow(rowWrite.device) satisfies typeof devices.$inferSelect))
        return
      case 'new_lease':
        await insertLease.execute(toLeaseRow(rowWrite.lease) satisfies LeaseTableRow)
        return
      case 'lease':
        expectOne(await updateLease.execute(toLeaseRow(rowWrite.lease) satisfies LeaseTableRow))
        return
      case 'audit':
        await insertAudit.execute(toAuditRow(rowWrite.entry) satisfies Omit<typeof audit.$inferSelect, 'id'>)
    }
  }

  /** A change that needs to look at nothing first. */
  function write<T> (durable: boolean, work: (connection: PoolClient) => Promise<T>): Promise<T> {
    return change({ durable, read: async () => undefined, write: work })
  }

  return {
    addMissing: (records) => write(true, async (connection) => {
      for (const record of records) await on(connection).addMissingDevice.execute(toDeviceRow(record))
    }),

    transact: (scope, decide) => change({
      durable: scope.durable,
      read: (connection) => find(connection, scope),
      async write (connection, found) {
        const decision = decide(found)
        // They go out together, in order, and are answered in order: what fails first says why.
        const made = decision?.writes.map((rowWrite) => make(connection, rowWrite)) ?? []
        await Promise.allSettled(made)
        await Promise.all(made)
        return decision
      }
    }),

    occupancies: () => lookUp(async (connection) => (await on(connection).occupancies.execute()).map(toOccupancy)),

    lease: (handle) => lookUp(async (connection) => {
      const [row] = await on(connection).lease.execute({ handle })
      return row && toLease(row)
    }),

    liveLeases: () => lookUp(async (connection) => (await on(connection).liveLeases.execute()).map(toLease)),

    boundLease: (key) => lookUp(async (connection) => {
      const [row] = await on(connection).lastOfKey.execute({ ...key })
      return row && toLease(row)
    }),

    purgeEnded: (untilMs, most) => write(true, async (connection) => countOf(await on(connection).purgeEnded.execute({ untilMs, most }))),

    audit: ({ limit, before = Number.MAX_SAFE_INTEGER }) => lookUp(async (connection) => {
      return (await on(connection).audit.execute({ limit, before })).map(toAuditEntry)
    }),

    purgeAudit: (untilMs, most) => write(true, async (connection) => countOf(await on(connection).purgeAudit.execute({ untilMs, most }))),

    noteAlive: (atMs) => write(false, async (connection) => { await on(connection).noteAlive.execute({ atMs }) }),

    aliveAtMs: () => lookUp(async (connection) => (await on(connection).aliveAtMs.execute())[0]?.aliveAtMs)
  }
}

type LeaseTableRow = Omit<typeof leases.$inferSelect, 'ordinal'>

interface WriteResult {
  readonly rowCount: number | null
}

function countOf ({ rowCount }: WriteResult): number {
  return rowCount ?? 0
}

/** The row was read a moment ago, in the same transaction. */
function expectOne (result: WriteResult): void {
  if (countOf(result) !== 1) throw new Error(`a write to one row has changed ${countOf(result)}`)
}

function prepareStatements (db: NodePgDatabase) {
  const { ordinal, ...leaseColumns } = getTableColumns(leases)
  const isOfDevices = sql`= any(${sql.placeholder('deviceIds')})`
  const ofKey = () => and(isKeyed, eq(leases.principal, given('principal', leases.principal)), eq(leases.sessionKey, given('sessionKey')))

  return {
    addMissingDevice: db.insert(devices).values(boundColumns(getTableColumns(devices))).onConflictDoNothing().prepare('add_missing_device'),
    occupancies: db.select({ device: getTableColumns(devices), lease: leaseColumns })
      .from(devices)
      .leftJoin(leases, and(eq(leases.deviceId, devices.id), isOpen))
      .orderBy(byId)
      .prepare('occupancies'),
    lockedDevices: db.select().from(devices).where(sql`${devices.id} ${isOfDevices}`).orderBy(byId).for('no key update').prepare('lock_devices'),
    openLeases: db.select(leaseColumns).from(leases).where(and(sql`${leases.deviceId} ${isOfDevices}`, isOpen)).prepare('open_leases'),
    updateDevice: db.update(devices)
      .set(boundColumns(getTableColumns(devices), ['id']))
      .where(eq(devices.id, given('id')))
      .prepare('update_device'),
    lease: db.select(leaseColumns).from(leases).where(eq(leases.handle, given('handle'))).prepare('lease'),
    liveLeases: db.select(leaseColumns).from(leases).where(isLive).orderBy(asc(leases.expiresAtMs)).prepare('live_leases'),
    liveOfKey: db.select(leaseColumns).from(leases).where(and(ofKey(), isLive)).prepare('live_of_key'),
    // A key is bound anew only when its lease is over: a live one is always the last.
    lastOfKey: db.select(leaseColumns).from(leases).where(ofKey()).orderBy(desc(ordinal)).limit(1).prepare('last_of_key'),
    insertLease: db.insert(leases).values(boundColumns(leaseColumns)).prepare('insert_lease'),
    updateLease: db.update(leases)
      .set(boundColumns(leaseColumns, fixedLeaseColumns))
      .where(eq(leases.handle, given('handle')))
      .prepare('update_lease'),
    purgeEnded: db.delete(leases).where(sql`${leases.handle} in (
      select ${leases.handle} from ${leases} where ${isEnded} and ${lte(leases.endedAtMs, given('untilMs'))} order by ${leases.endedAtMs} limit ${sql.placeholder('most')})`).prepare('purge_ended'),
    insertAudit: db.insert(audit).values(boundColumns(getTableColumns(audit), ['id'])).prepare('insert_audit'),
    audit: db.select().from(audit).where(lt(audit.id, given('before'))).orderBy(desc(audit.id)).limit(sql.placeholder('limit')).prepare('audit'),
    purgeAudit: db.delete(audit).where(sql`${audit.id} in (
      select ${audit.id} from ${audit} where ${lte(audit.atMs, given('untilMs'))} order by ${audit.atMs} limit ${sql.placeholder('most')})`).prepare('purge_audit'),
    noteAlive: db.insert(presence)
      .values({ id: onlyRow, aliveAtMs: given('atMs') })
      .onConflictDoUpdate({ target: presence.id, set: { aliveAtMs: sql`excluded.alive_at_ms` } })
      .prepare('note_alive'),
    aliveAtMs: db.select({ aliveAtMs: presence.aliveAtMs }).from(presence).prepare('alive_at')
  }
}
