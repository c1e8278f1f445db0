/**
 * The waiting room: requests in the line, each with the caller who waits for its answer.
 *
 * Everybody goes through the line, also who does not want to wait: such a request joins, is
 * looked at once, and leaves. The line is walked on every change of the pool. Whoever's turn it
 * is steps aside while its devices are asked and granted; they are claimed meanwhile, so that no
 * two grants race for one. A grant that comes to nothing (a device that does not answer, a
 * caller who has left) gives the claims back, puts the request where it was, and walks again.
 *
 * Whoever has as many leases as it may keeps its place until it has fewer.
 *
 * A caller who leaves is gone from the line at once. One whose time is up while it is served
 * gets what comes of that.
 */
import { cancelledBy, CancelledRefusal } from '../../refusals/cancellation.ts'
import type { Refusal } from '../../refusals/refusal.ts'
import type { Cancel, Scheduler } from '../../runtime/scheduler.ts'
import { createSlices } from '../../runtime/slices.ts'
import type { Lease } from '../contract/lease.ts'
import { LeaseLimitReachedRefusal, LeasesUnavailableRefusal, QueueFullRefusal, WaitTimedOutRefusal, limitNote } from '../contract/lease-refusals.ts'
import type { WaitingPlace, WaitingRequest } from '../contract/lease-manager.ts'
import type { LeaseSettings } from '../contract/lease-settings.ts'
import type { Line, LineDevice, LineRequest, Turn } from './acquire-queue.ts'
import type { Log } from '../log.ts'

const lookEveryMs = 1_000
const retryAfterMs = 5_000
const placesATurn = 50
/** By how much an estimate moves before its caller is told. */
const estimateMovesMs = 5_000

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
  readonly limits: Pick<LeaseSettings, 'maxPerHolder' | 'maxWaitingPerHolder' | 'maxWaiting'>
  /** How many leases a holder has. */
  readonly leasesOf: (principal: string) => number
  /** Grants all of these devices or none. Undefined: it came to nothing, or nobody wants it any more. */
  readonly grant: (guest: G, deviceIds: readonly string[], isWanted: () => boolean) => Promise<readonly Lease[] | undefined>
  /** Undoes a grant of which nobody has learned. */
  readonly takeBack: (leases: readonly Lease[]) => Promise<undefined>
  /** What to say to somebody who does not wait. */
  readonly noneFree: (guest: G) => Error
  /** What keeps a guest from its devices beside those in front, as part of a sentence. */
  readonly obstacle: (guest: G) => string | undefined
}

interface Seat<G> {
  readonly guest: G
  /** Resolves or rejects what `enter` has promised, and clears up. */
  readonly answer: (outcome: readonly Lease[] | Error) => void
  isServed: boolean
  isTimeUp: boolean
  /** The place its caller was told of, and when. */
  told: { readonly place: WaitingPlace, readonly atMs: number } | undefined
}

