/**
 * The waiters: requests in the acquire queue, each with a caller that waits for its answer.
 *
 * Every request goes through the queue, also one that does not wait: it joins, is considered once,
 * and leaves. The queue is looked through on every change of the devices, and once a second while
 * there are waiters, because requests age. However much changes in one turn of the event loop, the
 * queue is looked through at the first change and at the end of the turn.
 *
 * A request that is to be granted is suspended while the device side grants it, and its devices are
 * not proposed to another request meanwhile. If the grant fails, because a device does not answer or
 * the caller has left, the request goes back to its position and the queue is looked through again.
 *
 * A request that would exceed its holder's limit waits until leases of that holder end.
 *
 * When a grant can neither be made nor refused, as on a full disk, the request stays at its
 * position, and the devices are left alone for a second or until a new request comes. The caller
 * is told so; one that does not wait gets the fault.
 *
 * A caller that leaves is out of the queue at once. A request whose time is up while it is being
 * granted gets what comes of that. A request that no device of the pool can serve any more is
 * refused; a device that is only away still counts.
 */
import { cancelledBy, CancelledRefusal } from '../../refusals/cancellation.ts'
import type { Refusal } from '../../refusals/refusal.ts'
import type { Ids } from '../../runtime/ids.ts'
import type { Cancel, Scheduler } from '../../runtime/scheduler.ts'
import { createSlices } from '../../runtime/slices.ts'
import type { Lease } from '../contract/lease.ts'
import type { AcquireTerms, DeviceSelector, QueuePosition, WaitingRequest } from '../contract/lease-manager.ts'
import {
  LeaseLimitReachedRefusal, LeasesUnavailableRefusal, QueueFullRefusal, RequestRemovedRefusal, WaitTimedOutRefusal, limitNote,
  type LimitReached
} from '../contract/lease-refusals.ts'
import type { LeaseSettings } from '../contract/lease-settings.ts'
import type { Log } from '../log.ts'
import type { AcquireQueue, NextGrant } from './acquire-queue.ts'
import { acquireRequest, type AcquireRequest } from './acquire-request.ts'
import type { DeviceAvailability, Granted, QueuedDevices } from './availability.ts'
import { hasDevice } from './device-set.ts'
import { createGrantFailures } from './grant-failures.ts'
import { createMatcher } from './matches.ts'
import { noteOfHolds, whyNever, whyNotNow } from './shortage.ts'
import { createToldPositions } from './told-positions.ts'

const considerEveryMs = 1_000
const retryAfterMs = 5_000
const positionsPerSlice = 50
/** A grant takes milliseconds; one that takes longer waits for the database or for a device, and may fail. */
const grantTakesMs = 1_000
/** A lease that goes on for so long after its time has a call under way, or its end cannot be recorded. */
const longOverdueMs = 5_000

export interface Waiters {
  /**
   * Waits for devices as long as the terms say, and resolves with a lease for each of `wanted`.
   * Rejects with the refusal otherwise.
   */
  acquire (terms: AcquireTerms, wanted: readonly DeviceSelector[]): Promise<readonly Lease[]>
  /** To be called when a device has changed: looks which requests can be granted now. */
  devicesChanged (): void
  /** Whether a request waits that could be granted this device if it had no lease. */
  wants (deviceId: string): boolean
  /** The requests of one holder, or of all, in the order in which they would be served now. */
  list (principal?: string): readonly WaitingRequest[]
  /** Refuses a request with the reason of an operator. @returns the request as it was; undefined: there is none */
  remove (id: string, reason: string): WaitingRequest | undefined
  /** Refuses all requests, now and from now on. @returns once no grant is under way any more */
  close (reason: Error): Promise<void>
}

export interface WaitersParts {
  readonly queue: AcquireQueue
  readonly devices: QueuedDevices
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly ids: Ids
  readonly settings: LeaseSettings
  readonly log: Log
}

interface Waiter {
  readonly request: AcquireRequest
  /** Settles what `acquire` has promised, and removes the waiter. */
  readonly answer: (outcome: readonly Lease[] | Error) => void
  /** Set while it is being granted; aborts when the caller leaves. */
  granting: AbortController | undefined
  /** Since when. */
  grantingSinceMs: number
  isTimeUp: boolean
}

