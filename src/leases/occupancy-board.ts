import type { Occupancy } from './contract/lease-machine.ts'

/**
 * What the store says of each device, at hand.
 *
 * Every change goes through this process, so the board is never behind by more than the changes
 * under way, whose grants hold their devices until they are decided. It spares the queue a look
 * into the database for each look at the pool; which request gets a device is the store's decision alone.
 */
export interface OccupancyBoard {
  of (deviceId: string): Occupancy | undefined
  all (): readonly Occupancy[]
  note (occupancies: readonly Occupancy[]): void
}

export function createOccupancyBoard (): OccupancyBoard {
  const occupancies = new Map<string, Occupancy>()
  return {
    of: (deviceId) => occupancies.get(deviceId),
    all: () => [...occupancies.values()],
    note (changed) {
      for (const { device, lease } of changed) {
        // A lease that has left its device behind is no part of it any more.
        occupancies.set(device.id, { device, lease: lease?.state === 'ended' ? undefined : lease })
      }
    }
  }
}
