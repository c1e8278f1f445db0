import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Lease } from './lease.ts'
import type { LeaseStore } from './lease-store.ts'
import type { Log } from './log.ts'

const afterFaultMs = 5_000

/**
 * Ends leases at the instant they are over, with one timer for all of them: set for the earliest
 * expiry known, and set again from what the store says when it fires. A lease that was extended
 * meanwhile costs one look in vain and no bookkeeping at each extension.
 */
export interface LeaseExpiry {
  /** Takes care that leases are looked at by `atMs`. */
  watch (atMs: number): void
  /** Expires what is due now and not in use, and watches the rest. */
  sweep (): Promise<void>
  stop (): void
}

export function createLeaseExpiry ({ store, scheduler, nowMs, isInUse, expire, log }: {
  readonly store: LeaseStore
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  /** Work running under a lease keeps it; its end has to call `watch`. */
  readonly isInUse: (handle: string) => boolean
  readonly expire: (lease: Lease) => Promise<unknown>
  readonly log: Log
}): LeaseExpiry {
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
      log.error({ err: cause }, 'leases could not be looked through for expiry')
      watch(nowMs() + afterFaultMs)
    })
  }

  async function sweep () {
    for (const lease of await store.grantedLeases()) {
      if (stopped) return
      if (isInUse(lease.handle)) continue
      if (lease.expiresAtMs > nowMs()) {
        // They come in the order of their expiry.
        watch(lease.expiresAtMs)
        return
      }
      await expire(lease)
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
