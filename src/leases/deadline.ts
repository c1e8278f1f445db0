import type { Cancel, Scheduler } from '../runtime/scheduler.ts'

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
 * ignores the signal must not keep its callers waiting. Most answers come at once: the timer is
 * set only for work that has had a turn and is not done.
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
    let cancel: Cancel = () => {}
    let isOver = false
    const stop = () => {
      isOver = true
      cancel()
    }
    signal.addEventListener('abort', () => {
      stop()
      reject(signal.reason)
    }, { once: true })
    work(signal).finally(stop).then(resolve, reject)
    queueMicrotask(() => {
      if (!isOver) cancel = scheduler.after(limitMs, () => controller.abort(new DeadlinePassed(limitMs)))
    })
  })
}
