import { priorities, type Priority } from '../contract/lease.ts'
import type { AcquireTerms, DeviceSelector } from '../contract/lease-manager.ts'
import { PriorityNotAllowedRefusal, TtlOutOfRangeRefusal } from '../contract/lease-refusals.ts'
import { longestWaitMs, minTtlMs, type LeaseSettings } from '../contract/lease-settings.ts'
import type { QueuedRequest } from './acquire-queue.ts'
import type { LeaseTerms } from './availability.ts'

/** A request with all that its grant needs, and how long its caller waits. */
export interface AcquireRequest extends QueuedRequest {
  readonly terms: LeaseTerms
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly onWaiting: AcquireTerms['onWaiting']
}

/**
 * Makes a request of what a caller asks for.
 *
 * @throws {TtlOutOfRangeRefusal}
 * @throws {PriorityNotAllowedRefusal}
 */
export function acquireRequest (
  id: string, asked: AcquireTerms, wanted: readonly DeviceSelector[], settings: LeaseSettings, nowMs: number
): AcquireRequest {
  const { topPriority, idleMs, maxLengthMs } = settings
  const {
    holder, ttlMs, purpose, waitMs = 0, priority = lowerOf(topPriority, 'normal'), heartbeatMs, sessionKey, signal, onWaiting
  } = asked
  assertTtl(ttlMs, settings)
  if (lowerOf(priority, topPriority) !== priority) throw new PriorityNotAllowedRefusal({ asked: priority, highest: topPriority })
  return {
    id,
    principal: holder.principal,
    priority,
    wanted,
    joinedAtMs: nowMs,
    terms: { holder, sessionKey, purpose, priority, heartbeatMs, ttlMs: ttlMs ?? settings.ttlMs, idleMs, maxLengthMs },
    waitMs: Math.min(Math.max(waitMs, 0), longestWaitMs),
    signal,
    onWaiting
  }
}

/** @throws {TtlOutOfRangeRefusal} */
export function assertTtl (ttlMs: number | undefined, { maxTtlMs }: LeaseSettings): void {
  if (ttlMs !== undefined && !(ttlMs >= minTtlMs && ttlMs <= maxTtlMs)) throw new TtlOutOfRangeRefusal({ minTtlMs, maxTtlMs })
}

function lowerOf (one: Priority, other: Priority): Priority {
  return priorities.indexOf(one) < priorities.indexOf(other) ? one : other
}
