import { cancelledBy } from '../refusals/cancellation.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Waits, unless a signal fires first.
 *
 * @throws the reason of that signal
 */
export async function waitFor (delayMs: number, signals: readonly AbortSignal[], scheduler: Scheduler): Promise<void> {
  if (delayMs === 0) {
    for (const signal of signals) signal.throwIfAborted()
    return
  }
  let cancel = (): void => {}
  const elapsed = new Promise<void>((resolve) => { cancel = scheduler.after(delayMs, resolve) })
  try {
    await unlessAborted(elapsed, signals)
  } finally {
    cancel()
  }
}

/**
 * The result of some work, unless a signal fires first; the work itself goes on. Signals may
 * live long: nothing stays attached to them, as it would with `AbortSignal.any`.
 *
 * @throws the reason of that signal
 */
export async function unlessAborted<Result> (work: Promise<Result>, signals: readonly AbortSignal[]): Promise<Result> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      const fired = signals.find((signal) => signal.aborted)
      if (fired !== undefined) reject(fired.reason)
    }
  })
  for (const signal of signals) signal.addEventListener('abort', stop)
  stop()
  try {
    return await Promise.race([work, aborted])
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
}

/**
 * The result of some work, unless the signal aborts first; the work itself goes on.
 *
 * @throws {CancelledRefusal} the signal has aborted
 */
export async function unlessCancelled<Result> (signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    return await unlessAborted(work, [signal])
  } catch (error) {
    throw signal.aborted && error === signal.reason ? cancelledBy(signal) : error
  }
}

/**
 * Returns after `delayMs`.
 *
 * @throws {CancelledRefusal} the signal aborted meanwhile
 */
export async function pause (scheduler: Scheduler, delayMs: number, signal: AbortSignal): Promise<void> {
  await unlessCancelled(signal, waitFor(delayMs, [signal], scheduler))
}
