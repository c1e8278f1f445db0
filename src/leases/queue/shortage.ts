/** Why a request cannot be served: never, because the pool has no such devices, or not now. */
import type { DeviceState } from '../contract/lease-manager.ts'
import {
  CapacityExhaustedRefusal, CleanupInProgressRefusal, DevicesOnHoldRefusal, TooManyDevicesRefusal, UnknownDeviceRefusal, holdNote,
  type HeldDevice
} from '../contract/lease-refusals.ts'
import { assignDevices } from './assign-devices.ts'
import type { DeviceAvailability } from './availability.ts'
import { deviceSetOf, hasDevice, isEmpty, overlap, type DeviceSet } from './device-set.ts'
import type { Matches } from './matches.ts'

const shortestRetryMs = 1_000
const longestRetryMs = 30_000

/** Why the pool could not serve a request even if all its devices were free; undefined when it could. */
export function whyNever (
  matches: Matches, devices: readonly DeviceAvailability[]
): UnknownDeviceRefusal | TooManyDevicesRefusal | undefined {
  if (matches.each.some(isEmpty)) return new UnknownDeviceRefusal(devices.map(({ description }) => description))
  const wanted = matches.each.length
  const atOnce = countAssigned(matches, devices, matches.any)
  return atOnce === wanted ? undefined : new TooManyDevicesRefusal({ wanted, matching: matching(matches, devices).length, atOnce })
}

/** Why a request cannot be served now. `waiting` has the matches of the requests that wait beside it. */
export function whyNotNow ({ matches, waiting, devices, nowMs }: {
  readonly matches: Matches
  readonly waiting: readonly Matches[]
  readonly devices: readonly DeviceAvailability[]
  readonly nowMs: number
}): CapacityExhaustedRefusal | CleanupInProgressRefusal | DevicesOnHoldRefusal {
  const found = matching(matches, devices)
  const states: Partial<Record<DeviceState, number>> = {}
  let soonestMs = Number.POSITIVE_INFINITY
  for (const { state, hold, expectedAtMs, nextTryAtMs } of found) {
    states[state] = (states[state] ?? 0) + 1
    if (hold === undefined) soonestMs = Math.min(soonestMs, (expectedAtMs ?? nextTryAtMs ?? Number.POSITIVE_INFINITY) - nowMs)
  }
  const crowd = {
    wanted: matches.each.length,
    matching: found.length,
    waiting: waiting.filter(({ any }) => overlap(any, matches.any)).length,
    states,
    retryAfterMs: Math.min(Math.max(soonestMs, shortestRetryMs), longestRetryMs)
  }
  const held = heldInTheWay(matches, devices)
  if (held.length > 0) return new DevicesOnHoldRefusal({ ...crowd, retryAfterMs: longestRetryMs }, held)
  // With none of them leased, cleanup is all that the caller has to wait for.
  return states.cleaning !== undefined && states.leased === undefined
    ? new CleanupInProgressRefusal(crowd)
    : new CapacityExhaustedRefusal(crowd)
}

/** Which holds of operators keep a request from being served, as part of a sentence; undefined when none does. */
export function noteOfHolds (matches: Matches, devices: readonly DeviceAvailability[]): string | undefined {
  const held = heldInTheWay(matches, devices)
  return held.length === 0 ? undefined : holdNote(held)
}

/** The matching devices that are on hold, when the others cannot serve the request. */
function heldInTheWay (matches: Matches, devices: readonly DeviceAvailability[]): readonly HeldDevice[] {
  if (devices.every(({ hold }) => hold === undefined)) return []
  const others = deviceSetOf(devices, ({ hold }) => hold === undefined)
  if (countAssigned(matches, devices, others) === matches.each.length) return []
  return matching(matches, devices).flatMap(({ description: { id: device }, hold }) => hold === undefined ? [] : [{ device, hold }])
}

function matching ({ any }: Matches, devices: readonly DeviceAvailability[]): readonly DeviceAvailability[] {
  return devices.filter((_, index) => hasDevice(any, index))
}

/** For how many of the wanted devices there is one of their own among `usable`. */
function countAssigned ({ each }: Matches, devices: readonly DeviceAvailability[], usable: DeviceSet): number {
  return assignDevices(each, [...devices.keys()], usable).filter((index) => index !== undefined).length
}
