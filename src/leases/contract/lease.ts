/**
 * A lease: one holder's exclusive, timed use of one incarnation of a device.
 *
 *   granted         the holder may act on the device until its time is over
 *   awaiting_owner  as granted, after a restart of ours: any sign of its holder makes it granted
 *   releasing       over for its holder; the device is being put back to its home state
 *   ended           the device has left this lease behind; the row stays as a tombstone
 *
 * A lease in one of the first two states is live. A handle names one lease for ever; once that
 * is no longer live, it is refused with the reason.
 */
export const leaseStates = ['granted', 'awaiting_owner', 'releasing', 'ended'] as const
export type LeaseState = (typeof leaseStates)[number]

export const endReasons = [
  'released', 'released_by_other', 'undelivered', 'unused', 'expired', 'idle', 'max_length', 'heartbeat_lost', 'owner_lost', 'revoked', 'drained',
  'device_restarted', 'device_lost'
] as const
/** Why a lease ended: by its holder, by time, by an operator, or because the device did not last. */
export type EndReason = (typeof endReasons)[number]

export interface LeaseEnd {
  readonly reason: EndReason
  readonly atMs: number
  /** Why an operator ended it, in the operator's words. */
  readonly note?: string
}

export const priorities = ['low', 'normal', 'high'] as const
/** The band in which a request waits. */
export type Priority = (typeof priorities)[number]

/** The principal that a lease belongs to. */
export interface Holder {
  /** `Principal.key` of the verified token. */
  readonly principal: string
}

export interface Lease {
  /** Unguessable, `ls_…`. Names the lease; does not by itself authorize its use. */
  readonly handle: string
  readonly deviceId: string
  /** Boot id of the device at the grant: the incarnation the lease is for. */
  readonly bootId: string
  /** Strictly increasing per device, persisted, never reused. */
  readonly fence: number
  readonly holder: Holder
  /** Hash of the session key whose calls use this lease without naming it. */
  readonly sessionKey: string | undefined
  readonly state: LeaseState
  /** What the holder said it wants the device for. Operators see it. */
  readonly purpose: string | undefined
  readonly priority: Priority
  readonly grantedAtMs: number
  /** How far use and renewal push `expiresAtMs`. */
  readonly ttlMs: number
  /** The lease is over at this instant, not after it. Never beyond `mustEndAtMs`. */
  readonly expiresAtMs: number
  /** When the lease is over however much it is used and renewed. */
  readonly mustEndAtMs: number
  /** How long after `lastControlAtMs` the lease is over for want of control calls. */
  readonly idleMs: number
  /** When the last control call ended; the grant before there was one. */
  readonly lastControlAtMs: number
  /** Whether any call has been let in under it. */
  readonly isUsed: boolean
  /** Whether the holder is known to have learned of it: it was claimed by another call than the one that acquired it. */
  readonly isConfirmed: boolean
  /** How long its holder may be silent, if it promised heartbeats. */
  readonly heartbeatMs: number | undefined
  /** Set once the lease is no longer live. */
  readonly end: LeaseEnd | undefined
}

/** Whether the lease still belongs to its holder. */
export function isLive ({ state }: Lease): boolean {
  return state === 'granted' || state === 'awaiting_owner'
}
