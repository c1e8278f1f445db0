/**
 * What is known about a pool by those who use it and those who run it: what they asked for, what
 * they were told, and what happened to the phones. From that follows what may be true of leases,
 * devices and the queue, and what must be.
 */
import assert from 'node:assert/strict'
import type { DeviceDescription } from '../../../src/devices/device-types.ts'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import type { EndReason, Lease, Priority } from '../../../src/leases/contract/lease.ts'
import { matchesSelector } from '../../../src/leases/queue/match-device.ts'
import { settings } from './world.ts'

/** An instant between two others: a restart and a stall are forgiven, but not to the millisecond. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

export function at (ms: number): Span {
  return { fromMs: ms, untilMs: ms }
}

export interface ModelRun {
  readonly lease: ModelLease
  /** Until when it holds off an end by time. */
  readonly vetoUntilMs: number
  readonly finish: () => void
  /** When it was told that the lease is over: by an end that it should perhaps have held off. */
  abortedAtMs: number | undefined
}

export interface ModelLease {
  readonly handle: string
  readonly deviceId: string
  readonly bootId: string
  readonly fence: number
  readonly holder: Lease['holder']
  readonly heartbeatMs: number | undefined
  readonly grantedAtMs: number
  ttlMs: number
  expires: Span
  idles: Span
  longest: Span
  heardAtMs: number
  isUsed: boolean
  /** A call other than the one that acquired it has begun to claim it. */
  isClaimed: boolean
  /** Such a claim has been let in. */
  isConfirmed: boolean
  /** Its holder has asked to leave the device as it is. */
  isLeftDirty: boolean
  /** Nobody was told of it: its process ended before. */
  readonly isOrphan: boolean
  /** When the server that had granted it was started again. */
  restartedAtMs: number | undefined
  readonly runs: Set<ModelRun>
  /** What has happened that ends it, besides the time. */
  readonly causes: Set<EndReason>
  /** The step in which somebody last said that it is to end; it has, unless the server broke off just then. */
  endAskedAtStep: number | undefined
  /** How it ended, once that is known. */
  end: EndReason | undefined
}

export interface ModelRequest {
  readonly name: string
  readonly holder: Lease['holder']
  readonly wanted: readonly DeviceSelector[]
  readonly priority: Priority
  readonly waitMs: number
  readonly joinedAtMs: number
  /** Requests of one step came at the same time. */
  readonly step: number
  readonly caller: AbortController
  state: 'open' | 'granted' | 'refused'
  isCompared: boolean
}

export interface ModelDrain { readonly deadlineAtMs?: number }

export interface ModelPhone {
  readonly id: string
  readonly description: DeviceDescription
  /** Undefined while it does not answer, or cannot be reached. */
  boot: string | undefined
  lastBoot: string
  /** Whether its source has it. */
  isPlugged: boolean
  /** Whether the process has it in its pool: a phone that is lost stays there, one that is removed or was never told of does not. */
  isInPool: boolean
  /** How an operator has taken it out of the pool, as long as it is not put back. */
  removal: 'goes_on' | 'ends' | undefined
  /** Since when it has been there without a break, or away. */
  sinceMs: number
  isBlocked: boolean
  drain: ModelDrain | undefined
  holdSetAtStep: number
  /** Operators have said several things about it at once; which came last is the pool's to tell. */
  isHoldOpen: boolean
  /** The step in which it was last not as usual: gone, rebooted, or held. */
  disturbedAtStep: number
  /** When it was away before. */
  readonly awaySpans: Span[]
}

export interface Model {
  step: number
  readonly leases: Map<string, ModelLease>
  readonly requests: ModelRequest[]
  readonly runs: Set<ModelRun>
  readonly phones: readonly ModelPhone[]
  /** The highest token that anybody was given, by device. */
  readonly fences: Map<string, number>
}

export const holders = ['ann', 'ben', 'cal'].map((name) => ({ principal: `issuer\u0000${name}` }))
/** How long a leased device may have come back or gone before somebody must have noticed. */
export const noticeMs = settings.watchEveryMs + settings.probeTimeoutMs + 5_000
/** How often somebody looks who has been silent. */
const sweepEveryMs = 2_000

export function isVetoed ({ runs }: ModelLease, nowMs: number): boolean {
  return [...runs].some(({ vetoUntilMs, abortedAtMs }) => vetoUntilMs > nowMs && (abortedAtMs === undefined || abortedAtMs === nowMs))
}

