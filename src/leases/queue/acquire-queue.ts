/**
 * The line: everybody who waits for devices, for one or for several at once.
 *
 * Order: the priority's band first, then arrival. Who waits goes up one band per `ageMs`, as far
 * as the highest; there nobody who comes later is ever put in front.
 *
 * A walk goes through the line from its head. A request that can be met wholly from the free
 * devices gets them; one that cannot gets nothing and is passed over, so that it holds up nobody
 * who wants something else, and nobody holds devices while waiting. So the only ones who are
 * ever overtaken for a device they could use are those who need more than is free.
 *
 * That would let small requests starve a large one. A request is overdue when it has waited
 * longer than `reserveAfterMs`, or when later ones took a device that it could have used more
 * than `maxBypasses` times. From the free devices as many as can serve its wishes are then kept
 * from those behind it, and as leases end, they become all of them. Nothing is kept for a
 * request that needs a device of which nobody knows whether it ever becomes free.
 *
 * A holder may be limited in how many devices it has. A request that would take it over that is
 * passed by until it has fewer: nothing is kept for it, and it does not count as overtaken.
 *
 * Of the devices that would do, the least recently used are taken, then those with the fewest
 * failures, then by id.
 *
 * Whoever's turn it is steps aside while the devices are asked and granted: others are served
 * meanwhile. If that comes to nothing it steps back to where it was.
 *
 * Pure and deterministic: time is an argument, and nothing happens by itself. Who was told of a
 * device and has neither left nor stepped aside yet is told again at the next walk.
 */
import type { DeviceDescription } from '../../devices/device-types.ts'
import { priorities, type Priority } from '../contract/lease.ts'
import type { DeviceSelector, WaitingPlace } from '../contract/lease-manager.ts'
import { assignDevices } from './assign-devices.ts'
import { addDevice, emptyDeviceSet, hasDevice, isEmpty, overlap, removeDevice, type DeviceSet } from './device-set.ts'
import { createPlaceCounter } from './position.ts'
import { createWishMatcher, type Wishes } from './matches.ts'

const highestBand = priorities.length - 1

export interface LineRequest {
  readonly id: string
  readonly principal: string
  readonly priority: Priority
  /** One device for each. */
  readonly wanted: readonly DeviceSelector[]
  readonly joinedAtMs: number
}

export interface LineDevice {
  readonly description: DeviceDescription
  /** Whether it can be granted now. */
  readonly isFree: boolean
  readonly lastUsedAtMs: number
  /** How often it failed lately. */
  readonly failures: number
  /** When it may become free; undefined when nobody can know. */
  readonly freeAtMs: number | undefined
}

export interface Turn {
  readonly request: LineRequest
  /** A device for each of `wanted`, in that order. */
  readonly deviceIds: readonly string[]
}

export interface LineSettings {
  /** Who has waited this long goes up one band. */
  readonly ageMs: number
  /** Who has waited longer than this has free devices kept for it. */
  readonly reserveAfterMs: number
  /** And so has who was overtaken more often than this. */
  readonly maxBypasses: number
}

export interface Line {
  join (request: LineRequest): void
  leave (id: string): void
  /** Walks pass by who has stepped aside, and do not count it as passed over. */
  stepAside (id: string): void
  stepBack (id: string): void
  /**
   * Who gets what now, in the order of the line. Removes nobody; counts who was passed over.
   * `spareOf` says how many more devices a holder may have; without it, as many as there are.
   */
  walk (devices: readonly LineDevice[], nowMs: number, spareOf?: (principal: string) => number): readonly Turn[]
  /** Counts only requests in front that compete for a device it could use. Undefined: not in the line. */
  place (id: string, devices: readonly LineDevice[], nowMs: number): WaitingPlace | undefined
  /** The places of all, in one pass; in the order in which they would be served, without who is aside. */
  places (devices: readonly LineDevice[], nowMs: number): ReadonlyMap<string, WaitingPlace>
  /** In the order in which they would be served now, that is at the last instant the line was told of; without who is aside. */
  readonly requests: readonly LineRequest[]
}

interface Entry {
  readonly request: LineRequest
  readonly arrival: number
  isAside: boolean
  /** How often later requests took a device that it could have used. */
  bypasses: number
  wishes: Wishes
}

