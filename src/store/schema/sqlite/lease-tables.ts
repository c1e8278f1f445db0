import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { auditEvents } from '../../../leases/contract/audit.ts'
import { endReasons, leaseStates, priorities } from '../../../leases/contract/lease.ts'
import { recordedDeviceStates } from '../../../leases/contract/lease-machine.ts'

/** One row per device ever seen. It stays for good: its fencing token must never start again. */
export const devices = sqliteTable('devices', {
  id: text('id').primaryKey(),
  state: text('state', { enum: recordedDeviceStates }).notNull(),
  fence: integer('fence').notNull(),
  reason: text('reason'),
  blockReason: text('block_reason'),
  blockBy: text('block_by'),
  blockAtMs: integer('block_at_ms'),
  drainReason: text('drain_reason'),
  drainBy: text('drain_by'),
  drainAtMs: integer('drain_at_ms'),
  drainDeadlineAtMs: integer('drain_deadline_at_ms'),
  lastUsedAtMs: integer('last_used_at_ms').notNull(),
  failures: integer('failures').notNull().default(0)
})

/** One row per lease, until its tombstone is purged. The defaults are what rows of the first version got. */
export const leases = sqliteTable('leases', {
  handle: text('handle').primaryKey(),
  deviceId: text('device_id').notNull().references(() => devices.id),
  bootId: text('boot_id').notNull(),
  fence: integer('fence').notNull(),
  principal: text('principal').notNull(),
  sessionKey: text('session_key'),
  state: text('state', { enum: leaseStates }).notNull(),
  purpose: text('purpose'),
  priority: text('priority', { enum: priorities }).notNull().default('normal'),
  grantedAtMs: integer('granted_at_ms').notNull(),
  ttlMs: integer('ttl_ms').notNull(),
  expiresAtMs: integer('expires_at_ms').notNull(),
  mustEndAtMs: integer('must_end_at_ms').notNull().default(0),
  idleMs: integer('idle_ms').notNull().default(0),
  lastControlAtMs: integer('last_control_at_ms').notNull().default(0),
  isUsed: integer('is_used', { mode: 'boolean' }).notNull().default(true),
  isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull().default(true),
  heartbeatMs: integer('heartbeat_ms'),
  endReason: text('end_reason', { enum: endReasons }),
  endedAtMs: integer('ended_at_ms'),
  endNote: text('end_note')
}, (table) => [
  // The database itself refuses a second holder, whatever the code above it believes.
  uniqueIndex('leases_one_open_per_device').on(table.deviceId).where(sql`state <> 'ended'`),
  uniqueIndex('leases_fence_once_per_device').on(table.deviceId, table.fence),
  uniqueIndex('leases_one_live_per_session_key').on(table.principal, table.sessionKey).where(sql`session_key is not null and state in ('granted', 'awaiting_owner')`),
  // Each finds its few rows among the many tombstones, or the old ones among the young.
  index('leases_live_by_expiry').on(table.expiresAtMs).where(sql`state in ('granted', 'awaiting_owner')`),
  index('leases_by_session_key').on(table.principal, table.sessionKey).where(sql`session_key is not null`),
  index('leases_ended_by_age').on(table.endedAtMs).where(sql`state = 'ended'`)
])

/** What happened to devices and leases. */
export const audit = sqliteTable('audit', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  event: text('event', { enum: auditEvents }).notNull(),
  deviceId: text('device_id'),
  lease: text('lease'),
  principal: text('principal'),
  by: text('by'),
  reason: text('reason')
}, (table) => [
  index('audit_by_age').on(table.atMs)
])

/** One row: when the process that has the database open was last known to be alive. */
export const presence = sqliteTable('presence', {
  id: integer('id').primaryKey(),
  aliveAtMs: integer('alive_at_ms').notNull()
})
