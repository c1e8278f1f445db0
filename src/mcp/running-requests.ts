/**
 * The requests that are being worked on, so that each can be told to stop: because its caller
 * went away, it took too long, or the server shuts down. Each signal aborts with a refusal that
 * says which.
 */
import { CancelledRefusal } from '../devices/device-refusals.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'

export interface RunningRequest {
  readonly signal: AbortSignal
  /** Tells the work to stop: its caller has gone. */
  abort (): void
  /** The work has ended; must be called once. */
  end (): void
}

export interface RunningRequests {
  begin (): RunningRequest
  /** Tells all work to stop: the server shuts down. */
  abortAll (): void
  /** Stops watching the time. */
  close (): void
}

/** One sweep for all requests is cheaper than a timer for each, and a second late is no harm. */
const sweepMs = 1_000

export function createRunningRequests ({ limitMs, clock, scheduler }: {
  /** How long a request may run (CANCEL-03). */
  readonly limitMs: number
  readonly clock: Clock
  readonly scheduler: Scheduler
}): RunningRequests {
  // In order of their beginning, so a sweep ends at the first one that is young enough.
  const running = new Map<AbortController, number>()

  const stopSweeping = scheduler.every(sweepMs, () => {
    const now = clock.monotonicMs()
    for (const [controller, sinceMs] of running) {
      if (now - sinceMs < limitMs) break
      controller.abort(new CancelledRefusal('time_limit'))
    }
  })

  return {
    begin () {
      const controller = new AbortController()
      running.set(controller, clock.monotonicMs())
      return {
        signal: controller.signal,
        abort: () => controller.abort(new CancelledRefusal('caller_gone')),
        end: () => { running.delete(controller) }
      }
    },
    abortAll () {
      for (const controller of running.keys()) controller.abort(new CancelledRefusal('shutting_down'))
    },
    close: stopSweeping
  }
}
