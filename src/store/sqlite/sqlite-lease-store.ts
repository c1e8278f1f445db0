import type { Database } from 'better-sqlite3'
import { and, asc, eq, getTableColumns, lte, sql, type SQL } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { Lease } from '../../leases/lease.ts'
import { advance, type DeviceRecord, type LeaseEvent, type Occupancy } from '../../leases/lease-machine.ts'
import type { LeaseStore } from '../../leases/lease-store.ts'
import { devices, leases } from '../schema/sqlite/lease-tables.ts'

type DeviceRow = typeof devices.$inferSelect
type LeaseRow = typeof leases.$inferSelect

// Spelled out, not bound: SQLite uses a partial index only where it can read its condition.
const isOpen = sql`${leases.state} <> 'ended'`
const isGranted = sql`${leases.state} = 'granted'`
const isEnded = sql`${leases.state} = 'ended'`

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
    const after = advance(before, event)
    if (after === undefined) return undefined
    if (after.device !== before.device) statements.updateDevice.run(toDeviceRow(after.device))
    if (after.lease === undefined) {
      if (before.lease !== undefined) statements.deleteLease.run({ handle: before.lease.handle })
    } else if (before.lease === undefined) {
      statements.insertLease.run(toLeaseRow(after.lease))
    } else {
      statements.updateLease.run(toLeaseRow(after.lease))
    }
    return after
  }

  const changeInTransaction = client.transaction(change)
  const enroll = client.transaction((deviceIds: readonly string[]) => {
    for (const id of deviceIds) statements.enrollDevice.run({ id })
  })

  return {
    async enroll (deviceIds) {
      enroll(deviceIds)
    },

    async occupancies () {
      return statements.occupancies.all().map(toOccupancy)
    },

    async change (event) {
      if (event.type !== 'extend' || event.durable) return changeInTransaction(event)
      client.pragma('synchronous = NORMAL')
      try {
        return changeInTransaction(event)
      } finally {
        client.pragma('synchronous = FULL')
      }
    },

    async lease (handle) {
      const row = statements.lease.get({ handle })
      return row && toLease(row)
    },

    async grantedLeases () {
      return statements.grantedLeases.all().map(toLease)
    },

    async purgeEnded (untilMs) {
      return statements.purgeEnded.run({ untilMs }).changes
    }
  }
}

function prepareStatements (db: BetterSQLite3Database) {
  const given = (name: string): SQL => sql`${sql.placeholder(name)}`
  const occupancies = () => db
    .select({ device: getTableColumns(devices), lease: getTableColumns(leases) })
    .from(devices)
    .leftJoin(leases, and(eq(leases.deviceId, devices.id), isOpen))

  return {
    enrollDevice: db.insert(devices)
      .values({ id: given('id'), state: 'free', fence: 0, lastUsedAtMs: 0 })
      .onConflictDoNothing()
      .prepare(),
    occupancies: occupancies().orderBy(asc(devices.id)).prepare(),
    occupancy: occupancies().where(eq(devices.id, given('id'))).prepare(),
    updateDevice: db.update(devices)
      .set({ state: given('state'), fence: given('fence'), reason: given('reason'), lastUsedAtMs: given('lastUsedAtMs') })
      .where(eq(devices.id, given('id')))
      .prepare(),
    lease: db.select().from(leases).where(eq(leases.handle, given('handle'))).prepare(),
    grantedLeases: db.select().from(leases).where(isGranted).orderBy(asc(leases.expiresAtMs)).prepare(),
    insertLease: db.insert(leases)
      .values({
        handle: given('handle'),
        deviceId: given('deviceId'),
        bootId: given('bootId'),
        fence: given('fence'),
        principal: given('principal'),
        state: given('state'),
        purpose: given('purpose'),
        grantedAtMs: given('grantedAtMs'),
        ttlMs: given('ttlMs'),
        expiresAtMs: given('expiresAtMs'),
        endReason: given('endReason'),
        endedAtMs: given('endedAtMs')
      })
      .prepare(),
    // All that ever changes about a lease.
    updateLease: db.update(leases)
      .set({
        state: given('state'),
        ttlMs: given('ttlMs'),
        expiresAtMs: given('expiresAtMs'),
        endReason: given('endReason'),
        endedAtMs: given('endedAtMs')
      })
      .where(eq(leases.handle, given('handle')))
      .prepare(),
    deleteLease: db.delete(leases).where(eq(leases.handle, given('handle'))).prepare(),
    purgeEnded: db.delete(leases).where(and(isEnded, lte(leases.endedAtMs, given('untilMs')))).prepare()
  }
}

function toOccupancy ({ device, lease }: { readonly device: DeviceRow, readonly lease: LeaseRow | null }): Occupancy {
  return {
    device: { ...device, reason: device.reason ?? undefined },
    lease: lease === null ? undefined : toLease(lease)
  }
}

function toDeviceRow (device: DeviceRecord): Record<keyof DeviceRow, unknown> {
  return { ...device, reason: device.reason ?? null }
}

function toLease ({ principal, purpose, endReason, endedAtMs, ...same }: LeaseRow): Lease {
  return {
    ...same,
    holder: { principal },
    purpose: purpose ?? undefined,
    end: endReason === null || endedAtMs === null ? undefined : { reason: endReason, atMs: endedAtMs }
  }
}

function toLeaseRow ({ holder, purpose, end, ...same }: Lease): Record<keyof LeaseRow, unknown> {
  return {
    ...same,
    principal: holder.principal,
    purpose: purpose ?? null,
    endReason: end?.reason ?? null,
    endedAtMs: end?.atMs ?? null
  }
}
