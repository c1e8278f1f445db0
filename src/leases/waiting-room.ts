/**
 * The waiting room: requests in the line, each with the caller who waits for its answer.
 *
 * Everybody goes through the line, also who does not want to wait: such a request joins, is
 * looked at once, and leaves. The line is walked on every change of the pool. Whoever's turn it
 * is steps aside while its devices are asked and granted; they are claimed meanwhile, so that no
 * two grants race for one. A grant that comes to nothing (a device that does not answer, a
 * caller who has left) gives the claims back, puts the request where it was, and walks again.
 *
 * A caller who leaves is gone from the line at once. One whose time is up while it is served
 * gets what comes of that.
 */
import { cancelledBy } from '../devices/cancellation.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { createSlices } from '../runtime/slices.ts'
import type { Lease } from './lease.ts'
import { LeaseLimitReachedRefusal, QueueFullRefusal, WaitTimedOutRefusal } from './lease-refusals.ts'
import type { WaitingPlace, WaitingRequest } from './lease-manager.ts'
import type { Line, LineDevice, LineRequest, Turn } from './line/line.ts'
import type { Log } from './log.ts'

const lookEveryMs = 1_000
const retryAfterMs = 5_000
const placesATurn = 50

/** A request with all that its grant needs, and how long its caller waits. */
export interface Guest {
  readonly request: LineRequest
  readonly purpose: string | undefined
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly onWaiting: ((place: WaitingPlace) => void) | undefined
}

export interface WaitingRoom<G extends Guest> {
  /** The leases granted to the guest, in the order of what it wants; rejects with the refusal otherwise. */
  enter (guest: G): Promise<readonly Lease[]>
  /** Something has changed: looks who can be served. */
  walk (): void
  /** How many are waiting for these devices or being served. */
  readonly size: number
  /** In the order in which they would be served now; a holder's, or everybody's. */
  list (principal?: string): readonly WaitingRequest[]
  /** Whether a device is being granted. */
  isClaimed (deviceId: string): boolean
  /** Turns everybody away, now and from now on. @returns once no grant is under way any more */
  close (reason: Error): Promise<void>
}

export interface WaitingRoomParts<G extends Guest> {
  readonly line: Line
  /** The pool as the line needs it; claimed devices are taken out here. */
  readonly devices: () => readonly LineDevice[]
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly log: Log
  readonly limits: { readonly maxPerHolder: number, readonly maxWaitingPerHolder: number, readonly maxWaiting: number }
  /** How many leases a holder has. */
  readonly leasesOf: (principal: string) => number
  /** Grants all of these devices or none. Undefined: it came to nothing, or nobody wants it any more. */
  readonly grant: (guest: G, deviceIds: readonly string[], isWanted: () => boolean) => Promise<readonly Lease[] | undefined>
  /** Undoes a grant of which nobody has learned. */
  readonly takeBack: (leases: readonly Lease[]) => Promise<undefined>
  /** What to say to somebody who does not wait. */
  readonly noneFree: (guest: G) => Error
}

interface Seat<G> {
  readonly guest: G
  /** Resolves or rejects what `enter` has promised, and clears up. */
  readonly answer: (outcome: readonly Lease[] | Error) => void
  isServed: boolean
  isTimeUp: boolean
  position: number | undefined
}

