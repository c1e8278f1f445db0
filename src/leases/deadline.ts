import type { Scheduler } from '../runtime/scheduler.ts'

/** The work took longer than it may. */
export class DeadlinePassed extends Error {
  constructor (limitMs: number) {
    super(`No answer within ${limitMs} ms.`)
    this.name = 'DeadlinePassed'
  }
}

/**
 * Waits for `work` no longer than `limitMs`, nor than until `controller` aborts. The work's
 * signal fires then, and the promise rejects whether or not the work ever settles: a phone that
 * ignores the signal must not keep anybody waiting.
 */
export function within<T> (
  { scheduler, limitMs, controller = new AbortController() }: {
    readonly scheduler: Scheduler
    readonly limitMs: number
    readonly controller?: AbortController
  },
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const { signal } = controller
  return new Promise((resolve, reject) => {
    const cancel = scheduler.after(limitMs, () => controller.abort(new DeadlinePassed(limitMs)))
    signal.addEventListener('abort', () => {
      cancel()
      reject(signal.reason)
    }, { once: true })
    work(signal).finally(cancel).then(resolve, reject)
  })
}
