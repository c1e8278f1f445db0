import type { Clock } from '../../src/runtime/clock.ts'
import type { Cancel, Scheduler } from '../../src/runtime/scheduler.ts'

export interface ManualTime {
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Lets time pass and runs what falls due meanwhile, in the order it does. */
  advance (ms: number): void
  /** Lets time pass in which nothing can run; what fell due runs with the next `advance`, late. */
  stall (ms: number): void
  /** Sets the wall clock forward or back; no time passes, and no timer notices. */
  setWallClock (byMs: number): void
  /** How many timers are set. */
  timers (): number
}

interface Timer {
  dueMs: number
  readonly work: () => void
  readonly everyMs: number | undefined
}

/** Time that passes when a test says so. */
export function manualTime (startMs = 0): ManualTime {
  const timers = new Set<Timer>()
  let monotonicMs = 0
  let aheadMs = startMs

  function set (delayMs: number, work: () => void, everyMs?: number): Cancel {
    const timer = { dueMs: monotonicMs + Math.max(delayMs, 0), work, everyMs }
    timers.add(timer)
    return () => { timers.delete(timer) }
  }

  /** The timer due soonest; of several, the one set first. */
  function soonest (byMs: number): Timer | undefined {
    let found: Timer | undefined
    for (const timer of timers) {
      if (timer.dueMs <= byMs && (found === undefined || timer.dueMs < found.dueMs)) found = timer
    }
    return found
  }

  return {
    clock: { nowMs: () => monotonicMs + aheadMs, monotonicMs: () => monotonicMs },
    scheduler: {
      after: (delayMs, work) => set(delayMs, work),
      every: (intervalMs, work) => set(intervalMs, work, intervalMs)
    },

    advance (ms) {
      const untilMs = monotonicMs + ms
      for (let timer = soonest(untilMs); timer !== undefined; timer = soonest(untilMs)) {
        monotonicMs = Math.max(monotonicMs, timer.dueMs)
        if (timer.everyMs === undefined) timers.delete(timer)
        else timer.dueMs += Math.max(timer.everyMs, 1)
        timer.work()
      }
      monotonicMs = untilMs
    },

    stall (ms) {
      monotonicMs += ms
    },

    setWallClock (byMs) {
      aheadMs += byMs
    },

    timers: () => timers.size
  }
}
