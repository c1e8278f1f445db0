import type { LeaseEvent } from '../../src/leases/contract/lease-machine.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import { memoryLeaseStore } from './memory-lease-store.ts'

export interface BreakableStore {
  readonly store: LeaseStore
  /** Whether its disk is broken, for changes of these types. */
  isBroken: boolean
}

/** A store in which changes fail while its disk is broken: no lease can end, unless other types are named. */
export function breakableStore (types: readonly LeaseEvent['type'][] = ['end']): BreakableStore {
  const memory = memoryLeaseStore()
  const disk: BreakableStore = {
    isBroken: false,
    store: {
      ...memory,
      change: async (event) => {
        if (disk.isBroken && types.includes(event.type)) throw new Error('disk gone')
        return await memory.change(event)
      }
    }
  }
  return disk
}
