import type { Lease } from './lease.ts'
import type { LeaseStore } from './lease-store.ts'

/** A device is in another state, or has another lease. That a lease lasts longer now is no change. */
export interface PoolChange {
  readonly deviceId: string
  /** The lease that is over, at the moment it is. */
  readonly ended: Lease | undefined
}

/** Tells what changes in a store, whoever changes it. `tell` must not throw: the change is made. */
export function watchChanges (store: LeaseStore, tell: (change: PoolChange) => void): LeaseStore {
  return {
    enroll: (deviceIds) => store.enroll(deviceIds),
    occupancies: () => store.occupancies(),
    lease: (handle) => store.lease(handle),
    grantedLeases: () => store.grantedLeases(),
    purgeEnded: (untilMs) => store.purgeEnded(untilMs),

    async change (event) {
      const changed = await store.change(event)
      if (changed !== undefined && event.type !== 'extend') {
        tell({ deviceId: event.deviceId, ended: event.type === 'end' ? changed.lease : undefined })
      }
      return changed
    }
  }
}
