/**
 * The requests that are being worked on, so that each can be told to stop: because its caller
 * went away or cancelled it, it took too long, or the server shuts down. Each signal aborts with
 * a refusal that says which.
 */
import { CancelledRefusal } from '../devices/device-refusals.ts'
import type { Principal } from '../protocol/principal.ts'
import type { RequestId } from '../protocol/rejection.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'

export interface RunningRequest {
  readonly signal: AbortSignal
  /** Its caller has cancelled it by name, and expects no answer any more. */
  readonly isCancelled: boolean
  /** Tells the work to stop: its caller has gone. */
  abort (): void
  /** The work has ended; must be called once. */
  end (): void
}

/** Under what a legacy request can be cancelled. */
export interface Cancellable {
  readonly principal: Principal
  readonly id: RequestId
}

export interface RunningRequests {
  /** `cancellable` for a request that its caller may cancel by its id. */
  begin (cancellable?: Cancellable): RunningRequest
  /**
   * Stops the request that its caller means by an id (LEGACY-13). Without sessions that is sure
   * only while a single request of the principal has it; otherwise nothing happens.
   */
  cancel (cancelled: { readonly principal: Principal, readonly id: unknown }): void
  /** Tells all work to stop: the server shuts down. */
  abortAll (): void
  /** Stops watching the time. */
  close (): void
}

interface Entry {
  readonly sinceMs: number
  readonly cancellable: Cancellable | undefined
  isCancelled: boolean
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
  const running = new Map<AbortController, Entry>()

  const stopSweeping = scheduler.every(sweepMs, () => {
    const now = clock.monotonicMs()
    for (const [controller, { sinceMs }] of running) {
      if (now - sinceMs < limitMs) break
      controller.abort(new CancelledRefusal('time_limit'))
    }
  })

  return {
    begin (cancellable) {
      const controller = new AbortController()
      const entry: Entry = { sinceMs: clock.monotonicMs(), cancellable, isCancelled: false }
      running.set(controller, entry)
      return {
        signal: controller.signal,
        get isCancelled () { return entry.isCancelled },
        abort: () => controller.abort(new CancelledRefusal('caller_gone')),
        end: () => { running.delete(controller) }
      }
    },
    cancel ({ principal, id }) {
      const meant = [...running].filter(([, { cancellable }]) => cancellable?.id === id && cancellable?.principal.key === principal.key)
      const [only, ...others] = meant
      if (only === undefined || others.length > 0) return
      const [controller, entry] = only
      entry.isCancelled = true
      controller.abort(new CancelledRefusal('caller_cancelled'))
    },
    abortAll () {
      for (const controller of running.keys()) controller.abort(new CancelledRefusal('shutting_down'))
    },
    close: stopSweeping
  }
}
