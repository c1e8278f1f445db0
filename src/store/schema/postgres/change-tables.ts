import { pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { anyText, jsonText, wholeNumber } from './column-types.ts'
import { devices } from './lease-tables.ts'

/** As in SQLite: one row per thing that leases have changed on a device and that has not been put back. */
export const changes = pgTable('changes', {
  // In the order in which they were made; never given out again.
  id: wholeNumber('id').primaryKey().generatedAlwaysAsIdentity(),
  deviceId: text('device_id').notNull().references(() => devices.id),
  fence: wholeNumber('fence').notNull(),
  kind: text('kind').notNull(),
  target: anyText('target').notNull(),
  before: jsonText('before')
}, (table) => [
  // How it was before the first change counts. Also finds the few rows of a device.
  uniqueIndex('changes_once_per_thing').on(table.deviceId, table.kind, table.target)
])
