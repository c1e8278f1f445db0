/** The pool as operators read it: labels instead of principals, ids instead of handles. */
import type { Lease } from '../../src/leases/contract/lease.ts'
import type { AuditEntry } from '../../src/leases/contract/audit.ts'
import type { LeaseManager, PooledDevice, WaitingRequest } from '../../src/leases/contract/lease-manager.ts'
import { labelOfPrincipal } from '../../src/protocol/principal.ts'
import { isoTime } from '../../src/tools/iso-time.ts'
import { endsAt } from '../../src/tools/lease-data.ts'
import { formatLeaseId } from './lease-id.ts'
import type { AuditData, DeviceData, LeaseData, WaitingData } from './pool-shapes.ts'

/** Enough of a handle to find it in a log, and far too little to guess it. */
const shownCharacters = 6

export function leaseData (lease: Lease): LeaseData {
  const { handle, deviceId, fence, state, holder, purpose, priority, grantedAtMs, end } = lease
  return {
    id: formatLeaseId(lease),
    handle: `${handle.slice(0, shownCharacters)}…`,
    device: deviceId,
    fence,
    state,
    holder: labelOfPrincipal(holder.principal),
    purpose,
    priority,
    grantedAt: isoTime(grantedAtMs),
    expiresAt: endsAt(lease),
    end: end && { reason: end.reason, at: isoTime(end.atMs), note: end.note }
  }
}

export function deviceData ({ description, state, reason, holds, failures, lease }: PooledDevice): DeviceData {
  const { id, name, platform, kind, model, osVersion, labels } = description
  return {
    id,
    name,
    platform,
    kind,
    model,
    os: osVersion,
    labels,
    state,
    reason,
    failures,
    holds: holds.map(({ kind, reason, by, atMs, deadlineAtMs }) => ({
      kind,
      reason,
      by: labelOfPrincipal(by),
      at: isoTime(atMs),
      deadline: deadlineAtMs === undefined ? undefined : isoTime(deadlineAtMs)
    })),
    lease: lease && leaseData(lease)
  }
}

/** The devices that an order was about, as they are now. */
export async function devicesData (leases: Pick<LeaseManager, 'devices'>, ids: readonly string[]): Promise<{ readonly devices: readonly DeviceData[] }> {
  return { devices: (await leases.devices()).filter(({ description }) => ids.includes(description.id)).map(deviceData) }
}

export function waitingData ({ id, principal, priority, wanted, purpose, sinceMs, position, estimateMs }: WaitingRequest, nowMs: number): WaitingData {
  return {
    id,
    position,
    holder: labelOfPrincipal(principal),
    purpose,
    priority,
    wanted,
    since: isoTime(sinceMs),
    waitedMs: Math.max(0, Math.round(nowMs - sinceMs)),
    estimateMs
  }
}

export function auditData ({ id, atMs, event, deviceId, lease, principal, by, reason }: AuditEntry): AuditData {
  return {
    id,
    at: isoTime(atMs),
    event,
    device: deviceId,
    lease,
    holder: principal === undefined ? undefined : labelOfPrincipal(principal),
    by: by === undefined ? undefined : labelOfPrincipal(by),
    reason
  }
}
