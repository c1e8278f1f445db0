import type { QueuePosition } from '../contract/lease-manager.ts'
import type { DeviceAvailability } from './availability.ts'
import { hasDevice, overlap, type DeviceSet } from './device-set.ts'
import type { Matches } from './matches.ts'

/** Computes positions while it goes through a queue from the head. */
export interface PositionCounter {
  /**
   * The position behind the requests counted so far that compete for the same devices, and how
   * long it may take until the last of the wanted devices is granted.
   */
  positionOf (matches: Matches): QueuePosition
  /** Counts a request as in front of those that follow. */
  count (matches: Matches): void
}

export function createPositionCounter (devices: readonly DeviceAvailability[], nowMs: number): PositionCounter {
  // Equal sets are one object, so that a long queue has few counts.
  const requests = new Map<DeviceSet, number>()
  const wanted = new Map<DeviceSet, number>()
  const waits = new Map<DeviceSet, readonly number[]>()

  function waitsFor (matching: DeviceSet): readonly number[] {
    const known = waits.get(matching) ?? waitsMs(matching, devices, nowMs)
    waits.set(matching, known)
    return known
  }

  return {
    positionOf ({ each, any }) {
      let longestMs: number | undefined = 0
      for (const matching of new Set(each)) {
        const own = each.filter((other) => overlap(other, matching)).length
        const waitMs = estimateWait(waitsFor(matching), countOverlapping(wanted, matching) + own - 1)
        longestMs = waitMs === undefined || longestMs === undefined ? undefined : Math.max(longestMs, waitMs)
      }
      return { position: countOverlapping(requests, any) + 1, estimateMs: longestMs }
    },

    count ({ each, any }) {
      increment(requests, any)
      for (const matching of each) increment(wanted, matching)
    }
  }
}

function increment (counts: Map<DeviceSet, number>, set: DeviceSet): void {
  counts.set(set, (counts.get(set) ?? 0) + 1)
}

function countOverlapping (counts: ReadonlyMap<DeviceSet, number>, set: DeviceSet): number {
  let total = 0
  for (const [other, times] of counts) {
    if (overlap(other, set)) total += times
  }
  return total
}

/** In how long each matching device is expected, where that is known; the soonest first. */
function waitsMs (matching: DeviceSet, devices: readonly DeviceAvailability[], nowMs: number): readonly number[] {
  const found: number[] = []
  for (const [i, { canBeGranted, expectedAtMs }] of devices.entries()) {
    if (!hasDevice(matching, i)) continue
    if (canBeGranted) found.push(0)
    else if (expectedAtMs !== undefined) found.push(Math.max(0, expectedAtMs - nowMs))
  }
  return found.sort((a, b) => a - b)
}

/**
 * Each device serves one of the wanted, then the next round begins. How long leases will last
 * that have not begun is unknown: a later round is taken to last as long as the longest wait in
 * the first.
 */
function estimateWait (waitsMs: readonly number[], servedBefore: number): number | undefined {
  const roundMs = waitsMs.at(-1)
  const inRoundMs = waitsMs[servedBefore % Math.max(waitsMs.length, 1)]
  if (roundMs === undefined || inRoundMs === undefined) return undefined
  return Math.floor(servedBefore / waitsMs.length) * roundMs + inRoundMs
}
