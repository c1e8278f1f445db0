import type { LeaseEvent, Occupancy } from './lease-machine.ts'
import { shownHandle } from '../log.ts'

export const auditEvents = [
  'grant', 'end', 'drain', 'undrain', 'block', 'unblock', 'quarantine', 'return', 'add', 'remove'
] as const
export type AuditEvent = (typeof auditEvents)[number]

/** Something that happened to a device or a lease, written with the change itself. */
export interface AuditEntry {
  /** Rises with time. */
  readonly id: number
  readonly atMs: number
  readonly event: AuditEvent
  readonly deviceId?: string
  /** The first characters of the handle: the whole of it is a capability. */
  readonly lease?: string
  /** The principal that the lease belongs to. */
  readonly principal?: string
  /** The operator that did it. */
  readonly by?: string
  readonly reason?: string
}

/** What a change leaves in the audit; undefined when it is none of its business. */
export function auditOf (event: LeaseEvent, before: Occupancy, after: Occupancy): Omit<AuditEntry, 'id'> | undefined {
  const { deviceId, nowMs: atMs } = event
  const about = { atMs, deviceId }
  switch (event.type) {
    case 'grant':
      return { ...about, event: 'grant', ...leaseFacts(after) }
    case 'end': {
      const { reason, note } = after.lease?.end ?? event
      return {
        ...about,
        event: 'end',
        ...leaseFacts(after),
        ...(event.by === undefined ? {} : { by: event.by }),
        reason: note === undefined ? reason : `${reason}: ${note}`
      }
    }
    case 'hold':
      return { ...about, event: event.hold.kind, by: event.hold.by, reason: event.hold.reason }
    case 'unhold':
      return { ...about, event: event.kind === 'drain' ? 'undrain' : 'unblock', by: event.by }
    case 'quarantine':
      // Each try that fails says so in the log; here it counts once.
      return before.device.state === 'quarantined' ? undefined : { ...about, event: 'quarantine', reason: event.reason }
    case 'settle':
      return before.device.state === 'quarantined' ? { ...about, event: 'return' } : undefined
    case 'add':
      return { ...about, event: 'add', by: event.by }
    case 'remove':
      return { ...about, event: 'remove', by: event.by, reason: event.reason }
    case 'extend':
    case 'confirm':
    case 'await_owner':
    case 'resume':
      return undefined
  }
}

function leaseFacts ({ lease }: Occupancy): Pick<AuditEntry, 'lease' | 'principal'> {
  return lease === undefined ? {} : { lease: shownHandle(lease.handle), principal: lease.holder.principal }
}
