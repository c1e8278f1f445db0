/**
 * How devices, leases and the audit lie in columns, in every dialect. The tables of a dialect
 * have these columns and no others: their rows are checked against these types wherever they
 * are read and written. (Types, not interfaces: a statement takes a row as a record of values.)
 */
import type { AuditEntry } from '../leases/contract/audit.ts'
import type { Lease } from '../leases/contract/lease.ts'
import { holdOf, type DeviceRecord, type Hold, type Occupancy } from '../leases/contract/lease-machine.ts'

export type DeviceRow = {
  readonly id: string
  readonly state: DeviceRecord['state']
  readonly fence: number
  readonly reason: string | null
  readonly blockReason: string | null
  readonly blockBy: string | null
  readonly blockAtMs: number | null
  readonly drainReason: string | null
  readonly drainBy: string | null
  readonly drainAtMs: number | null
  readonly drainDeadlineAtMs: number | null
  readonly lastUsedAtMs: number
  readonly failures: number
}

export type LeaseRow = {
  readonly handle: string
  readonly deviceId: string
  readonly bootId: string
  readonly fence: number
  readonly principal: string
  readonly sessionKey: string | null
  readonly state: Lease['state']
  readonly purpose: string | null
  readonly priority: Lease['priority']
  readonly grantedAtMs: number
  readonly ttlMs: number
  readonly expiresAtMs: number
  readonly mustEndAtMs: number
  readonly idleMs: number
  readonly lastControlAtMs: number
  readonly isUsed: boolean
  readonly isConfirmed: boolean
  readonly heartbeatMs: number | null
  readonly endReason: NonNullable<Lease['end']>['reason'] | null
  readonly endedAtMs: number | null
  readonly endNote: string | null
}

export type AuditRow = {
  readonly id: number
  readonly atMs: number
  readonly event: AuditEntry['event']
  readonly deviceId: string | null
  readonly lease: string | null
  readonly principal: string | null
  readonly by: string | null
  readonly reason: string | null
}

/**
 * What the grant fixes for good. A change of a lease writes every other column, so that a column
 * is missing from this list by mistake is written too often rather than never.
 */
export const fixedLeaseColumns = [
  'handle', 'deviceId', 'bootId', 'fence', 'principal', 'sessionKey', 'purpose', 'priority', 'grantedAtMs', 'idleMs', 'heartbeatMs'
] as const satisfies readonly (keyof LeaseRow)[]

export function toOccupancy ({ device, lease }: { readonly device: DeviceRow, readonly lease: LeaseRow | null }): Occupancy {
  const { id, state, fence, reason, lastUsedAtMs, failures } = device
  return {
    device: { id, state, fence, reason: reason ?? undefined, holds: toHolds(device), lastUsedAtMs, failures },
    lease: lease === null ? undefined : toLease(lease)
  }
}

function toHolds (
  { blockReason, blockBy, blockAtMs, drainReason, drainBy, drainAtMs, drainDeadlineAtMs }: DeviceRow
): readonly Hold[] {
  const holds: Hold[] = []
  if (blockReason !== null && blockBy !== null && blockAtMs !== null) {
    holds.push({ kind: 'block', reason: blockReason, by: blockBy, atMs: blockAtMs })
  }
  if (drainReason !== null && drainBy !== null && drainAtMs !== null) {
    holds.push({
      kind: 'drain',
      reason: drainReason,
      by: drainBy,
      atMs: drainAtMs,
      ...(drainDeadlineAtMs === null ? {} : { deadlineAtMs: drainDeadlineAtMs })
    })
  }
  return holds
}

export function toDeviceRow (device: DeviceRecord): DeviceRow {
  const { holds, reason, ...same } = device
  const [block, drain] = [holdOf(device, 'block'), holdOf(device, 'drain')]
  return {
    ...same,
    reason: reason ?? null,
    blockReason: block?.reason ?? null,
    blockBy: block?.by ?? null,
    blockAtMs: block?.atMs ?? null,
    drainReason: drain?.reason ?? null,
    drainBy: drain?.by ?? null,
    drainAtMs: drain?.atMs ?? null,
    drainDeadlineAtMs: drain?.deadlineAtMs ?? null
  }
}

// Spelled out, both of them: copying "the rest" of an object of twenty fields costs more than the statement.
export function toLease (row: LeaseRow): Lease {
  const { endReason, endedAtMs, endNote } = row
  return {
    handle: row.handle,
    deviceId: row.deviceId,
    bootId: row.bootId,
    fence: row.fence,
    holder: { principal: row.principal },
    sessionKey: row.sessionKey ?? undefined,
    state: row.state,
    purpose: row.purpose ?? undefined,
    priority: row.priority,
    grantedAtMs: row.grantedAtMs,
    ttlMs: row.ttlMs,
    expiresAtMs: row.expiresAtMs,
    mustEndAtMs: row.mustEndAtMs,
    idleMs: row.idleMs,
    lastControlAtMs: row.lastControlAtMs,
    isUsed: row.isUsed,
    isConfirmed: row.isConfirmed,
    heartbeatMs: row.heartbeatMs ?? undefined,
    end: endReason === null || endedAtMs === null
      ? undefined
      : { reason: endReason, atMs: endedAtMs, ...(endNote === null ? {} : { note: endNote }) }
  }
}

export function toLeaseRow (lease: Lease): LeaseRow {
  return {
    handle: lease.handle,
    deviceId: lease.deviceId,
    bootId: lease.bootId,
    fence: lease.fence,
    principal: lease.holder.principal,
    sessionKey: lease.sessionKey ?? null,
    state: lease.state,
    purpose: lease.purpose ?? null,
    priority: lease.priority,
    grantedAtMs: lease.grantedAtMs,
    ttlMs: lease.ttlMs,
    expiresAtMs: lease.expiresAtMs,
    mustEndAtMs: lease.mustEndAtMs,
    idleMs: lease.idleMs,
    lastControlAtMs: lease.lastControlAtMs,
    isUsed: lease.isUsed,
    isConfirmed: lease.isConfirmed,
    heartbeatMs: lease.heartbeatMs ?? null,
    endReason: lease.end?.reason ?? null,
    endedAtMs: lease.end?.atMs ?? null,
    endNote: lease.end?.note ?? null
  }
}

export function toAuditEntry ({ id, atMs, event, ...rest }: AuditRow): AuditEntry {
  const { deviceId, lease, principal, by, reason } = rest
  return {
    id,
    atMs,
    event,
    ...(deviceId === null ? {} : { deviceId }),
    ...(lease === null ? {} : { lease }),
    ...(principal === null ? {} : { principal }),
    ...(by === null ? {} : { by }),
    ...(reason === null ? {} : { reason })
  }
}

export function toAuditRow ({ atMs, event, deviceId, lease, principal, by, reason }: Omit<AuditEntry, 'id'>): Omit<AuditRow, 'id'> {
  return {
    atMs,
    event,
    deviceId: deviceId ?? null,
    lease: lease ?? null,
    principal: principal ?? null,
    by: by ?? null,
    reason: reason ?? null
  }
}
