import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import { outlook, type Outlook } from './device-state.ts'
import { isLive } from './contract/lease.ts'
import type { Occupancy } from './contract/lease-machine.ts'
import type { DeviceSelector, DeviceState, PooledDevice } from './contract/lease-manager.ts'
import {
  CapacityExhaustedRefusal, CleanupInProgressRefusal, DevicesOnHoldRefusal, TooManyDevicesRefusal, UnknownDeviceRefusal, holdNote,
  type HeldDevice
} from './contract/lease-refusals.ts'
import { assignDevices } from './queue/assign-devices.ts'
import { addDevice, emptyDeviceSet, hasDevice, isEmpty, overlap, type DeviceSet } from './queue/device-set.ts'
import type { LineDevice, LineRequest } from './queue/acquire-queue.ts'
import { createWishMatcher, type Wishes } from './queue/matches.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

const shortestWaitMs = 1_000
const longestWaitMs = 30_000

/** The pool as it is now: what is recorded of each device, and what this process sees of it. */
export interface PoolView {
  pooled (occupancies: readonly Occupancy[]): readonly PooledDevice[]
  lineDevices (): readonly LineDevice[]
  /** How many live leases a holder has. */
  leasesOf (principal: string): number
  /**
   * That the pool could serve this if all of it were free.
   *
   * @throws {UnknownDeviceRefusal} a wish is like no device
   * @throws {TooManyDevicesRefusal} each wish alone could be met, but not all of them at once
   */
  assertServable (wanted: readonly DeviceSelector[]): void
  /** Why none of the devices can be had now, given who waits in the line. */
  noneFree (request: LineRequest, waiting: readonly LineRequest[]): CapacityExhaustedRefusal | CleanupInProgressRefusal | DevicesOnHoldRefusal
  /** What of an operator's stands in the way of a request, as part of a sentence; undefined when nothing does. */
  holdNote (request: LineRequest): string | undefined
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
  const places = [...descriptions.keys()]
  const matcher = createWishMatcher()
  matcher.look([...drivers.values()])

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

  function lineDevices (): readonly LineDevice[] {
    return descriptions.flatMap((description) => {
      const occupancy = board.of(description.id)
      if (occupancy === undefined) return []
      const { state, freeAtMs } = outlookOf(occupancy)
      const { lastUsedAtMs, failures } = occupancy.device
      return [{ description, isFree: state === 'free', lastUsedAtMs, failures, freeAtMs }]
    })
  }

  function setOf (isIn: (place: number) => boolean): DeviceSet {
    const set = emptyDeviceSet(places.length)
    for (const place of places) if (isIn(place)) addDevice(set, place)
    return set
  }

  /** How many of the wishes these devices can meet at once. */
  function countMet ({ each }: Wishes, devices: DeviceSet): number {
    return assignDevices(each, places, devices).filter((place) => place !== undefined).length
  }

  /** The held devices that match, when without them the request cannot be met. */
  function heldInTheWay (wishes: Wishes): readonly HeldDevice[] {
    const holds = descriptions.map(({ id }) => board.of(id)?.device.holds[0])
    if (holds.every((hold) => hold === undefined)) return []
    if (countMet(wishes, setOf((place) => holds[place] === undefined)) === wishes.each.length) return []
    return descriptions.flatMap(({ id: device }, place) => {
      const hold = holds[place]
      return hold !== undefined && hasDevice(wishes.any, place) ? [{ device, hold }] : []
    })
  }

  return {
    pooled,
    lineDevices,

    leasesOf (principal) {
      return board.all().filter(({ lease }) => lease !== undefined && isLive(lease) && lease.holder.principal === principal).length
    },

    assertServable (wanted) {
      const wishes = matcher.wishes(wanted)
      if (wishes.each.some(isEmpty)) throw new UnknownDeviceRefusal(descriptions)
      const atOnce = countMet(wishes, wishes.any)
      if (atOnce === wanted.length) return
      const matching = places.filter((place) => hasDevice(wishes.any, place)).length
      throw new TooManyDevicesRefusal({ wanted: wanted.length, matching, atOnce })
    },

    noneFree ({ id, wanted }, line) {
      const wishes = matcher.wishes(wanted)
      const matching = descriptions.filter((_, place) => hasDevice(wishes.any, place))
      const waiting = line.filter((other) => other.id !== id && overlap(matcher.wishes(other.wanted).any, wishes.any)).length
      const states: Partial<Record<DeviceState, number>> = {}
      let soonestMs = Number.POSITIVE_INFINITY
      for (const { id } of matching) {
        const occupancy = board.of(id)
        if (occupancy === undefined) continue
        const { state, freeAtMs } = outlookOf(occupancy)
        states[state] = (states[state] ?? 0) + 1
        if (occupancy.device.holds.length > 0) continue
        // That a cleanup is tried again is no promise, but the next time to ask.
        soonestMs = Math.min(soonestMs, (freeAtMs ?? cleaner.nextTryAtMs(id) ?? Number.POSITIVE_INFINITY) - nowMs())
      }
      const retryAfterMs = Math.min(Math.max(soonestMs, shortestWaitMs), longestWaitMs)
      const crowd = { wanted: wanted.length, matching: matching.length, waiting, states, retryAfterMs }
      const held = heldInTheWay(wishes)
      if (held.length > 0) return new DevicesOnHoldRefusal({ ...crowd, retryAfterMs: longestWaitMs }, held)
      // Cleanup is all that stands between the caller and a device when nobody holds one of them.
      return states.cleaning !== undefined && states.leased === undefined
        ? new CleanupInProgressRefusal(crowd)
        : new CapacityExhaustedRefusal(crowd)
    },

    holdNote ({ wanted }) {
      const held = heldInTheWay(matcher.wishes(wanted))
      return held.length === 0 ? undefined : holdNote(held)
    }
  }
}
