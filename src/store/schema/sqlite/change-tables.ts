import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { devices } from './lease-tables.ts'

/** One row per thing that leases have changed on a device and that has not been put back. */
export const changes = sqliteTable('changes', {
  // In the order in which they were made; never given out again.
  id: integer('id').primaryKey({ autoIncrement: true }),
  deviceId: text('device_id').notNull().references(() => devices.id),
  fence: integer('fence').notNull(),
  kind: text('kind').notNull(),
  target: text('target').notNull(),
  before: text('before', { mode: 'json' })
}, (table) => [
  // How it was before the first change counts. Also finds the few rows of a device.
  uniqueIndex('changes_once_per_thing').on(table.deviceId, table.kind, table.target)
])
