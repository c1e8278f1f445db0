import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Lease } from './contract/lease.ts'
import { dueAtMs } from './contract/lease-machine.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Log } from './log.ts'

const afterFaultMs = 5_000

/**
 * Ends leases at the instant they are over, with one timer for all of them: set for the earliest
 * instant known, and set again from what the store says when it fires. A lease that was moved
 * meanwhile costs one look in vain and no bookkeeping at each move.
 */
export interface LeaseClock {
  /** Takes care that leases are looked at by `atMs`. */
  watch (atMs: number): void
  /** Ends what is due now and not held up by running calls, and watches the rest. */
  sweep (): Promise<void>
  stop (): void
}

export function createLeaseClock ({ store, scheduler, nowMs, vetoUntilMs, end, log }: {
  readonly store: LeaseStore
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  /** Until when work running under a lease keeps it; its end has to call `watch`. */
  readonly vetoUntilMs: (handle: string) => number | undefined
  readonly end: (lease: Lease) => Promise<unknown>
  readonly log: Log
}): LeaseClock {
  let next: { readonly atMs: number, readonly cancel: Cancel } | undefined
  let stopped = false

  function watch (atMs: number) {
    if (stopped || (next !== undefined && next.atMs <= atMs)) return
    next?.cancel()
    next = { atMs, cancel: scheduler.after(Math.max(0, atMs - nowMs()), fire) }
  }

  function fire () {
    next = undefined
    sweep().catch((cause: unknown) => {
      log.error({ err: cause }, 'leases could not be looked through for what is over')
      watch(nowMs() + afterFaultMs)
    })
  }

  async function sweep () {
    for (const lease of await store.liveLeases()) {
      if (stopped) return
      const atMs = Math.max(dueAtMs(lease), vetoUntilMs(lease.handle) ?? 0)
      if (atMs > nowMs()) watch(atMs)
      else await end(lease)
    }
  }

  return {
    watch,
    sweep,
    stop () {
      stopped = true
      next?.cancel()
    }
  }
}
