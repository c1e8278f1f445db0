/**
 * A lease: one holder's exclusive, timed use of one incarnation of a device.
 *
 *   granted    the holder may act on the device until `expiresAtMs`; use and renewal move it
 *   releasing  over for its holder; the device is being put back to its home state
 *   ended      the device has left this lease behind; the row stays as a tombstone
 *
 * A handle names one lease for ever. After `granted` it is refused with the reason.
 */
export const leaseStates = ['granted', 'releasing', 'ended'] as const
export type LeaseState = (typeof leaseStates)[number]

export const endReasons = ['released', 'expired', 'revoked', 'device_restarted', 'device_lost'] as const
/** Why a lease ended: by its holder, by time, by us, or because the device did not last. */
export type EndReason = (typeof endReasons)[number]

export interface LeaseEnd {
  readonly reason: EndReason
  readonly atMs: number
}

/** Who a lease belongs to. */
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
  readonly state: LeaseState
  /** What the holder said it wants the device for, for whoever looks at the pool. */
  readonly purpose: string | undefined
  readonly grantedAtMs: number
  /** How far use and renewal push `expiresAtMs`. */
  readonly ttlMs: number
  /** Epoch milliseconds. The lease is over at this instant, not after it. */
  readonly expiresAtMs: number
  /** Set once the state is no longer `granted`. */
  readonly end: LeaseEnd | undefined
}
