import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { auditEvents } from '../../../leases/contract/audit.ts'
import { endReasons, leaseStates, priorities } from '../../../leases/contract/lease.ts'
import { recordedDeviceStates } from '../../../leases/contract/lease-machine.ts'
import { anyText, wholeNumber } from './column-types.ts'

/** As in SQLite: one row per device ever seen, for good. */
export const devices = pgTable('devices', {
  id: text('id').primaryKey(),
  state: text('state', { enum: recordedDeviceStates }).notNull(),
  fence: wholeNumber('fence').notNull(),
  reason: anyText('reason'),
  blockReason: anyText('block_reason'),
  blockBy: anyText('block_by'),
  blockAtMs: wholeNumber('block_at_ms'),
  drainReason: anyText('drain_reason'),
  drainBy: anyText('drain_by'),
  drainAtMs: wholeNumber('drain_at_ms'),
  drainDeadlineAtMs: wholeNumber('drain_deadline_at_ms'),
  lastUsedAtMs: wholeNumber('last_used_at_ms').notNull(),
  failures: integer('failures').notNull()
})

/** As in SQLite: one row per lease, until its tombstone is purged. */
export const leases = pgTable('leases', {
  handle: text('handle').primaryKey(),
  deviceId: text('device_id').notNull().references(() => devices.id),
  bootId: anyText('boot_id').notNull(),
  fence: wholeNumber('fence').notNull(),
  principal: anyText('principal').notNull(),
  sessionKey: text('session_key'),
  state: text('state', { enum: leaseStates }).notNull(),
  purpose: anyText('purpose'),
  priority: text('priority', { enum: priorities }).notNull(),
  grantedAtMs: wholeNumber('granted_at_ms').notNull(),
  ttlMs: wholeNumber('ttl_ms').notNull(),
  expiresAtMs: wholeNumber('expires_at_ms').notNull(),
  mustEndAtMs: wholeNumber('must_end_at_ms').notNull(),
  idleMs: wholeNumber('idle_ms').notNull(),
  lastControlAtMs: wholeNumber('last_control_at_ms').notNull(),
  isUsed: boolean('is_used').notNull(),
  isConfirmed: boolean('is_confirmed').notNull(),
  heartbeatMs: wholeNumber('heartbeat_ms'),
  endReason: text('end_reason', { enum: endReasons }),
  endedAtMs: wholeNumber('ended_at_ms'),
  endNote: anyText('end_note'),
  // The order of the grants, which SQLite tells by the row itself.
  ordinal: wholeNumber('ordinal').generatedAlwaysAsIdentity()
}, (table) => [
  // The database itself refuses a second holder, whatever the code above it believes.
  uniqueIndex('leases_one_open_per_device').on(table.deviceId).where(sql`state <> 'ended'`),
  uniqueIndex('leases_fence_once_per_device').on(table.deviceId, table.fence),
  uniqueIndex('leases_one_live_per_session_key').on(table.principal, table.sessionKey)
    .where(sql`session_key is not null and state in ('granted', 'awaiting_owner')`),
  // Each finds its few rows among the many tombstones, or the old ones among the young.
  index('leases_live_by_expiry').on(table.expiresAtMs).where(sql`state in ('granted', 'awaiting_owner')`),
  index('leases_by_session_key').on(table.principal, table.sessionKey, table.ordinal).where(sql`session_key is not null`),
  index('leases_ended_by_age').on(table.endedAtMs).where(sql`state = 'ended'`)
])

/** What happened to devices and leases. */
export const audit = pgTable('audit', {
  id: wholeNumber('id').primaryKey().generatedAlwaysAsIdentity(),
  atMs: wholeNumber('at_ms').notNull(),
  event: text('event', { enum: auditEvents }).notNull(),
  deviceId: text('device_id'),
  lease: text('lease'),
  principal: anyText('principal'),
  by: anyText('by'),
  reason: anyText('reason')
}, (table) => [
  index('audit_by_age').on(table.atMs)
])

/** One row: when the process that has the database was last known to be alive. */
export const presence = pgTable('presence', {
  id: integer('id').primaryKey(),
  aliveAtMs: wholeNumber('alive_at_ms').notNull()
})