/** Whether a lease can have ended that way at `nowMs`. */
export function canHaveEnded (lease: ModelLease, reason: EndReason, nowMs: number): boolean {
  const byTime = (span: Span) => span.fromMs <= nowMs && !isVetoed(lease, nowMs)
  switch (reason) {
    case 'expired': return byTime(lease.expires)
    case 'idle': return byTime(lease.idles)
    case 'max_length': return byTime(lease.longest)
    case 'owner_lost': return lease.restartedAtMs !== undefined && [lease.expires, lease.idles, lease.longest].some(byTime)
    case 'heartbeat_lost': return lease.heartbeatMs !== undefined && lease.heardAtMs + lease.heartbeatMs + 4_000 <= nowMs && !isVetoed(lease, nowMs)
    case 'undelivered': return lease.causes.has('undelivered') && !lease.isConfirmed
    default: return lease.causes.has(reason)
  }
}

/** A lease that was not used may be given back while a request waits for its phone. */
export function noteUnused (lease: ModelLease, { requests, phones }: Model, nowMs: number): void {
  const { isUsed, isConfirmed, grantedAtMs, deviceId } = lease
  const fromMs = grantedAtMs + settings.firstUseMs
  const phone = phones.find(({ id }) => id === deviceId)
  const isWanted = requests.some(({ wanted, waitMs, joinedAtMs }) => phone !== undefined && waitMs > 0 && joinedAtMs + waitMs >= fromMs && fits(phone, wanted))
  if (!isUsed && !isConfirmed && fromMs <= nowMs && isWanted) lease.causes.add('unused')
}

/** Why a lease cannot go on at `nowMs`; undefined when it can. */
export function whyOver (lease: ModelLease, nowMs: number): string | undefined {
  if (lease.endAskedAtStep !== undefined) return 'it was released, revoked or taken back'
  if (isVetoed(lease, nowMs)) return undefined
  if (lease.expires.untilMs <= nowMs) return 'it has expired'
  if (lease.idles.untilMs <= nowMs) return 'it has been idle'
  if (lease.longest.untilMs <= nowMs) return 'it has lasted as long as any'
  const heldOffUntilMs = Math.max(0, ...[...lease.runs].map(({ vetoUntilMs }) => vetoUntilMs))
  if (lease.heartbeatMs !== undefined && Math.max(lease.heardAtMs + lease.heartbeatMs + 4_000, heldOffUntilMs) + sweepEveryMs < nowMs) return 'its holder has been silent'
  return undefined
}

export function fits ({ description }: ModelPhone, wanted: readonly DeviceSelector[]): boolean {
  return wanted.some((selector) => matchesSelector(description, selector))
}

/** Whether each selector can have a phone of its own, found by trying everything. */
export function canBeMet (wanted: readonly DeviceSelector[], phones: readonly ModelPhone[]): boolean {
  const [first, ...rest] = wanted
  if (first === undefined) return true
  return phones.some((phone) => matchesSelector(phone.description, first) && canBeMet(rest, phones.filter((other) => other !== phone)))
}

/** @throws when there is none */
export function phoneOf (model: Model, deviceId: string): ModelPhone {
  const phone = model.phones.find(({ id }) => id === deviceId)
  assert.ok(phone, `there is no phone ${deviceId}`)
  return phone
}

/** A lease is for one boot of its phone. */
export function noteBoot (model: Model, phone: ModelPhone): void {
  for (const lease of model.leases.values()) {
    if (lease.deviceId === phone.id && lease.bootId !== phone.lastBoot) lease.causes.add('device_restarted')
  }
}

/** A device may be lost that was away long enough ago, and is away now or has been found away since. */
export function noteAway (lease: ModelLease, phone: ModelPhone, nowMs: number): void {
  const windowMs = lease.restartedAtMs === undefined ? settings.recoveryMs : settings.awaitOwnerMs
  const spans = [...phone.awaySpans, ...(phone.boot === undefined ? [{ fromMs: phone.sinceMs, untilMs: nowMs }] : [])]
    .filter(({ untilMs }) => untilMs >= lease.grantedAtMs)
  const [first] = spans
  const last = spans.at(-1)
  if (first !== undefined && last !== undefined && last.untilMs - Math.max(first.fromMs, lease.grantedAtMs) >= windowMs - noticeMs && nowMs - first.fromMs >= windowMs) lease.causes.add('device_lost')
}

export function isHeld ({ isBlocked, drain }: ModelPhone): boolean {
  return isBlocked || drain !== undefined
}

/** A drain ends the lease that is left at its deadline. */
export function noteDeadline (lease: ModelLease, { drain }: ModelPhone, nowMs: number): void {
  if (drain?.deadlineAtMs !== undefined && drain.deadlineAtMs <= nowMs) lease.causes.add('drained')
}
