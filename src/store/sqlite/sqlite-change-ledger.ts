import type { Database } from 'better-sqlite3'
import { and, desc, eq, sql, type SQL } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { changeSchema, type ChangeLedger } from '../../leases/cleanup/change-ledger.ts'
import { changes } from '../schema/sqlite/change-tables.ts'
import { devices } from '../schema/sqlite/lease-tables.ts'

/** `ChangeLedger` on SQLite, on the connection and in the file of the leases. */
export function createSqliteChangeLedger (client: Database): ChangeLedger {
  const statements = prepareStatements(drizzle(client))

  // One transaction: the end of a lease raises the fence, and its cleanup reads the rows after that.
  const record = client.transaction(({ kind, target, before }, { deviceId, fence }) => {
    if (statements.device.get({ deviceId, fence }) === undefined) return false
    statements.insert.run({ deviceId, fence, kind, target, before })
    return true
  }) satisfies (...given: Parameters<ChangeLedger['record']>) => boolean

  return {
    async record (change, by) {
      return record(change, by)
    },

    async changesOf (deviceId) {
      return statements.ofDevice.all({ deviceId }).map(({ id, kind, target, before }) => ({ id, change: changeSchema.parse({ kind, target, before }) }))
    },

    async remove (id) {
      statements.remove.run({ id })
    }
  }
}

function prepareStatements (db: BetterSQLite3Database) {
  const given = (name: string): SQL => sql`${sql.placeholder(name)}`

  return {
    device: db.select({ id: devices.id }).from(devices).where(and(eq(devices.id, given('deviceId')), eq(devices.fence, given('fence')))).prepare(),
    insert: db.insert(changes)
      .values({
        deviceId: sql.placeholder('deviceId'),
        fence: sql.placeholder('fence'),
        kind: sql.placeholder('kind'),
        target: sql.placeholder('target'),
        before: sql.placeholder('before')
      })
      .onConflictDoNothing()
      .prepare(),
    ofDevice: db.select().from(changes).where(eq(changes.deviceId, given('deviceId'))).orderBy(desc(changes.id)).prepare(),
    remove: db.delete(changes).where(eq(changes.id, given('id'))).prepare()
  }
}
