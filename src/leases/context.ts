import type { Ids } from '../runtime/ids.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { failureFields, type Log } from './log.ts'

/** What every part of this room works with: time, timers, ids and the log. */
export interface LeaseContext {
  /** The time in which leases are counted (`lease-time.ts`). */
  readonly nowMs: () => number
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly log: Log
  /** Lets work go on that no caller waits for. Its failure is logged as `failure`. */
  readonly inBackground: (work: Promise<unknown>, failure: string, fields?: object) => void
}

export function createContext (parts: Omit<LeaseContext, 'inBackground'>): LeaseContext {
  return {
    ...parts,
    inBackground (work, failure, fields = {}) {
      work.catch((cause: unknown) => parts.log.error({ ...fields, ...failureFields(cause) }, failure))
    }
  }
}
