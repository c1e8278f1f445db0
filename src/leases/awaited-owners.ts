import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Lease } from './contract/lease.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Log } from './log.ts'

/**
 * Leases that await their owners after a restart.
 *
 * One whose owner is heard of goes on at once. Those whose owners have not shown up in the time
 * they had, but that have time left, go on too; unless their device is away as well, then as soon
 * as it is back.
 */
export interface AwaitedOwners {
  /** The owner of a lease has been heard of. */
  found (lease: Lease): Promise<void>
  /** Somebody has looked at a device, which may be back. */
  onLook (): void
  start (): void
  stop (): void
}

export function createAwaitedOwners ({ store, scheduler, nowMs, awaitOwnerMs, liveLeases, isAway, log }: {
  readonly store: LeaseStore
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly awaitOwnerMs: number
  readonly liveLeases: () => readonly Lease[]
  readonly isAway: (deviceId: string) => boolean
  readonly log: Log
}): AwaitedOwners {
  let awaitedUntilMs = Number.POSITIVE_INFINITY
  let cancel: Cancel | undefined

  async function resume ({ deviceId, handle, fence }: Lease) {
    await store.change({ type: 'resume', deviceId, handle, fence, nowMs: nowMs() })
  }

  function resumeUnowned () {
    for (const lease of liveLeases()) {
      if (lease.state !== 'awaiting_owner' || isAway(lease.deviceId)) continue
      resume(lease).catch((fault: unknown) => log.error({ err: fault }, 'lease could not be resumed'))
    }
  }

  return {
    found: resume,

    onLook () {
      if (nowMs() >= awaitedUntilMs) resumeUnowned()
    },

    start () {
      awaitedUntilMs = nowMs() + awaitOwnerMs
      if (liveLeases().length > 0) cancel = scheduler.after(awaitOwnerMs, resumeUnowned)
    },

    stop () {
      cancel?.()
    }
  }
}
