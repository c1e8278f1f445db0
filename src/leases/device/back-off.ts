import type { LeaseContext } from '../context.ts'
import type { Cancel } from '../../runtime/scheduler.ts'

/** How long to wait after a failure: doubling with each failure in a row, up to a limit. */
export interface BackOffTimes {
  readonly firstMs: number
  readonly longestMs: number
  /** By what share of itself a wait may be shorter, at random. */
  readonly jitter?: number
}

/** Tries something again later, and counts how often it has failed. */
export interface BackOff {
  /** Failures since the last success. */
  readonly failures: number
  /** When the next try is; undefined while none is planned. */
  readonly nextAtMs: number | undefined
  /** Counts a failure and plans the next try, in place of one that is planned. */
  tryLater (work: () => void): void
  /** Plans no try any more, and goes on counting. */
  cancel (): void
  /** Plans no try any more, and counts from zero. */
  reset (): void
}

export function createBackOff ({ nowMs, scheduler, ids }: LeaseContext, { firstMs, longestMs, jitter = 0 }: BackOffTimes): BackOff {
  let failures = 0
  let next: { readonly atMs: number, readonly cancel: Cancel } | undefined

  function cancel () {
    next?.cancel()
    next = undefined
  }

  return {
    get failures () { return failures },
    get nextAtMs () { return next?.atMs },
    cancel,

    tryLater (work) {
      cancel()
      failures += 1
      const mostMs = Math.min(firstMs * 2 ** (failures - 1), longestMs)
      // Devices that fail together, for one reason, are not all tried again together.
      const waitMs = jitter === 0 ? mostMs : mostMs - Math.round(mostMs * jitter * ids.bytes(4).readUInt32BE() / 2 ** 32)
      next = {
        atMs: nowMs() + waitMs,
        cancel: scheduler.after(waitMs, () => {
          next = undefined
          work()
        })
      }
    },

    reset () {
      cancel()
      failures = 0
    }
  }
}
