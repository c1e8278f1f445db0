import type { Clock } from '../runtime/clock.ts'

/**
 * Wall time as leases need it: it goes with the wall clock forward (a lease is over at the
 * instant it promised, even after the machine slept), but not back with it. When somebody sets
 * the clock back, it goes on at the pace of the monotonic clock, so that no lease lasts longer.
 */
export function steadyTime (clock: Clock): () => number {
  let aheadMs = Number.NEGATIVE_INFINITY
  return () => {
    const monotonicMs = clock.monotonicMs()
    aheadMs = Math.max(aheadMs, clock.nowMs() - monotonicMs)
    return Math.round(aheadMs + monotonicMs)
  }
}