export function createWaitingRoom<G extends Guest> (
  { line, devices: pool, scheduler, nowMs, log, limits, leasesOf, grant, takeBack, noneFree }: WaitingRoomParts<G>
): WaitingRoom<G> {
  const seats = new Map<string, Seat<G>>()
  const claims = new Set<string>()
  const grants = new Set<Promise<void>>()
  const slices = createSlices(placesATurn)
  let stopLooking: Cancel | undefined
  let closedBy: Error | undefined
  let isWalking = false
  let isChangedMeanwhile = false

  const devices = () => pool().map((device) => claims.has(device.description.id) ? { ...device, isFree: false } : device)

  /** How many leases a holder has, and will have once those are granted that are being granted. */
  function holdings (principal: string): number {
    let wanted = 0
    for (const { guest: { request }, isServed } of seats.values()) {
      if (isServed && request.principal === principal) wanted += request.wanted.length
    }
    return leasesOf(principal) + wanted
  }

  async function enter (guest: G): Promise<readonly Lease[]> {
    const { request: { id, principal, wanted }, signal, waitMs } = guest
    if (closedBy !== undefined) throw closedBy
    if (signal.aborted) throw cancelledBy(signal)
    if (leasesOf(principal) + wanted.length > limits.maxPerHolder) throw new LeaseLimitReachedRefusal(limits.maxPerHolder)
    if (waitMs > 0) assertRoom(principal)

    return await new Promise((resolve, reject) => {
      let stopWaiting: Cancel = () => {}
      const leave = () => answer(cancelledBy(signal))
      const answer = (outcome: readonly Lease[] | Error) => {
        if (!seats.delete(id)) return
        line.leave(id)
        signal.removeEventListener('abort', leave)
        stopWaiting()
        if (seats.size === 0) stopLookingAround()
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
        // Whoever was kept from a device by this one may have it now.
        if (outcome instanceof Error) walk()
      }
      const seat: Seat<G> = { guest, answer, isServed: false, isTimeUp: waitMs === 0, position: undefined }
      seats.set(id, seat)
      line.join(guest.request)
      signal.addEventListener('abort', leave)
      if (waitMs > 0) {
        stopWaiting = scheduler.after(waitMs, () => {
          seat.isTimeUp = true
          if (!seat.isServed) answer(timedOut(seat))
        })
        stopLooking ??= scheduler.every(lookEveryMs, lookAround)
      }
      walk()
      tellPlace(seat, devices())
    })
  }

  function assertRoom (principal: string) {
    const waiting = [...seats.values()]
    if (waiting.length >= limits.maxWaiting) throw new QueueFullRefusal({ limit: limits.maxWaiting, of: 'everybody' })
    const own = waiting.filter(({ guest }) => guest.request.principal === principal).length
    if (own >= limits.maxWaitingPerHolder) throw new QueueFullRefusal({ limit: limits.maxWaitingPerHolder, of: 'holder' })
  }

  // Requests age, and devices come to be kept for them, without anything else changing.
  function lookAround () {
    walk()
    const now = devices()
    // A place costs a look at everybody in front.
    slices.run([...seats.values()], (seat) => tellPlace(seat, now)).catch((fault: unknown) => {
      log.error({ err: fault }, 'places in the line could not be told')
    })
  }

  function stopLookingAround () {
    stopLooking?.()
    stopLooking = undefined
  }

  function walk () {
    isChangedMeanwhile = true
    // Whoever is turned away in a walk has this one begin again, instead of another within it.
    if (isWalking) return
    isWalking = true
    while (isChangedMeanwhile) {
      isChangedMeanwhile = false
      if (closedBy !== undefined || seats.size === 0) break
      for (const turn of line.walk(devices(), nowMs())) serve(turn)
      for (const seat of [...seats.values()]) {
        if (!seat.isTimeUp || seat.isServed) continue
        seat.answer(seat.guest.waitMs > 0 ? timedOut(seat) : noneFree(seat.guest))
      }
    }
    isWalking = false
  }

  function serve ({ request: { id, principal, wanted }, deviceIds }: Turn) {
    const seat = seats.get(id)
    if (seat === undefined) return
    if (holdings(principal) + wanted.length > limits.maxPerHolder) {
      seat.answer(new LeaseLimitReachedRefusal(limits.maxPerHolder))
      return
    }
    seat.isServed = true
    line.stepAside(id)
    for (const deviceId of deviceIds) claims.add(deviceId)
    const granting = grantTo(seat, deviceIds).finally(() => grants.delete(granting))
    grants.add(granting)
  }

  async function grantTo (seat: Seat<G>, deviceIds: readonly string[]) {
    const { guest } = seat
    const { id } = guest.request
    const isWanted = () => seats.get(id) === seat
    let outcome: readonly Lease[] | Error | undefined
    try {
      outcome = await grant(guest, deviceIds, isWanted)
      if (outcome !== undefined && !isWanted()) outcome = await takeBack(outcome)
    } catch (fault) {
      outcome = fault instanceof Error ? fault : new Error('a grant failed', { cause: fault })
    }
    for (const deviceId of deviceIds) claims.delete(deviceId)
    line.stepBack(id)
    seat.isServed = false
    if (outcome === undefined) walk()
    else seat.answer(outcome)
  }

  function timedOut ({ guest }: Seat<G>): Error {
    const position = line.place(guest.request.id, devices(), nowMs())?.position ?? 1
    return new WaitTimedOutRefusal({ position, retryAfterMs })
  }

  function tellPlace (seat: Seat<G>, now: readonly LineDevice[]) {
    const { request: { id }, onWaiting } = seat.guest
    if (onWaiting === undefined || seat.isServed || !seats.has(id)) return
    const place = line.place(id, now, nowMs())
    if (place === undefined || place.position === seat.position) return
    seat.position = place.position
    onWaiting(place)
  }

  return {
    enter,
    walk,
    get size () { return seats.size },
    isClaimed: (deviceId) => claims.has(deviceId),

    list (holder) {
      const now = devices()
      const served = [...seats.values()].filter(({ isServed }) => isServed).map(({ guest }) => guest.request)
      return [...served, ...line.requests].flatMap(({ id, principal, priority, wanted, joinedAtMs }, i) => {
        const seat = seats.get(id)
        if (seat === undefined || (holder !== undefined && principal !== holder)) return []
        const estimateMs = seat.isServed ? 0 : line.place(id, now, nowMs())?.estimateMs
        return [{ id, principal, priority, wanted, purpose: seat.guest.purpose, sinceMs: joinedAtMs, position: i + 1, estimateMs }]
      })
    },

    async close (reason) {
      closedBy = reason
      for (const { answer } of [...seats.values()]) answer(reason)
      await Promise.all(grants)
    }
  }
}
