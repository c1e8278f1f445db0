/** One piece of work under a lease, from before it is let in until it is over. */
export interface Run {
  /** Aborts when the lease ends meanwhile, or when its device is gone. */
  readonly signal: AbortSignal
  /** The work is let in: from now on it holds off the end of the lease by time. */
  begin (): void
  /** The work is over. */
  leave (): void
}

/**
 * The work that runs under the leases of one device, in this process.
 *
 * Work is known before the store has let it in, so that no end of the lease can slip by unnoticed
 * in between. But only work that was let in counts as running, or two calls that come too late
 * would keep the lease for each other. And it counts no longer than it was granted to: work that
 * does not come to its end must not keep a device for ever.
 */
export interface RunningWork {
  /** Until when running work holds off the end of a lease by time; 0 when none does. */
  vetoUntilMs (handle: string): number
  enter (handle: string, vetoUntilMs: number): Run
  /** Aborts what runs under one lease. */
  abort (handle: string, reason: Error): void
  abortAll (reason: Error): void
}

interface Entry {
  readonly handle: string
  readonly controller: AbortController
  readonly vetoUntilMs: number
  isRunning: boolean
}

/** `onLeave` is called when work is over: what it held off may be due now. */
export function createRunningWork (onLeave: () => void): RunningWork {
  const entries = new Set<Entry>()

  return {
    vetoUntilMs (handle) {
      let untilMs = 0
      for (const entry of entries) {
        if (entry.isRunning && entry.handle === handle) untilMs = Math.max(untilMs, entry.vetoUntilMs)
      }
      return untilMs
    },

    enter (handle, vetoUntilMs) {
      const entry = { handle, controller: new AbortController(), vetoUntilMs, isRunning: false }
      entries.add(entry)
      return {
        signal: entry.controller.signal,
        begin () {
          entry.isRunning = true
        },
        leave () {
          entries.delete(entry)
          onLeave()
        }
      }
    },

    abort (handle, reason) {
      for (const entry of entries) if (entry.handle === handle) entry.controller.abort(reason)
    },

    abortAll (reason) {
      for (const { controller } of entries) controller.abort(reason)
    }
  }
}
