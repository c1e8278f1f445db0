/**
 * How the process comes to its end.
 *
 *   running   nothing has asked to stop
 *   stopping  asked by a signal or forced by a failure; a watchdog ends the process so long
 *             before `limitMs` that it is gone by then, whatever hangs, also when it was
 *             still starting; a thread does so (`stall-watchdog.ts`) where this loop stands still
 *
 * While stopping, a further signal ends the process at once with 128 + its number, as if it
 * had not been caught. A signal that comes within half a second of the first is taken for the
 * same one: `npm start` passes on what the terminal has already sent to the whole group.
 */
import type { Clock } from '../runtime/clock.ts'
import type { Scheduler } from '../runtime/scheduler.ts'

/** What of the process is needed to see it end. */
export interface EndingProcess {
  on (event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  on (event: 'uncaughtException', listener: (error: Error) => void): unknown
  exit (code: number): void
}

export interface Shutdown {
  /** Resolves when it is time to stop. */
  readonly requested: Promise<void>
  readonly isRequested: boolean
  /** With what to exit once stopped. */
  readonly exitCode: number
  /** Stops as the first signal does; does nothing where it stops already. */
  stop (): void
  /** Stops because of a failure. */
  fail (): void
}

export interface ShutdownOptions {
  readonly process: EndingProcess
  readonly clock: Clock
  readonly scheduler: Scheduler
  /** Within this the process is gone, once it stops. */
  readonly limitMs: number
  /** The first signal has come. */
  readonly onSignal: () => void
  /** Something was thrown and not caught, in a callback or a promise. */
  readonly onUncaught: (error: unknown) => void
  /** The watchdog is about to end the process. */
  readonly onOverdue: () => void
  /** Ends the process where even the watchdog of this loop cannot. */
  readonly endWithin?: (limitMs: number) => void
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const
const echoMs = 500

/** What of the limit the watchdog waits; the rest is for the exit itself, on a busy machine too. */
const watchdogShare = 0.9

/** Listens from now on to whatever ends the process. */
export function watchForShutdown (
  { process, clock, scheduler, limitMs, onSignal, onUncaught, onOverdue, endWithin = () => {} }: ShutdownOptions
): Shutdown {
  let stoppingSinceMs: number | undefined
  let exitCode = 0
  let announce: () => void = () => {}
  const requested = new Promise<void>((resolve) => { announce = resolve })

  function begin (code: number): void {
    exitCode = Math.max(exitCode, code)
    if (stoppingSinceMs !== undefined) return
    stoppingSinceMs = clock.monotonicMs()
    endWithin(limitMs)
    scheduler.after(limitMs * watchdogShare, () => {
      onOverdue()
      process.exit(1)
    })
    announce()
  }

  function stop (): void {
    if (stoppingSinceMs !== undefined) return
    onSignal()
    begin(0)
  }

  function receive (signal: keyof typeof signalNumbers): void {
    if (stoppingSinceMs === undefined) {
      stop()
    } else if (clock.monotonicMs() - stoppingSinceMs >= echoMs) {
      process.exit(128 + signalNumbers[signal])
    }
  }

  process.on('SIGINT', () => receive('SIGINT'))
  process.on('SIGTERM', () => receive('SIGTERM'))
  // Rejected promises without a handler arrive here as well.
  process.on('uncaughtException', (error) => {
    onUncaught(error)
    begin(1)
  })

  return {
    requested,
    get isRequested () { return stoppingSinceMs !== undefined },
    get exitCode () { return exitCode },
    stop,
    fail: () => begin(1)
  }
}
