import type { AuditEntry } from '../../leases/audit.ts'
import type { Lease } from '../../leases/lease.ts'
import type { DeviceRecord, Hold, Occupancy } from '../../leases/lease-machine.ts'
import type { audit, devices, leases } from '../schema/sqlite/lease-tables.ts'

type DeviceRow = typeof devices.$inferSelect
type LeaseRow = typeof leases.$inferSelect
type AuditRow = typeof audit.$inferSelect

export function toOccupancy ({ device, lease }: { readonly device: DeviceRow, readonly lease: LeaseRow | null }): Occupancy {
  const { id, state, fence, reason, lastUsedAtMs, failures } = device
  return {
    device: { id, state, fence, reason: reason ?? undefined, hold: toHold(device), lastUsedAtMs, failures },
    lease: lease === null ? undefined : toLease(lease)
  }
}

function toHold ({ holdKind, holdReason, holdBy, holdAtMs, holdDeadlineAtMs }: DeviceRow): Hold | undefined {
  if (holdKind === null || holdReason === null || holdBy === null || holdAtMs === null) return undefined
  return {
    kind: holdKind,
    reason: holdReason,
    by: holdBy,
    atMs: holdAtMs,
    ...(holdDeadlineAtMs === null ? {} : { deadlineAtMs: holdDeadlineAtMs })
  }
}

export function toDeviceRow ({ hold, reason, ...same }: DeviceRecord): Record<keyof DeviceRow, unknown> {
  return {
    ...same,
    reason: reason ?? null,
    holdKind: hold?.kind ?? null,
    holdReason: hold?.reason ?? null,
    holdBy: hold?.by ?? null,
    holdAtMs: hold?.atMs ?? null,
    holdDeadlineAtMs: hold?.deadlineAtMs ?? null
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
