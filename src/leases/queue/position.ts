import type { WaitingPlace } from '../contract/lease-manager.ts'
import { hasDevice, overlap, type DeviceSet } from './device-set.ts'
import type { LineDevice } from './acquire-queue.ts'
import type { Wishes } from './matches.ts'

/** Says where requests stand while their line goes by, from its head. */
export interface PlaceCounter {
  /**
   * Where somebody stands behind those gone by who compete for the same devices, and how long it
   * may take until the last of its wishes has had its turn.
   */
  placeOf (wishes: Wishes): WaitingPlace
  /** It is in front of whoever comes now. */
  goBy (wishes: Wishes): void
}

export function createPlaceCounter (devices: readonly LineDevice[], nowMs: number): PlaceCounter {
  // Equal sets are one object, so that a long line comes to few counts.
  const requests = new Map<DeviceSet, number>()
  const wishes = new Map<DeviceSet, number>()
  const waits = new Map<DeviceSet, readonly number[]>()

  function waitsFor (wish: DeviceSet): readonly number[] {
    const known = waits.get(wish) ?? freeInMs(wish, devices, nowMs)
    waits.set(wish, known)
    return known
  }

  return {
    placeOf ({ each, any }) {
      let longestMs: number | undefined = 0
      for (const wish of new Set(each)) {
        const own = each.filter((other) => overlap(other, wish)).length
        const turnMs = estimateTurn(waitsFor(wish), countOverlapping(wishes, wish) + own - 1)
        longestMs = turnMs === undefined || longestMs === undefined ? undefined : Math.max(longestMs, turnMs)
      }
      return { position: countOverlapping(requests, any) + 1, estimateMs: longestMs }
    },

    goBy ({ each, any }) {
      count(requests, any)
      for (const wish of each) count(wishes, wish)
    }
  }
}

function count (counts: Map<DeviceSet, number>, set: DeviceSet): void {
  counts.set(set, (counts.get(set) ?? 0) + 1)
}

function countOverlapping (counts: ReadonlyMap<DeviceSet, number>, set: DeviceSet): number {
  let total = 0
  for (const [other, times] of counts) {
    if (overlap(other, set)) total += times
  }
  return total
}

/** In how long each device that would do may become free, as far as anybody knows; the soonest first. */
function freeInMs (wish: DeviceSet, devices: readonly LineDevice[], nowMs: number): readonly number[] {
  const found: number[] = []
  for (const [i, { isFree, freeAtMs }] of devices.entries()) {
    if (!hasDevice(wish, i)) continue
    if (isFree) found.push(0)
    else if (freeAtMs !== undefined) found.push(Math.max(0, freeAtMs - nowMs))
  }
  return found.sort((a, b) => a - b)
}

/**
 * Each device that becomes free serves one turn. Nobody knows how long leases will last that
 * have not begun: a round after the first is taken to last as long as the longest wait in it.
 */
function estimateTurn (freeInMs: readonly number[], turnsBefore: number): number | undefined {
  const roundMs = freeInMs.at(-1)
  const inRoundMs = freeInMs[turnsBefore % Math.max(freeInMs.length, 1)]
  if (roundMs === undefined || inRoundMs === undefined) return undefined
  return Math.floor(turnsBefore / freeInMs.length) * roundMs + inRoundMs
}
