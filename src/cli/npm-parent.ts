/**
 * Whether `npm start` has ended without its server.
 *
 * npm runs a script below a shell and passes a signal on to that alone. Some shells end with the
 * signal and tell their child nothing, so that the server would go on without a way to stop it by
 * the process that was started. It has another parent then.
 */
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'

const lookMs = 250

/**
 * Calls `listener` once, when the shell that started this process has ended.
 *
 * @returns what stops watching
 */
export function whenParentEnds (process: { readonly ppid: number }, scheduler: Scheduler, listener: () => void): Cancel {
  const shell = process.ppid
  const cancel = scheduler.every(lookMs, () => {
    if (process.ppid === shell) return
    cancel()
    listener()
  })
  return cancel
}
