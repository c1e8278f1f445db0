/** The only source of timers. What a timer returns cancels it, so that its owner can close it. */
export interface Scheduler {
  /** Runs `work` once, `delayMs` from now, unless cancelled before. */
  after (delayMs: number, work: () => void): Cancel
  /** Runs `work` every `intervalMs` until cancelled. */
  every (intervalMs: number, work: () => void): Cancel
}

/** Cancels a timer. Calling it again does nothing. */
export type Cancel = () => void

// Node fires a longer timeout at once instead of late.
const longestTimeoutMs = 2 ** 31 - 1

/** Timers of this process. None of them keeps it alive: sockets do that. */
export const systemScheduler: Scheduler = {
  after (delayMs, work) {
    const timer = setTimeout(work, Math.min(Math.max(delayMs, 0), longestTimeoutMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
  every (intervalMs, work) {
    const timer = setInterval(work, Math.min(intervalMs, longestTimeoutMs))
    timer.unref()
    return () => clearInterval(timer)
  }
}
