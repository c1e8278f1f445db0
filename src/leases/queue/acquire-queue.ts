/**
 * The acquire queue: which of the waiting requests is granted which devices next.
 *
 * Order. A request of a higher priority band comes first; within a band, the request that joined
 * first. A request rises one band each `ageMs` until it is in the highest. No later request gets
 * in front of it there.
 *
 * Granting. `nextGrants` goes through the queue from its head. A request gets its devices if all
 * of them can be granted now. Otherwise it gets none and is passed over. So no request holds
 * devices while it waits, and none blocks the requests behind it that want something else. Only a
 * request that needs more than is available is ever overtaken for a device that matches it.
 *
 * Keeping. Small requests could starve a large one in this way. A request is overdue when it has
 * waited longer than `reserveAfterMs`, or when later requests have overtaken it more than
 * `maxBypasses` times. As many available devices as it can use are then kept from the requests
 * behind it, until it has all of them. Nothing is kept for a request that needs a device for
 * which no time is known at which it can be granted.
 *
 * Limits. A holder may be limited in how many leases it has; its allowance is how many more it
 * may have now. A request that needs more than the allowance is passed over. No device is kept
 * for it, and requests of other holders do not overtake it: it waits for leases of its own holder
 * to end. But a later request of the same holder overtakes it by taking of the allowance, and
 * when it is overdue, the allowance is kept for it from the later requests of its holder.
 *
 * Preference. Of the devices that match, the least recently used are granted first, then those
 * with the fewest failures, then by id.
 *
 * A request is suspended while its devices are being granted, so that other requests are served
 * meanwhile. If that grant fails, the request is resumed at its old position.
 *
 * Pure and deterministic: time is an argument, and nothing happens by itself. A grant that is
 * neither removed nor suspended is proposed again the next time.
 */
import { priorities, type Priority } from '../contract/lease.ts'
import type { DeviceSelector, QueuePosition } from '../contract/lease-manager.ts'
import { assignAll, assignDevices, canAssignAll } from './assign-devices.ts'
import type { DeviceAvailability } from './availability.ts'
import { deviceSetOf, hasDevice, isEmpty, removeDevice } from './device-set.ts'
import { createMatcher, type Matches } from './matches.ts'
import { createPositionCounter } from './position.ts'

const highestBand = priorities.length - 1

export interface QueuedRequest {
  readonly id: string
  /** The holder that its leases will belong to. */
  readonly principal: string
  readonly priority: Priority
  /** A selector for each device that it wants. */
  readonly wanted: readonly DeviceSelector[]
  readonly joinedAtMs: number
}

/** A request with the devices that it is to get now. */
export interface NextGrant {
  readonly request: QueuedRequest
  /** A device for each of `wanted`, in that order. */
  readonly deviceIds: readonly string[]
}

export interface FairnessSettings {
  /** A request rises one band each time it has waited this long. */
  readonly ageMs: number
  /** Available devices are kept for a request that has waited longer than this. */
  readonly reserveAfterMs: number
  /** And for a request that was overtaken more often than this. */
  readonly maxBypasses: number
}

export interface AcquireQueue {
  add (request: QueuedRequest): void
  remove (id: string): void
  /** Takes a request out of consideration while its devices are being granted. */
  suspend (id: string): void
  /** Puts it back to the position that it had. */
  resume (id: string): void
  /**
   * The grants that are to be made now, in the order of the queue. Removes no request; counts
   * which ones are overtaken. `allowanceOf` says how many more leases a holder may have; without
   * it there is no limit.
   */
  nextGrants (
    devices: readonly DeviceAvailability[], nowMs: number, allowanceOf?: (principal: string) => number
  ): readonly NextGrant[]
  /** Whether the allowance of its holder was kept for an earlier request of the same holder, as far as `nextGrants` last came. */
  waitsForAllowance (id: string): boolean
  /** Counts only requests in front that compete for a matching device. Undefined: not in the queue, or suspended. */
  position (id: string, devices: readonly DeviceAvailability[], nowMs: number): QueuePosition | undefined
  /** The positions of all requests that are not suspended, in the order of the queue. */
  positions (devices: readonly DeviceAvailability[], nowMs: number): ReadonlyMap<string, QueuePosition>
  /** In the order of the queue at the last instant that it was told of; without those that are suspended. */
  readonly requests: readonly QueuedRequest[]
}

interface Entry {
  readonly request: QueuedRequest
  readonly arrival: number
  isSuspended: boolean
  /** How often later requests took a device that matches it, or of the allowance that it needs. */
  bypasses: number
  matches: Matches
  /** Needs more than the allowance of its holder. */
  isLimited: boolean
  /** The earlier request that the allowance is kept for, if that is why. */
  allowanceKeptFor: string | undefined
}

