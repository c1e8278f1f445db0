import type { GrantTerms } from '../grant-devices.ts'
import { priorities, type Lease, type Priority } from '../contract/lease.ts'
import type { AcquireTerms, DeviceSelector } from '../contract/lease-manager.ts'
import { PriorityNotAllowedRefusal, TtlOutOfRangeRefusal } from '../contract/lease-refusals.ts'
import { longestWaitMs, minTtlMs, type LeaseSettings } from '../contract/lease-settings.ts'
import type { PoolView } from '../pool-view.ts'
import type { Guest, WaitingRoom } from './waiting-room.ts'

/** Somebody in the waiting room with what its leases are to be like. */
export interface Applicant extends Guest {
  readonly grantTerms: GrantTerms
}

/** @throws {TtlOutOfRangeRefusal} */
export function assertTtl (ttlMs: number | undefined, { maxTtlMs }: LeaseSettings): void {
  if (ttlMs !== undefined && !(ttlMs >= minTtlMs && ttlMs <= maxTtlMs)) throw new TtlOutOfRangeRefusal({ minTtlMs, maxTtlMs })
}

/** Checks what may be asked for, and sends whoever asks into the waiting room. */
export function createAcquisition ({ room, view, settings, nowMs }: {
  readonly room: WaitingRoom<Applicant>
  readonly view: PoolView
  readonly settings: LeaseSettings
  readonly nowMs: () => number
}): (terms: AcquireTerms, wanted: readonly DeviceSelector[]) => Promise<readonly Lease[]> {
  const { topPriority, idleMs, maxLengthMs } = settings
  const usual = lowerOf(topPriority, 'normal')
  let requests = 0

  return async (terms, wanted) => {
    const { holder, ttlMs, purpose, waitMs = 0, priority = usual, heartbeatMs, sessionKey, signal, onWaiting } = terms
    assertTtl(ttlMs, settings)
    if (lowerOf(priority, topPriority) !== priority) {
      throw new PriorityNotAllowedRefusal({ asked: priority, highest: topPriority })
    }
    view.assertServable(wanted)
    return await room.enter({
      request: { id: `request-${++requests}`, principal: holder.principal, priority, wanted, joinedAtMs: nowMs() },
      purpose,
      waitMs: Math.min(Math.max(waitMs, 0), longestWaitMs),
      signal,
      onWaiting,
      grantTerms: { holder, sessionKey, purpose, priority, heartbeatMs, ttlMs: ttlMs ?? settings.ttlMs, idleMs, maxLengthMs }
    })
  }
}

function lowerOf (one: Priority, other: Priority): Priority {
  return priorities.indexOf(one) < priorities.indexOf(other) ? one : other
}