export function createLine ({ ageMs, reserveAfterMs, maxBypasses }: LineSettings): Line {
  const entries = new Map<string, Entry>()
  const matcher = createWishMatcher()
  let arrivals = 0
  let latestMs = Number.NEGATIVE_INFINITY
  /** The entries in order; right until somebody joins or leaves, or goes up a band. */
  let order: { readonly entries: readonly Entry[], readonly untilMs: number } | undefined

  function ordered (nowMs: number): readonly Entry[] {
    latestMs = Math.max(latestMs, nowMs)
    if (order === undefined || order.untilMs <= latestMs) order = sort(latestMs)
    return order.entries
  }

  function sort (nowMs: number) {
    const inLine = [...entries.values()].filter(({ isAside }) => !isAside)
    const ranked = inLine.map((entry) => ({ entry, ...bandOf(entry, nowMs) }))
    ranked.sort((a, b) => b.band - a.band || a.entry.arrival - b.entry.arrival)
    return { entries: ranked.map(({ entry }) => entry), untilMs: Math.min(...ranked.map(({ untilMs }) => untilMs)) }
  }

  function bandOf ({ request: { priority, joinedAtMs } }: Entry, nowMs: number): { readonly band: number, readonly untilMs: number } {
    const stepsUp = Math.max(0, Math.floor((nowMs - joinedAtMs) / ageMs))
    const band = priorities.indexOf(priority) + stepsUp
    return band >= highestBand ? { band: highestBand, untilMs: Infinity } : { band, untilMs: joinedAtMs + (stepsUp + 1) * ageMs }
  }

  function look (devices: readonly LineDevice[]) {
    if (!matcher.look(devices)) return
    for (const entry of entries.values()) entry.wishes = matcher.wishes(entry.request.wanted)
  }

  function setAside (id: string, isAside: boolean) {
    const entry = entries.get(id)
    if (entry === undefined) return
    entry.isAside = isAside
    order = undefined
  }

  function isOverdue ({ request, bypasses }: Entry, nowMs: number): boolean {
    return bypasses > maxBypasses || nowMs - request.joinedAtMs > reserveAfterMs
  }

  return {
    join (request) {
      if (entries.has(request.id)) throw new Error(`request ${request.id} is in the line already`)
      if (request.wanted.length === 0) throw new Error(`request ${request.id} wants nothing`)
      entries.set(request.id, { request, arrival: arrivals++, isAside: false, bypasses: 0, wishes: matcher.wishes(request.wanted) })
      latestMs = Math.max(latestMs, request.joinedAtMs)
      order = undefined
    },

    leave (id) {
      if (entries.delete(id)) order = undefined
    },

    stepAside: (id) => setAside(id, true),
    stepBack: (id) => setAside(id, false),

    walk (devices, nowMs, spareOf = () => Number.POSITIVE_INFINITY) {
      look(devices)
      const byPreference = [...devices.keys()].sort((a, b) => preference(devices, a, b))
      const available = setOf(devices, ({ isFree }) => isFree)
      const foreseeable = setOf(devices, ({ isFree, freeAtMs }) => isFree || freeAtMs !== undefined)
      const passedOver: Entry[] = []
      const turns: Turn[] = []
      const spare = new Map<string, number>()

      function take (taken: ReadonlyArray<number | undefined>) {
        for (const index of taken) if (index !== undefined) removeDevice(available, index)
      }

      for (const entry of ordered(nowMs)) {
        if (isEmpty(available)) break
        const { principal, wanted } = entry.request
        const left = spare.get(principal) ?? spareOf(principal)
        spare.set(principal, left)
        if (wanted.length > left) continue
        const taken = assignToAll(entry.wishes, byPreference, available)
        if (taken !== undefined) {
          take(taken)
          spare.set(principal, left - wanted.length)
          turns.push({ request: entry.request, deviceIds: taken.flatMap((index) => devices[index]?.description.id ?? []) })
          for (const earlier of passedOver) {
            if (taken.some((index) => hasDevice(earlier.wishes.any, index))) earlier.bypasses++
          }
          continue
        }
        passedOver.push(entry)
        if (isOverdue(entry, nowMs) && assignToAll(entry.wishes, byPreference, foreseeable) !== undefined) {
          take(assignDevices(entry.wishes.each, byPreference, available))
        }
      }
      return turns
    },

    place (id, devices, nowMs) {
      look(devices)
      const entry = entries.get(id)
      if (entry === undefined || entry.isAside) return undefined
      const counter = createPlaceCounter(devices, nowMs)
      for (const other of ordered(nowMs)) {
        if (other === entry) break
        counter.goBy(other.wishes)
      }
      return counter.placeOf(entry.wishes)
    },

    places (devices, nowMs) {
      look(devices)
      const counter = createPlaceCounter(devices, nowMs)
      return new Map(ordered(nowMs).map(({ request, wishes }) => {
        const place = counter.placeOf(wishes)
        counter.goBy(wishes)
        return [request.id, place]
      }))
    },

    get requests () { return ordered(latestMs).map(({ request }) => request) }
  }
}

function setOf (devices: readonly LineDevice[], isIn: (device: LineDevice) => boolean): DeviceSet {
  const set = emptyDeviceSet(devices.length)
  for (const [i, device] of devices.entries()) {
    if (isIn(device)) addDevice(set, i)
  }
  return set
}

function preference (devices: readonly LineDevice[], a: number, b: number): number {
  const one = devices[a]
  const other = devices[b]
  if (one === undefined || other === undefined) return 0
  return one.lastUsedAtMs - other.lastUsedAtMs || one.failures - other.failures || (one.description.id < other.description.id ? -1 : 1)
}

/** A device for every wish, or undefined when that cannot be. */
function assignToAll ({ each }: Wishes, devices: readonly number[], available: DeviceSet): readonly number[] | undefined {
  if (!each.every((wish) => overlap(wish, available))) return undefined
  const assigned = assignDevices(each, devices, available).filter((index) => index !== undefined)
  return assigned.length === each.length ? assigned : undefined
}
