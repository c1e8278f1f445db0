import type { Database } from 'better-sqlite3'
import { desc, eq, getTableColumns } from 'drizzle-orm'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { ChangeRows } from '../../leases/cleanup/change-rows.ts'
import { boundColumns, given } from '../bound-columns.ts'
import { changes } from '../schema/sqlite/change-tables.ts'
import { devices } from '../schema/sqlite/lease-tables.ts'

/** `ChangeRows` on SQLite, on the connection and in the file of the leases. */
export function createSqliteChangeRows (client: Database): ChangeRows {
  const statements = prepareStatements(drizzle(client))

  const add = client.transaction((row, mayAdd) => {
    const isAllowed = mayAdd(statements.device.get({ deviceId: row.deviceId })?.fence)
    if (isAllowed) statements.add.run({ ...row })
    return isAllowed
  }) satisfies (...given: Parameters<ChangeRows['add']>) => boolean

  return {
    async add (row, mayAdd) {
      return add(row, mayAdd)
    },

    async ofDevice (deviceId) {
      return statements.ofDevice.all({ deviceId })
    },

    async remove (id) {
      statements.remove.run({ id })
    }
  }
}

function prepareStatements (db: BetterSQLite3Database) {
  return {
    device: db.select({ fence: devices.fence }).from(devices).where(eq(devices.id, given('deviceId'))).prepare(),
    add: db.insert(changes).values(boundColumns(getTableColumns(changes), ['id'])).onConflictDoNothing().prepare(),
    ofDevice: db.select().from(changes).where(eq(changes.deviceId, given('deviceId'))).orderBy(desc(changes.id)).prepare(),
    remove: db.delete(changes).where(eq(changes.id, given('id'))).prepare()
  }
}
