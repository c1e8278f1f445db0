import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import { outlook, type Outlook } from './device-state.ts'
import { isLive } from './contract/lease.ts'
import type { Occupancy } from './contract/lease-machine.ts'
import type { PooledDevice } from './contract/lease-manager.ts'
import type { DeviceAvailability } from './queue/availability.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

/** The pool as it is now: what is recorded of each device, and what this process sees of it. */
export interface PoolView {
  pooled (occupancies: readonly Occupancy[]): readonly PooledDevice[]
  availability (): readonly DeviceAvailability[]
}

export function createPoolView ({ board, drivers, prober, cleaner, nowMs, recoveryMs }: {
  readonly board: OccupancyBoard
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly cleaner: DeviceCleaner
  readonly nowMs: () => number
  readonly recoveryMs: number
}): PoolView {
  const descriptions = [...drivers.values()].map(({ description }) => description)

  function outlookOf (occupancy: Occupancy): Outlook {
    const { id } = occupancy.device
    return outlook(occupancy, { absence: prober.offline(id), recoveryMs, nowMs: nowMs() })
  }

  function pooled (occupancies: readonly Occupancy[]): readonly PooledDevice[] {
    return occupancies.flatMap((occupancy) => {
      const { device: { id, holds, failures }, lease } = occupancy
      const driver = drivers.get(id)
      if (driver === undefined) return []
      const { state, reason } = outlookOf(occupancy)
      return [{ description: driver.description, state, reason, holds, failures, lease }]
    })
  }

  function availability (): readonly DeviceAvailability[] {
    return descriptions.flatMap((description) => {
      const occupancy = board.of(description.id)
      if (occupancy === undefined) return []
      const { device: { lastUsedAtMs, failures, holds: [hold] }, lease } = occupancy
      const { state, freeAtMs: expectedAtMs } = outlookOf(occupancy)
      return [{
        description,
        canBeGranted: state === 'free',
        expectedAtMs,
        lastUsedAtMs,
        failures,
        state,
        hold,
        nextTryAtMs: cleaner.nextTryAtMs(description.id),
        holder: lease !== undefined && isLive(lease) ? lease.holder.principal : undefined
      }]
    })
  }

  return { pooled, availability }
}
