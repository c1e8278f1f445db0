import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { endReasons, leaseStates } from '../../../leases/lease.ts'
import { recordedDeviceStates } from '../../../leases/lease-machine.ts'

/** One row per device ever seen. It stays for good: its fencing token must never start again. */
export const devices = sqliteTable('devices', {
  id: text('id').primaryKey(),
  state: text('state', { enum: recordedDeviceStates }).notNull(),
  fence: integer('fence').notNull(),
  reason: text('reason'),
  lastUsedAtMs: integer('last_used_at_ms').notNull()
})

/** One row per lease, until its tombstone is purged. */
export const leases = sqliteTable('leases', {
  handle: text('handle').primaryKey(),
  deviceId: text('device_id').notNull().references(() => devices.id),
  bootId: text('boot_id').notNull(),
  fence: integer('fence').notNull(),
  principal: text('principal').notNull(),
  state: text('state', { enum: leaseStates }).notNull(),
  purpose: text('purpose'),
  grantedAtMs: integer('granted_at_ms').notNull(),
  ttlMs: integer('ttl_ms').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
  endReason: text('end_reason', { enum: endReasons }),
  endedAtMs: integer('ended_at_ms')
}, (table) => [
  // The database itself refuses a second holder, whatever the code above it believes.
  uniqueIndex('leases_one_open_per_device').on(table.deviceId).where(sql`state <> 'ended'`),
  uniqueIndex('leases_fence_once_per_device').on(table.deviceId, table.fence),
  // Each finds its few rows among the many tombstones, or the old ones among the young.
  index('leases_granted_by_expiry').on(table.expiresAtMs).where(sql`state = 'granted'`),
  index('leases_ended_by_age').on(table.endedAtMs).where(sql`state = 'ended'`)
])
