import { Refusal } from '../refusals/refusal.ts'
import { DeadlinePassed } from './deadline.ts'

/** What the room writes its log through; pino fits. */
export interface Log {
  info (fields: object, message: string): void
  warn (fields: object, message: string): void
  error (fields: object, message: string): void
}

/** As much of a handle as a log may hold: a handle is a capability. */
export function shownHandle (handle: string): string {
  return handle.slice(0, 6)
}

/**
 * Why something failed, as log fields. A phone that does not answer is expected: where in the
 * code that was noticed says nothing. Anything else keeps its stack.
 */
export function failureFields (cause: unknown): object {
  if (cause instanceof DeadlinePassed) return { reason: cause.message }
  if (!(cause instanceof Refusal)) return { err: cause }
  const { code, message, cause: behind } = cause
  return { code, reason: message, ...(behind instanceof Error ? { behind: behind.message } : {}) }
}
