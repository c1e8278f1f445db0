/** One piece of work under a lease, from before it is let in until it is over. */
export interface Run {
  /** Aborts when the lease ends meanwhile. */
  readonly signal: AbortSignal
  /** The work is let in: from now on it holds off the end of the lease by time. */
  begin (): void
  /** The work is over. */
  leave (): void
}

/**
 * Which leases have work running under them in this process.
 *
 * Work is known before the store has let it in, so that no end of the lease can slip by
 * unnoticed in between; but only work that was let in counts as running, or two calls that
 * come too late would vouch for each other. And it counts no longer than it was granted to:
 * work that does not come to its end must not keep a device for ever.
 */
export interface RunningWork {
  /** Until when running work holds off the end of a lease by time; undefined when nothing does. */
  vetoUntilMs (handle: string): number | undefined
  enter (handle: string, vetoUntilMs: number): Run
  /** Aborts what runs under one lease. */
  abort (handle: string, reason: Error): void
  abortAll (reason: Error): void
}

interface Entry {
  readonly controller: AbortController
  readonly vetoUntilMs: number
  isRunning: boolean
}

export function createRunningWork (): RunningWork {
  const entries = new Map<string, Set<Entry>>()

  function abort (handle: string, reason: Error) {
    for (const { controller } of entries.get(handle) ?? []) controller.abort(reason)
  }

  return {
    vetoUntilMs (handle) {
      const vetoes = [...entries.get(handle) ?? []].flatMap(({ isRunning, vetoUntilMs }) => isRunning ? [vetoUntilMs] : [])
      return vetoes.length === 0 ? undefined : Math.max(...vetoes)
    },

    abort,

    enter (handle, vetoUntilMs) {
      const entry = { controller: new AbortController(), vetoUntilMs, isRunning: false }
      const ofLease = entries.get(handle) ?? new Set()
      entries.set(handle, ofLease.add(entry))
      return {
        signal: entry.controller.signal,
        begin () {
          entry.isRunning = true
        },
        leave () {
          ofLease.delete(entry)
          if (ofLease.size === 0) entries.delete(handle)
        }
      }
    },

    abortAll (reason) {
      for (const handle of entries.keys()) abort(handle, reason)
    }
  }
}
