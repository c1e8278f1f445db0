/** One piece of work under a lease, from before it is let in until it is over. */
export interface Run {
  /** Aborts when the lease ends meanwhile. */
  readonly signal: AbortSignal
  /** The work is let in: from now on it keeps the lease from expiring. */
  begin (): void
  /** The work is over. */
  leave (): void
}

/**
 * Which leases have work running under them in this process.
 *
 * Work is known before the store has let it in, so that no end of the lease can slip by
 * unnoticed in between; but only work that was let in counts as running, or two calls that
 * come too late would vouch for each other.
 */
export interface RunningWork {
  has (handle: string): boolean
  enter (handle: string): Run
  /** Aborts what runs under one lease. It still counts as running until it has left. */
  abort (handle: string, reason: Error): void
  abortAll (reason: Error): void
}

interface Entry {
  readonly controller: AbortController
  running: boolean
}

export function createRunningWork (): RunningWork {
  const entries = new Map<string, Set<Entry>>()

  function abort (handle: string, reason: Error) {
    for (const { controller } of entries.get(handle) ?? []) controller.abort(reason)
  }

  return {
    has: (handle) => [...entries.get(handle) ?? []].some(({ running }) => running),
    abort,

    enter (handle) {
      const entry = { controller: new AbortController(), running: false }
      const ofLease = entries.get(handle) ?? new Set()
      entries.set(handle, ofLease.add(entry))
      return {
        signal: entry.controller.signal,
        begin () {
          entry.running = true
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
