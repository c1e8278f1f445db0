/**
 * How operators name a lease: its device and its fencing token, `virtual-android-1:7`.
 *
 * The handle will not do. It is what a holder acts with, so no list may show it, and paths are
 * logged. The device alone will not do either: between the look and the order it may have
 * gone to another holder, which would lose it. Device and fence name one lease for ever,
 * because a device gives out each fence once, and say nothing that is secret.
 */
import type { Lease } from '../../src/leases/contract/lease.ts'

export interface LeaseId {
  readonly deviceId: string
  readonly fence: number
}

export function formatLeaseId ({ deviceId, fence }: LeaseId): string {
  return `${deviceId}:${fence}`
}

/** @returns the lease that an id names among `leases`; undefined also for what is no id */
export function findLease (leases: readonly Lease[], id: string): Lease | undefined {
  return leases.find((lease) => formatLeaseId(lease) === id)
}
