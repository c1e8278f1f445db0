import type { AuditEntry } from '../../leases/contract/audit.ts'
import type { Lease } from '../../leases/contract/lease.ts'
import { holdOf, type DeviceRecord, type Hold, type Occupancy } from '../../leases/contract/lease-machine.ts'
import type { audit, devices, leases } from '../schema/sqlite/lease-tables.ts'

type DeviceRow = typeof devices.$inferSelect
type LeaseRow = typeof leases.$inferSelect
type AuditRow = typeof audit.$inferSelect

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

export function toDeviceRow (device: DeviceRecord): Record<keyof DeviceRow, unknown> {
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

export function toLease ({ principal, sessionKey, purpose, heartbeatMs, endReason, endedAtMs, endNote, ...same }: LeaseRow): Lease {
  return {
    ...same,
    holder: { principal },
    sessionKey: sessionKey ?? undefined,
    purpose: purpose ?? undefined,
    heartbeatMs: heartbeatMs ?? undefined,
    end: endReason === null || endedAtMs === null
      ? undefined
      : { reason: endReason, atMs: endedAtMs, ...(endNote === null ? {} : { note: endNote }) }
  }
}

export function toLeaseRow ({ holder, sessionKey, purpose, heartbeatMs, isUsed, end, ...same }: Lease): Record<keyof LeaseRow, unknown> {
  return {
    ...same,
    principal: holder.principal,
    sessionKey: sessionKey ?? null,
    purpose: purpose ?? null,
    heartbeatMs: heartbeatMs ?? null,
    // Bound by name, past the column's own conversion.
    isUsed: isUsed ? 1 : 0,
    endReason: end?.reason ?? null,
    endedAtMs: end?.atMs ?? null,
    endNote: end?.note ?? null
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

export function toAuditRow ({ atMs, event, deviceId, lease, principal, by, reason }: Omit<AuditEntry, 'id'>): Record<Exclude<keyof AuditRow, 'id'>, unknown> {
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