export function createWaitingRoom<G extends Guest> (
  { line, devices: pool, scheduler, nowMs, log, limits, leasesOf, grant, takeBack, noneFree, obstacle }: WaitingRoomParts<G>
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

  /** How many more leases a holder may have; those that are being granted are had. */
  function spareOf (principal: string): number {
    if (limits.maxPerHolder === undefined) return Number.POSITIVE_INFINITY
    let wanted = 0
    for (const { guest: { request }, isServed } of seats.values()) {
      if (isServed && request.principal === principal) wanted += request.wanted.length
    }
    return limits.maxPerHolder - leasesOf(principal) - wanted
  }

  /** The limit that the guest's leases would be over now. */
  function limitReached ({ request: { principal, wanted } }: G): number | undefined {
    return wanted.length > spareOf(principal) ? limits.maxPerHolder : undefined
  }

  function noteOf (guest: G): string | undefined {
    const limit = limitReached(guest)
    return limit === undefined ? obstacle(guest) : limitNote(limit)
  }

  async function enter (guest: G): Promise<readonly Lease[]> {
    const { request: { id, principal, wanted: { length: wanted } }, signal, waitMs } = guest
    if (closedBy !== undefined) throw closedBy
    if (signal.aborted) throw goneBy(signal)
    const limit = limitReached(guest)
    if (limit !== undefined && (waitMs === 0 || wanted > limit)) throw new LeaseLimitReachedRefusal({ limit, wanted })
    if (waitMs > 0) assertRoom(principal)

    return await new Promise((resolve, reject) => {
      let stopWaiting: Cancel = () => {}
      const leave = () => answer(goneBy(signal))
      const answer = (outcome: readonly Lease[] | Error) => {
        if (!seats.delete(id)) return
        line.leave(id)
        signal.removeEventListener('abort', leave)
        stopWaiting()
        if (seats.size === 0) stopLookingAround()
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
        // Whoever was kept from a device by this one may have it now; and leases that are being
        // granted count twice for a moment against a limit.
        if (outcome instanceof Error || limits.maxPerHolder !== undefined) walk()
      }
      const seat: Seat<G> = { guest, answer, isServed: false, isTimeUp: waitMs === 0, told: undefined }
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
      try {
        walk()
        tellPlace(seat, line.place(id, devices(), nowMs()))
      } catch (fault) {
        // Its caller hears of the fault and is not there any more to be served.
        answer(fault instanceof Error ? fault : new Error('the line could not be walked', { cause: fault }))
      }
    })
  }

  function assertRoom (principal: string) {
    const { maxWaiting, maxWaitingPerHolder } = limits
    if (seats.size >= maxWaiting) throw new QueueFullRefusal({ limit: maxWaiting, of: 'everybody' })
    if (maxWaitingPerHolder === undefined) return
    const own = [...seats.values()].filter(({ guest }) => guest.request.principal === principal).length
    if (own >= maxWaitingPerHolder) throw new QueueFullRefusal({ limit: maxWaitingPerHolder, of: 'holder' })
  }

  // Requests age, and devices come to be kept for them, without anything else changing.
  function lookAround () {
    walk()
    const places = line.places(devices(), nowMs())
    slices.run([...seats.values()], (seat) => tellPlace(seat, places.get(seat.guest.request.id))).catch((fault: unknown) => {
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
    try {
      while (isChangedMeanwhile) {
        isChangedMeanwhile = false
        if (closedBy !== undefined || seats.size === 0) break
        for (const turn of line.walk(devices(), nowMs(), spareOf)) serve(turn)
        for (const seat of [...seats.values()]) {
          if (seat.isTimeUp && !seat.isServed) seat.answer(seat.guest.waitMs > 0 ? timedOut(seat) : notNow(seat.guest))
        }
      }
    } finally {
      isWalking = false
    }
  }

  function notNow (guest: G): Error {
    const limit = limitReached(guest)
    return limit === undefined ? noneFree(guest) : new LeaseLimitReachedRefusal({ limit, wanted: guest.request.wanted.length })
  }

  function serve ({ request: { id }, deviceIds }: Turn) {
    const seat = seats.get(id)
    if (seat === undefined) return
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
    return new WaitTimedOutRefusal({ position, note: noteOf(guest), retryAfterMs })
  }

  function tellPlace (seat: Seat<G>, bare: WaitingPlace | undefined) {
    const { guest, told } = seat
    if (guest.onWaiting === undefined || bare === undefined || seat.isServed || seats.get(guest.request.id) !== seat) return
    const note = noteOf(guest)
    const place = note === undefined ? bare : { ...bare, note }
    const atMs = nowMs()
    if (told !== undefined && !isNews(place, told.place, atMs - told.atMs)) return
    seat.told = { place, atMs }
    guest.onWaiting(place)
  }

  return {
    enter,
    walk,
    isClaimed: (deviceId) => claims.has(deviceId),

    list (holder) {
      const places = line.places(devices(), nowMs())
      const served = [...seats.values()].filter(({ isServed }) => isServed).map(({ guest: { request: { id } } }): [string, WaitingPlace] => [id, beingServed])
      return [...served, ...places].flatMap(([id, { position, estimateMs }]) => {
        const seat = seats.get(id)
        if (seat === undefined || (holder !== undefined && seat.guest.request.principal !== holder)) return []
        const { request: { principal, priority, wanted, joinedAtMs: sinceMs }, purpose } = seat.guest
        return [{ id, principal, priority, wanted, purpose, sinceMs, position, estimateMs }]
      })
    },

    async close (reason) {
      closedBy = reason
      for (const { answer } of [...seats.values()]) answer(reason)
      await Promise.all(grants)
    }
  }
}

const beingServed: WaitingPlace = { position: 1, estimateMs: 0 }

/** Why somebody has left. Who waits for a lease has none yet that it could go on with after a shutdown. */
function goneBy (signal: AbortSignal): Refusal {
  const refusal = cancelledBy(signal)
  return refusal instanceof CancelledRefusal && refusal.details.reason === 'shutting_down' ? new LeasesUnavailableRefusal() : refusal
}

/** Whether a place is another one than was told of, the time that has passed since set aside. */
function isNews (now: WaitingPlace, told: WaitingPlace, passedMs: number): boolean {
  if (now.position !== told.position || now.note !== told.note) return true
  if (now.estimateMs === undefined || told.estimateMs === undefined) return now.estimateMs !== told.estimateMs
  return Math.abs(now.estimateMs - Math.max(0, told.estimateMs - passedMs)) > estimateMovesMs
}