export function createAcquireQueue ({ ageMs, reserveAfterMs, maxBypasses }: FairnessSettings): AcquireQueue {
  const entries = new Map<string, Entry>()
  const matcher = createMatcher()
  let arrivals = 0
  let latestMs = Number.NEGATIVE_INFINITY
  /** The entries in order; valid until a request joins, leaves, is suspended or resumed, or rises a band. */
  let order: { readonly entries: readonly Entry[], readonly untilMs: number } | undefined

  function ordered (nowMs: number): readonly Entry[] {
    latestMs = Math.max(latestMs, nowMs)
    if (order === undefined || order.untilMs <= latestMs) order = sort(latestMs)
    return order.entries
  }

  function sort (nowMs: number) {
    const active = [...entries.values()].filter(({ isSuspended }) => !isSuspended)
    const ranked = active.map((entry) => ({ entry, ...bandOf(entry, nowMs) }))
    ranked.sort((a, b) => b.band - a.band || a.entry.arrival - b.entry.arrival)
    return { entries: ranked.map(({ entry }) => entry), untilMs: Math.min(...ranked.map(({ untilMs }) => untilMs)) }
  }

  function bandOf ({ request: { priority, joinedAtMs } }: Entry, nowMs: number): { readonly band: number, readonly untilMs: number } {
    const stepsUp = Math.max(0, Math.floor((nowMs - joinedAtMs) / ageMs))
    const band = priorities.indexOf(priority) + stepsUp
    return band >= highestBand ? { band: highestBand, untilMs: Infinity } : { band, untilMs: joinedAtMs + (stepsUp + 1) * ageMs }
  }

  function updateMatches (devices: readonly DeviceAvailability[]) {
    if (!matcher.update(devices)) return
    for (const entry of entries.values()) entry.matches = matcher.matches(entry.request.wanted)
  }

  function setSuspended (id: string, isSuspended: boolean) {
    const entry = entries.get(id)
    if (entry === undefined) return
    entry.isSuspended = isSuspended
    order = undefined
  }

  function isOverdue ({ request, bypasses }: Entry, nowMs: number): boolean {
    return bypasses > maxBypasses || nowMs - request.joinedAtMs > reserveAfterMs
  }

  return {
    add (request) {
      if (entries.has(request.id)) throw new Error(`request ${request.id} is in the queue already`)
      if (request.wanted.length === 0) throw new Error(`request ${request.id} wants nothing`)
      const matches = matcher.matches(request.wanted)
      entries.set(request.id, {
        request, arrival: arrivals++, isSuspended: false, bypasses: 0, matches, isLimited: false, allowanceKeptFor: undefined
      })
      latestMs = Math.max(latestMs, request.joinedAtMs)
      order = undefined
    },

    remove (id) {
      if (entries.delete(id)) order = undefined
    },

    suspend: (id) => setSuspended(id, true),
    resume: (id) => setSuspended(id, false),

    nextGrants (devices, nowMs, allowanceOf = () => Number.POSITIVE_INFINITY) {
      updateMatches(devices)
      const byPreference = [...devices.keys()].sort((a, b) => preference(devices, a, b))
      const available = deviceSetOf(devices, ({ canBeGranted }) => canBeGranted)
      const foreseeable = deviceSetOf(devices, ({ canBeGranted, expectedAtMs }) => canBeGranted || expectedAtMs !== undefined)
      const passedOver: Entry[] = []
      const grants: NextGrant[] = []
      const allowances = new Map<string, number>()
      /** For which request the allowance of a holder is kept; the first where there are several. */
      const keptFor = new Map<string, string>()

      function take (indexes: ReadonlyArray<number | undefined>) {
        for (const index of indexes) if (index !== undefined) removeDevice(available, index)
      }

      for (const entry of ordered(nowMs)) {
        if (isEmpty(available)) break
        const { request, matches } = entry
        const { principal, wanted } = request
        const allowance = allowances.get(principal) ?? allowanceOf(principal)
        allowances.set(principal, allowance)
        entry.isLimited = wanted.length > allowance
        entry.allowanceKeptFor = entry.isLimited ? keptFor.get(principal) : undefined
        // There is no allowance left that a later request could take, or that could be kept.
        if (entry.isLimited && allowance <= 0) continue
        const taken = entry.isLimited ? undefined : assignAll(matches.each, byPreference, available)
        if (taken !== undefined) {
          take(taken)
          allowances.set(principal, allowance - wanted.length)
          grants.push({ request, deviceIds: taken.flatMap((index) => devices[index]?.description.id ?? []) })
          for (const earlier of passedOver) {
            if (isOvertaken(earlier, taken, principal, allowance - wanted.length)) earlier.bypasses++
          }
          continue
        }
        passedOver.push(entry)
        if (isOverdue(entry, nowMs) && canAssignAll(matches.each, foreseeable)) {
          if (!entry.isLimited) take(assignDevices(matches.each, byPreference, available))
          allowances.set(principal, allowance - wanted.length)
          if (!keptFor.has(principal)) keptFor.set(principal, request.id)
        }
      }
      return grants
    },

    waitsForAllowance (id) {
      const keptFor = entries.get(id)?.allowanceKeptFor
      return keptFor !== undefined && entries.has(keptFor)
    },

    position (id, devices, nowMs) {
      updateMatches(devices)
      const entry = entries.get(id)
      if (entry === undefined || entry.isSuspended) return undefined
      const counter = createPositionCounter(devices, nowMs)
      for (const other of ordered(nowMs)) {
        if (other === entry) break
        counter.count(other.matches)
      }
      return counter.positionOf(entry.matches)
    },

    positions (devices, nowMs) {
      updateMatches(devices)
      const counter = createPositionCounter(devices, nowMs)
      return new Map(ordered(nowMs).map(({ request, matches }) => {
        const position = counter.positionOf(matches)
        counter.count(matches)
        return [request.id, position]
      }))
    },

    get requests () { return ordered(latestMs).map(({ request }) => request) }
  }
}

/** Whether a request that was passed over is overtaken by a later one, which took these devices and left this allowance. */
function isOvertaken (
  { request, matches, isLimited }: Entry, taken: readonly number[], principal: string, allowance: number
): boolean {
  if (request.principal === principal && request.wanted.length > allowance) return true
  return !isLimited && taken.some((index) => hasDevice(matches.any, index))
}

function preference (devices: readonly DeviceAvailability[], a: number, b: number): number {
  const one = devices[a]
  const other = devices[b]
  if (one === undefined || other === undefined) return 0
  return one.lastUsedAtMs - other.lastUsedAtMs || one.failures - other.failures || (one.description.id < other.description.id ? -1 : 1)
}
