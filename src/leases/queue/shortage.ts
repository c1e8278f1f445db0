/** Why a request cannot be served: never, because the pool has no such devices, or not now. */
import type { DeviceSelector, DeviceState } from '../contract/lease-manager.ts'
import {
  CapacityExhaustedRefusal, CleanupInProgressRefusal, DevicesOnHoldRefusal, TooManyDevicesRefusal, UnknownDeviceRefusal, holdNote,
  type HeldDevice, type Shortage
} from '../contract/lease-refusals.ts'
import { assignDevices, canAssignAll, findTooFew } from './assign-devices.ts'
import type { DeviceAvailability } from './availability.ts'
import { deviceSetOf, hasDevice, isEmpty, overlap, type DeviceSet } from './device-set.ts'
import { selectorText } from './match-device.ts'
import type { Matches } from './matches.ts'

const shortestRetryMs = 1_000
const longestRetryMs = 30_000

/** Why the pool could not serve a request even if all its devices were free; undefined when it could. */
export function whyNever (
  wanted: readonly DeviceSelector[], matches: Matches, devices: readonly DeviceAvailability[]
): UnknownDeviceRefusal | TooManyDevicesRefusal | undefined {
  const unknown = wanted.filter((_, i) => isEmpty(matches.each[i] ?? matches.any))
  if (unknown.length > 0) {
    return new UnknownDeviceRefusal(devices.map(({ description }) => description), wanted.length === 1 ? [] : sortsOf(unknown))
  }
  if (canAssignAll(matches.each, matches.any)) return undefined
  const short = shortageOf(wanted, matches, devices, matches.any)
  if (short === undefined) return undefined
  const atOnce = countAssigned(matches, devices, matches.any)
  return new TooManyDevicesRefusal({ wanted: wanted.length, matching: matching(matches, devices).length, atOnce, short })
}

/** Why a request cannot be served now. `waiting` has the matches of the requests that wait beside it. */
export function whyNotNow ({ wanted, matches, waiting, devices, nowMs }: {
  readonly wanted: readonly DeviceSelector[]
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
    wanted: wanted.length,
    matching: found.length,
    short: wanted.length === 1
      ? undefined
      : shortageOf(wanted, matches, devices, deviceSetOf(devices, ({ canBeGranted }) => canBeGranted)),
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
  if (canAssignAll(matches.each, others)) return []
  return matching(matches, devices).flatMap(({ description: { id: device }, hold }) => hold === undefined ? [] : [{ device, hold }])
}

function shortageOf (
  wanted: readonly DeviceSelector[], { each }: Matches, devices: readonly DeviceAvailability[], usable: DeviceSet
): Shortage | undefined {
  const tooFew = findTooFew(each, [...devices.keys()], usable)
  if (tooFew === undefined) return undefined
  return { wanted: tooFew.wanted.length, available: tooFew.devices, sorts: sortsOf(wanted.filter((_, i) => tooFew.wanted.includes(i))) }
}

function sortsOf (selectors: readonly DeviceSelector[]): readonly string[] {
  return [...new Set(selectors.map(selectorText))]
}

function matching ({ any }: Matches, devices: readonly DeviceAvailability[]): readonly DeviceAvailability[] {
  return devices.filter((_, index) => hasDevice(any, index))
}

/** For how many of the wanted devices there is one of their own among `usable`. */
function countAssigned ({ each }: Matches, devices: readonly DeviceAvailability[], usable: DeviceSet): number {
  return assignDevices(each, [...devices.keys()], usable).filter((index) => index !== undefined).length
}
