/**
 * The requests that are being worked on, so that each can be told to stop: because its caller
 * went away or cancelled it, it took too long, or the server shuts down. Each signal aborts with
 * a refusal that says which.
 */
import { CancelledRefusal, type CancelReason } from '../refusals/cancellation.ts'
import type { RequestId } from '../protocol/rejection.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { isSameCaller, type CallerIdentity } from './exchange/caller-identity.ts'

export interface RunningRequest {
  readonly signal: AbortSignal
  /** Its caller has cancelled it by name, and expects no answer any more. */
  readonly isCancelled: boolean
  /** Tells the work to stop: its caller has gone. */
  abort (): void
  /** Lets it run that much longer than others may: its caller said that it will wait. */
  allow (waitMs: number): void
  /** The work has ended; must be called once. */
  end (): void
}

/** Under what a legacy request can be cancelled. */
export interface Cancellable {
  readonly caller: CallerIdentity
  readonly id: RequestId
}

export interface RunningRequests {
  /**
   * `cancellable` for a request that its caller may cancel by its id; `via` for the ingress that it
   * came through.
   */
  begin (cancellable?: Cancellable, via?: object): RunningRequest
  /**
   * Stops the request that its caller means by an id (LEGACY-13). That is sure only while a single
   * request of this caller has it; otherwise nothing happens.
   */
  cancel (cancelled: { readonly caller: CallerIdentity, readonly id: unknown }): void
  /** Tells all work to stop, or all that came through one ingress, because that shuts down. */
  abortAll (via?: object): void
  /** Resolves when nothing is worked on any more, or nothing that came through one ingress. */
  idle (via?: object): Promise<void>
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
  const running = new Set<Running>()
  const idleWaiters = new Set<{ readonly via: object | undefined, readonly resolve: () => void }>()

  function end (request: Running): void {
    running.delete(request)
    for (const waiter of idleWaiters) {
      if (!isIdle(waiter.via)) continue
      idleWaiters.delete(waiter)
      waiter.resolve()
    }
  }

  function isIdle (via: object | undefined): boolean {
    return running.size === 0 || (via !== undefined && ![...running].some((request) => request.via === via))
  }

  const stopSweeping = scheduler.every(sweepMs, () => {
    const now = clock.monotonicMs()
    for (const request of running) {
      const overMs = now - request.sinceMs - limitMs
      if (overMs < 0) break
      if (overMs >= request.allowedMs) request.stop('time_limit')
    }
  })

  return {
    begin (cancellable, via) {
      const request = new Running(end, clock.monotonicMs(), cancellable, via)
      running.add(request)
      return request
    },
    cancel ({ caller, id }) {
      const meant = [...running].filter(({ cancellable }) => cancellable !== undefined && cancellable.id === id && isSameCaller(cancellable.caller, caller))
      const [only, ...others] = meant
      if (only !== undefined && others.length === 0) only.stop('caller_cancelled')
    },
    abortAll (via) {
      for (const request of running) {
        if (via === undefined || request.via === via) request.stop('shutting_down')
      }
    },
    idle: (via) => isIdle(via) ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.add({ via, resolve })),
    close: stopSweeping
  }
}

/**
 * The signal is made when it is asked for: most requests are answered before that, and it would
 * be the most expensive thing about them.
 */
class Running implements RunningRequest {
  readonly sinceMs: number
  readonly cancellable: Cancellable | undefined
  readonly via: object | undefined
  isCancelled = false
  allowedMs = 0
  readonly #end: (request: Running) => void
  #controller: AbortController | undefined
  #stoppedBy: CancelReason | undefined

  constructor (end: (request: Running) => void, sinceMs: number, cancellable: Cancellable | undefined, via: object | undefined) {
    this.#end = end
    this.sinceMs = sinceMs
    this.cancellable = cancellable
    this.via = via
  }

  get signal (): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#stoppedBy !== undefined) this.#controller.abort(new CancelledRefusal(this.#stoppedBy))
    }
    return this.#controller.signal
  }

  abort (): void {
    this.stop('caller_gone')
  }

  allow (waitMs: number): void {
    this.allowedMs = waitMs
  }

  /** The first reason is the one that counts. */
  stop (reason: CancelReason): void {
    if (reason === 'caller_cancelled') this.isCancelled = true
    this.#stoppedBy ??= reason
    this.#controller?.abort(new CancelledRefusal(this.#stoppedBy))
  }

  end (): void {
    this.#end(this)
  }
}
