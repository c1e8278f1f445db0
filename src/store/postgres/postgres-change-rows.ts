import { desc, eq, getTableColumns } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { ChangeRows } from '../../leases/cleanup/change-rows.ts'
import { boundColumns, given } from '../bound-columns.ts'
import { changes } from '../schema/postgres/change-tables.ts'
import { devices } from '../schema/postgres/lease-tables.ts'
import { onEach, type PostgresWork } from './postgres-work.ts'

/** `ChangeRows` on Postgres. The fence that is read is locked in common: no lease can end before the row is there. */
export function createPostgresChangeRows ({ lookUp, change }: PostgresWork): ChangeRows {
  const on = onEach(prepareStatements)

  return {
    add: (row, mayAdd) => change({
      durable: true,
      read: async (connection) => (await on(connection).lockedFence.execute({ deviceId: row.deviceId }))[0]?.fence,
      async write (connection, fence) {
        const isAllowed = mayAdd(fence)
        if (isAllowed) await on(connection).add.execute({ ...row })
        return isAllowed
      }
    }),

    ofDevice: (deviceId) => lookUp((connection) => on(connection).ofDevice.execute({ deviceId })),

    remove: (id) => change({
      durable: true,
      read: async () => undefined,
      write: async (connection) => { await on(connection).remove.execute({ id }) }
    })
  }
}

function prepareStatements (db: NodePgDatabase) {
  return {
    lockedFence: db.select({ fence: devices.fence }).from(devices).where(eq(devices.id, given('deviceId'))).for('share').prepare('locked_fence'),
    add: db.insert(changes).values(boundColumns(getTableColumns(changes), ['id'])).onConflictDoNothing().prepare('add_change'),
    ofDevice: db.select().from(changes).where(eq(changes.deviceId, given('deviceId'))).orderBy(desc(changes.id)).prepare('changes_of_device'),
    remove: db.delete(changes).where(eq(changes.id, given('id'))).prepare('remove_change')
  }
}
