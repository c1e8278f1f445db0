import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import { outlook, type Outlook } from './device-state.ts'
import { isLive } from './lease.ts'
import type { Occupancy } from './lease-machine.ts'
import type { DeviceSelector, DeviceState, PooledDevice } from './lease-manager.ts'
import { CapacityExhaustedRefusal, CleanupInProgressRefusal, UnknownDeviceRefusal } from './lease-refusals.ts'
import { createLine, type LineDevice, type LineRequest } from './line/line.ts'
import { matchesSelector } from './match-device.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

const shortestWaitMs = 1_000
const longestWaitMs = 30_000

/** The pool as it is now: what is recorded of each device, and what this process sees of it. */
export interface PoolView {
  pooled (occupancies: readonly Occupancy[]): readonly PooledDevice[]
  lineDevices (): readonly LineDevice[]
  /** How many live leases a holder has. */
  leasesOf (principal: string): number
  /** @throws {UnknownDeviceRefusal} when the pool could not serve this even if all of it were free */
  assertServable (wanted: readonly DeviceSelector[]): void
  /** Why none of the devices can be had now, given who waits in the line. */
  noneFree (request: LineRequest, waiting: readonly LineRequest[]): CapacityExhaustedRefusal | CleanupInProgressRefusal
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
    return outlook(occupancy, { absence: prober.offline(id), recoveryMs, nextTryAtMs: cleaner.nextTryAtMs(id), nowMs: nowMs() })
  }

  function pooled (occupancies: readonly Occupancy[]): readonly PooledDevice[] {
    return occupancies.flatMap((occupancy) => {
      const { device: { id, hold, failures }, lease } = occupancy
      const driver = drivers.get(id)
      if (driver === undefined) return []
      const { state, reason } = outlookOf(occupancy)
      return [{ description: driver.description, state, reason, hold, failures, lease }]
    })
  }

  function lineDevices (): readonly LineDevice[] {
    return descriptions.flatMap((description) => {
      const occupancy = board.of(description.id)
      if (occupancy === undefined) return []
      const { state, freeAtMs } = outlookOf(occupancy)
      const { lastUsedAtMs, failures } = occupancy.device
      return [{ description, isFree: state === 'free', lastUsedAtMs, failures, freeAtMs }]
    })
  }

  return {
    pooled,
    lineDevices,

    leasesOf (principal) {
      return board.all().filter(({ lease }) => lease !== undefined && isLive(lease) && lease.holder.principal === principal).length
    },

    assertServable (wanted) {
      const line = createLine({ ageMs: 1, reserveAfterMs: 0, maxBypasses: 0 })
      line.join({ id: 'alone', principal: '', priority: 'normal', wanted, joinedAtMs: 0 })
      const all = descriptions.map((description) => ({ description, isFree: true, lastUsedAtMs: 0, failures: 0, freeAtMs: 0 }))
      if (line.walk(all, 0).length === 0) throw new UnknownDeviceRefusal(descriptions)
    },

    noneFree ({ id, wanted }, line) {
      const fits = (description: FencedDriver['description'], selectors = wanted) => {
        return selectors.some((selector) => matchesSelector(description, selector))
      }
      const matching = descriptions.filter((description) => fits(description))
      const waiting = line.filter((other) => other.id !== id && matching.some((description) => fits(description, other.wanted))).length
      const states: Partial<Record<DeviceState, number>> = {}
      let soonestMs = Number.POSITIVE_INFINITY
      for (const { id } of matching) {
        const occupancy = board.of(id)
        if (occupancy === undefined) continue
        const { state, freeAtMs = Number.POSITIVE_INFINITY } = outlookOf(occupancy)
        states[state] = (states[state] ?? 0) + 1
        soonestMs = Math.min(soonestMs, freeAtMs - nowMs())
      }
      const retryAfterMs = Math.min(Math.max(soonestMs, shortestWaitMs), longestWaitMs)
      const crowd = { matching: matching.length, waiting, states, retryAfterMs }
      // Cleanup is all that stands between the caller and a device when nobody holds one of them.
      return states.cleaning !== undefined && states.leased === undefined
        ? new CleanupInProgressRefusal(crowd)
        : new CapacityExhaustedRefusal(crowd)
    }
  }
}
