import type { Lease } from './contract/lease.ts'
import type { LeaseEvent, Occupancy } from './contract/lease-machine.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

/** A device is in another state or held otherwise, or has another lease or one in another state. That a lease lasts longer now is no change. */
export interface PoolChange {
  readonly deviceId: string
  /** The lease that is over, at the moment it is. */
  readonly ended: Lease | undefined
}

/**
 * Notes on the board and tells what changes in a store, whoever changes it. `tell` must not throw:
 * the change is made.
 *
 * Changes to one device take turns: a store may answer the second of two before the first, and
 * the board would go on with what is no longer true.
 */
export function watchChanges (store: LeaseStore, board: OccupancyBoard, tell: (change: PoolChange) => void): LeaseStore {
  function note (event: LeaseEvent, changed: Occupancy): boolean {
    const before = board.of(event.deviceId)?.lease?.state
    board.note([changed])
    return (event.type !== 'extend' && event.type !== 'confirm') || before !== changed.lease?.state
  }

  const turns = new Map<string, Promise<unknown>>()

  async function inTurn<T> (events: readonly LeaseEvent[], work: () => Promise<T>): Promise<T> {
    const before = events.flatMap(({ deviceId }) => turns.get(deviceId) ?? [])
    const done = before.length === 0 ? work() : Promise.allSettled(before).then(work)
    for (const { deviceId } of events) turns.set(deviceId, done)
    try {
      return await done
    } finally {
      for (const { deviceId } of events) if (turns.get(deviceId) === done) turns.delete(deviceId)
    }
  }

  return {
    ...store,

    change: (event) => inTurn([event], async () => {
      const changed = await store.change(event)
      if (changed !== undefined && note(event, changed)) tell(toChange(event, changed))
      return changed
    }),

    changeAll: (events) => inTurn(events, async () => {
      const changed = await store.changeAll(events)
      if (changed === undefined) {
        // One of them is not what the board says: nobody is to be served from it again.
        const concerned = new Set(events.map(({ deviceId }) => deviceId))
        board.note((await store.occupancies()).filter(({ device }) => concerned.has(device.id)))
        return undefined
      }
      // All are on the board before anybody is told of one of them.
      const told = changed.flatMap((occupancy, i) => {
        const event = events[i]
        return event !== undefined && note(event, occupancy) ? [toChange(event, occupancy)] : []
      })
      for (const change of told) tell(change)
      return changed
    })
  }
}

function toChange (event: LeaseEvent, { lease }: Occupancy): PoolChange {
  return { deviceId: event.deviceId, ended: event.type === 'end' ? lease : undefined }
}