export function createWaiters ({ queue, devices: deviceSide, scheduler, nowMs, ids, settings, log }: WaitersParts): Waiters {
  const { maxPerHolder, maxWaiting, maxWaitingPerHolder } = settings
  const waiters = new Map<string, Waiter>()
  /** Devices that are being granted. */
  const reserved = new Set<string>()
  const failures = createGrantFailures({ nowMs, log })
  const grants = new Set<Promise<void>>()
  const told = createToldPositions(nowMs)
  const slices = createSlices(positionsPerSlice)
  const matcher = createMatcher()
  /** The devices at the last look; `matcher` has the same list. */
  let devices: readonly DeviceAvailability[] = []
  /** The holder of each live lease at the last look, also on devices that leave. */
  let holders: readonly string[] = []
  // After a restart an id must not name another request than the operator has seen.
  const idPrefix = `request-${ids.bytes(4).toString('hex')}`
  let requests = 0
  let stopConsidering: Cancel | undefined
  let closedBy: Error | undefined
  /** Requests that have joined and were not considered yet. */
  const joined = new Set<Waiter>()
  /** Whether the queue was looked through in this turn of the event loop, and has changed since. */
  let hasConsidered = false
  let hasChanged = false

  /** Looks at the devices again. Those that are being granted, or are left alone, cannot be granted to another request. */
  function look () {
    const all = deviceSide.availability()
    holders = all.flatMap(({ holder }) => holder ?? [])
    devices = all.filter(({ isLeaving }) => !isLeaving).map((device) => {
      const { description: { id } } = device
      return reserved.has(id) || failures.isLeftAlone(id) ? { ...device, canBeGranted: false } : device
    })
    if (!matcher.update(devices)) return
    failures.keep(devices)
    refuseHopeless()
  }

  /** Refuses the requests that the pool can never serve since it has changed. */
  function refuseHopeless () {
    for (const { request, answer, granting } of [...waiters.values()]) {
      const refusal = granting === undefined ? hopeless(request) : undefined
      if (refusal !== undefined) answer(refusal)
    }
  }

  function hopeless ({ wanted }: AcquireRequest): Error | undefined {
    return whyNever(wanted, matcher.matches(wanted), devices)
  }

  /** How many more leases a holder may have; leases that are being granted count. */
  function allowanceOf (principal: string): number {
    if (maxPerHolder === undefined) return Number.POSITIVE_INFINITY
    let used = 0
    for (const holder of holders) if (holder === principal) used++
    for (const { request, granting } of waiters.values()) {
      if (granting !== undefined && request.principal === principal) used += request.wanted.length
    }
    return maxPerHolder - used
  }

  /** The limit on its holder's leases, if that keeps a request from being granted now. */
  function limitReached ({ id, principal, wanted }: AcquireRequest): LimitReached | undefined {
    if (maxPerHolder === undefined) return undefined
    if (wanted.length > allowanceOf(principal)) return { limit: maxPerHolder, isKept: false }
    return queue.waitsForAllowance(id) ? { limit: maxPerHolder, isKept: true } : undefined
  }

  function noteOf (request: AcquireRequest): string | undefined {
    const reached = limitReached(request)
    if (reached !== undefined) return limitNote(reached)
    return noteOfHolds(matcher.matches(request.wanted), devices) ?? failures.of(matcher.matches(request.wanted), devices)[0]?.note
  }

  async function acquire (terms: AcquireTerms, wanted: readonly DeviceSelector[]): Promise<readonly Lease[]> {
    const request = acquireRequest(`${idPrefix}-${++requests}`, terms, wanted, settings, nowMs())
    look()
    const refusal = hopeless(request) ?? closedBy
    if (refusal !== undefined) throw refusal
    const { id, principal, signal, waitMs } = request
    if (signal.aborted) throw leftBy(signal)
    const reached = limitReached(request)
    if (reached !== undefined && (waitMs === 0 || wanted.length > reached.limit)) {
      throw new LeaseLimitReachedRefusal({ ...reached, wanted: wanted.length })
    }
    if (waitMs > 0) assertRoom(principal)
    for (const failure of failures.of(matcher.matches(wanted), devices)) failure.againAtMs = nowMs()

    return await new Promise((resolve, reject) => {
      let stopWaiting: Cancel = () => {}
      const untilMs = request.joinedAtMs + waitMs
      // The timer runs on while this process is stalled, and `nowMs` does not: a waiter is not
      // charged for time in which it could not have been served.
      const waitOn = () => {
        const leftMs = untilMs - nowMs()
        if (leftMs > 0) {
          stopWaiting = scheduler.after(leftMs, waitOn)
          return
        }
        waiter.isTimeUp = true
        if (waiter.granting === undefined) answer(timedOut(request))
      }
      const leave = () => answer(leftBy(signal))
      const answer = (outcome: readonly Lease[] | Error) => {
        if (!waiters.delete(id)) return
        queue.remove(id)
        joined.delete(waiter)
        signal.removeEventListener('abort', leave)
        stopWaiting()
        if (waiters.size === 0) stopConsideringRegularly()
        if (outcome instanceof Error) {
          waiter.granting?.abort()
          reject(outcome)
        } else {
          resolve(outcome)
        }
        // A device may have been kept for this request; and leases that are being granted count
        // twice for a moment against a limit.
        if (outcome instanceof Error || maxPerHolder !== undefined) consider()
      }
      const waiter: Waiter = { request, answer, granting: undefined, grantingSinceMs: 0, isTimeUp: waitMs === 0 }
      waiters.set(id, waiter)
      queue.add(request)
      signal.addEventListener('abort', leave)
      if (waitMs > 0) {
        stopWaiting = scheduler.after(waitMs, waitOn)
        stopConsidering ??= scheduler.every(considerEveryMs, considerRegularly)
      }
      joined.add(waiter)
      consider()
    })
  }

  function assertRoom (principal: string) {
    if (waiters.size >= maxWaiting) throw new QueueFullRefusal({ limit: maxWaiting, of: 'all' })
    if (maxWaitingPerHolder === undefined) return
    const own = [...waiters.values()].filter(({ request }) => request.principal === principal).length
    if (own >= maxWaitingPerHolder) throw new QueueFullRefusal({ limit: maxWaitingPerHolder, of: 'holder' })
  }

  // Requests age, and devices come to be kept for them, without any other change.
  function considerRegularly () {
    look()
    // Before requests are suspended for grants that may fail again.
    const positions = queue.positions(foreseen(), nowMs())
    consider()
    slices.run([...waiters.values()], (waiter) => tellPosition(waiter, positions.get(waiter.request.id))).catch((fault: unknown) => {
      log.error({ err: fault }, 'positions in the queue could not be told')
    })
  }

  function stopConsideringRegularly () {
    stopConsidering?.()
    stopConsidering = undefined
  }

  /** Looks through the queue at the first change in a turn of the event loop, and at its end if more has changed. */
  function consider () {
    hasChanged = true
    if (hasConsidered) return
    hasConsidered = true
    setImmediate(() => {
      hasConsidered = false
      if (hasChanged) consider()
    })
    hasChanged = false
    if (closedBy !== undefined || waiters.size === 0) return
    try {
      lookThrough()
    } catch (cause) {
      const fault = cause instanceof Error ? cause : new Error('the queue could not be looked through', { cause })
      log.error({ err: fault }, 'the queue could not be looked through')
      // These callers hear of the fault, so they are no longer there to be served.
      for (const { answer } of [...joined]) answer(fault)
    }
  }

  /** Begins all grants that can be made now, and refuses the requests that cannot wait any longer. */
  function lookThrough () {
    look()
    for (const next of queue.nextGrants(devices, nowMs(), allowanceOf)) begin(next)
    for (const { request, answer, granting, isTimeUp } of [...waiters.values()]) {
      if (isTimeUp && granting === undefined) answer(request.waitMs > 0 ? timedOut(request) : notNow(request))
    }
    if (joined.size > 0) tellJoined()
  }

  /** Tells the callers that have just joined their positions. What is being granted meanwhile is not available. */
  function tellJoined () {
    look()
    const positions = queue.positions(foreseen(), nowMs())
    for (const waiter of joined) tellPosition(waiter, positions.get(waiter.request.id))
    joined.clear()
  }

  function notNow (request: AcquireRequest): Error {
    const reached = limitReached(request)
    if (reached !== undefined) return new LeaseLimitReachedRefusal({ ...reached, wanted: request.wanted.length })
    const { wanted } = request
    const matches = matcher.matches(wanted)
    const failure = failures.of(matches, devices).find(({ deviceIds }) => !deviceIds.some((deviceId) => reserved.has(deviceId)))
    if (failure !== undefined) return failure.fault
    const waiting = queue.requests.filter(({ id }) => id !== request.id).map(({ wanted }) => matcher.matches(wanted))
    return whyNotNow({ wanted, matches, waiting, devices, nowMs: nowMs() })
  }

  function timedOut (request: AcquireRequest): Error {
    const position = queue.position(request.id, devices, nowMs())?.position ?? 1
    return new WaitTimedOutRefusal({ position, note: noteOf(request), retryAfterMs })
  }

  function begin ({ request: { id }, deviceIds }: NextGrant) {
    const waiter = waiters.get(id)
    if (waiter === undefined) return
    waiter.granting = new AbortController()
    waiter.grantingSinceMs = nowMs()
    queue.suspend(id)
    for (const deviceId of deviceIds) reserved.add(deviceId)
    const granting = grant(waiter, deviceIds, waiter.granting.signal).finally(() => grants.delete(granting))
    grants.add(granting)
  }

  async function grant (waiter: Waiter, deviceIds: readonly string[], signal: AbortSignal) {
    const { request } = waiter
    const { id, terms } = request
    let granted: Granted | undefined
    let hasFailed = false
    try {
      granted = await deviceSide.grant({ deviceIds, terms, signal })
      failures.decided(deviceIds)
    } catch (fault) {
      hasFailed = true
      failures.failed(deviceIds, fault)
    }
    if (granted !== undefined && signal.aborted) await takeBack(granted)
    for (const deviceId of deviceIds) reserved.delete(deviceId)
    queue.resume(id)
    waiter.granting = undefined
    // The pool may have changed while this request was being granted.
    const outcome = granted?.leases ?? hopeless(request)
    if (outcome !== undefined && waiters.has(id)) {
      waiter.answer(outcome)
      return
    }
    consider()
    if (hasFailed) tellPosition(waiter, queue.position(id, foreseen(), nowMs()))
  }

  async function takeBack (granted: Granted) {
    try {
      await granted.takeBack()
    } catch (fault) {
      log.error({ err: fault }, 'a grant could not be taken back')
    }
  }

  /** The devices for estimates: when one can be granted is unknown while granting it fails, or where its time is long over. */
  function foreseen (): readonly DeviceAvailability[] {
    const latestMs = nowMs() - longOverdueMs
    return devices.map((device) => {
      const isUncertain = failures.has(device.description.id) || (device.expectedAtMs ?? latestMs) < latestMs
      return isUncertain ? { ...device, canBeGranted: false, expectedAtMs: undefined } : device
    })
  }

  function beingGranted ({ request: { wanted }, grantingSinceMs }: Waiter): QueuePosition {
    const isUncertain = nowMs() - grantingSinceMs > grantTakesMs || failures.of(matcher.matches(wanted), devices).length > 0
    return { position: 1, estimateMs: isUncertain ? undefined : 0 }
  }

  function tellPosition (waiter: Waiter, bare: QueuePosition | undefined) {
    const { request, granting } = waiter
    if (request.onWaiting === undefined || bare === undefined || granting !== undefined || waiters.get(request.id) !== waiter) return
    const note = noteOf(request)
    told.tell(request, note === undefined ? bare : { ...bare, note })
  }

  function list (holder?: string): readonly WaitingRequest[] {
    look()
    const granting = [...waiters.values()].filter((waiter) => waiter.granting !== undefined)
    const positions = [
      ...granting.map((waiter): [string, QueuePosition] => [waiter.request.id, beingGranted(waiter)]),
      ...queue.positions(foreseen(), nowMs())
    ]
    return positions.flatMap(([id, { position, estimateMs }]) => {
      const request = waiters.get(id)?.request
      if (request === undefined || (holder !== undefined && request.principal !== holder)) return []
      const { principal, priority, wanted, joinedAtMs: sinceMs, terms: { purpose } } = request
      return [{ id, principal, priority, wanted, purpose, sinceMs, position, estimateMs }]
    })
  }

  return {
    acquire,
    devicesChanged: consider,

    wants (deviceId) {
      const at = devices.findIndex(({ description: { id } }) => id === deviceId)
      const device = devices[at]
      if (device === undefined || device.hold !== undefined) return false
      return [...waiters.values()].some(({ request, granting, isTimeUp }) => {
        if (granting !== undefined || isTimeUp || !hasDevice(matcher.matches(request.wanted).any, at)) return false
        // A request at the limit of its holder gains only by the end of a lease of that holder.
        return device.holder === request.principal || limitReached(request) === undefined
      })
    },

    list,

    remove (id, reason) {
      const removed = list().find((request) => request.id === id)
      waiters.get(id)?.answer(new RequestRemovedRefusal(reason))
      return removed
    },

    async close (reason) {
      closedBy = reason
      for (const { answer } of [...waiters.values()]) answer(reason)
      await Promise.all(grants)
    }
  }
}

/** Why a caller has left. A request has no lease yet that could go on after a shutdown. */
function leftBy (signal: AbortSignal): Refusal {
  const refusal = cancelledBy(signal)
  return refusal instanceof CancelledRefusal && refusal.details.reason === 'shutting_down' ? new LeasesUnavailableRefusal() : refusal
}
