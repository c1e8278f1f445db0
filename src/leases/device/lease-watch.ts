import type { LeaseContext } from '../context.ts'
import type { EndReason, Lease } from '../contract/lease.ts'
import { LeasesUnavailableRefusal } from '../contract/lease-refusals.ts'
import { shownHandle } from '../log.ts'
import type { Cancel } from '../../runtime/scheduler.ts'
import { dutyAt, nextAtMs, type LeaseFacts } from './duty.ts'

const afterFaultMs = 5_000

/**
 * Does what is due about the lease of one device (`duty.ts`), with one timer for everything that
 * may end it. The timer is set for the earliest instant that counts, and kept when that moves to a
 * later one: it then costs one look in vain, and a call that moves the expiry costs nothing.
 *
 * If the store fails just when a lease has to end, it is asked again every 5 s until it has ended.
 */
export interface LeaseWatch {
  /**
   * Does what is due now.
   *
   * @throws {LeasesUnavailableRefusal} nothing is done any more
   */
  review (): Promise<void>
  /** Some fact has changed: reviews, and no caller waits for it. */
  reviewInBackground (): void
  /** Sets the timer for what counts now. To be called when something has become due earlier. */
  setTimer (): void
  stop (): void
}

export interface LeaseWatchParts {
  readonly context: LeaseContext
  readonly deviceId: string
  /** Undefined while there is no live lease. */
  readonly facts: () => LeaseFacts | undefined
  /** @returns undefined: the lease was over, or not due */
  readonly end: (lease: Lease, reason: EndReason, why: { readonly note?: string, readonly by?: string }) => Promise<unknown>
  readonly resume: (lease: Lease) => Promise<void>
  readonly suspect: (lease: Lease) => void
  readonly look: () => void
}

export function createLeaseWatch ({ context, deviceId, facts, end, resume, suspect, look }: LeaseWatchParts): LeaseWatch {
  const { nowMs, scheduler, log, inBackground } = context
  let timer: { readonly atMs: number, readonly cancel: Cancel } | undefined
  let notBeforeMs = 0
  let underWay: Promise<void> | undefined
  let isStale = false
  let stopped = false

  function dropTimer () {
    timer?.cancel()
    timer = undefined
  }

  function setTimer () {
    const known = stopped ? undefined : facts()
    if (known === undefined) return dropTimer()
    const atMs = Math.max(nextAtMs(known), notBeforeMs)
    if (timer !== undefined && timer.atMs <= atMs) return
    dropTimer()
    timer = { atMs, cancel: scheduler.after(Math.max(0, atMs - nowMs()), onTimer) }
  }

  function onTimer () {
    timer = undefined
    const reviewed = review().then(() => { notBeforeMs = 0 }, (fault: unknown) => {
      notBeforeMs = nowMs() + afterFaultMs
      dropTimer()
      setTimer()
      throw fault
    })
    inBackground(reviewed, 'lease could not be ended in time', { device: deviceId })
  }

  /** One review at a time. A fact that changes meanwhile is reviewed in another round of it. */
  async function review (): Promise<void> {
    if (stopped) throw new LeasesUnavailableRefusal()
    isStale = true
    underWay ??= reviewAll()
    await underWay
  }

  async function reviewAll () {
    // The pool may stop in the very instant in which the time of a lease is over.
    await undefined
    try {
      while (isStale) {
        isStale = false
        await doDuty()
      }
    } finally {
      underWay = undefined
      setTimer()
    }
  }

  async function doDuty () {
    const known = stopped ? undefined : facts()
    const duty = known && dutyAt(known, nowMs())
    if (known === undefined || duty === undefined) return
    const { lease } = known
    switch (duty.do) {
      case 'end': {
        const { do: _, reason, ...why } = duty
        const ended = await end(lease, reason, why)
        if (ended === undefined && stillHasToEnd(lease)) throw new Error('the store does not end the lease')
        return
      }
      case 'resume':
        return await resume(lease)
      case 'look':
        return look()
      case 'suspect':
        log.info({ lease: shownHandle(lease.handle), device: deviceId }, 'holder is silent for longer than it promised')
        return suspect(lease)
    }
  }

  function stillHasToEnd ({ handle }: Lease): boolean {
    const known = facts()
    return known?.lease.handle === handle && dutyAt(known, nowMs())?.do === 'end'
  }

  return {
    review,
    setTimer,

    reviewInBackground () {
      if (!stopped && facts() !== undefined) inBackground(review(), 'lease could not be ended in time', { device: deviceId })
    },

    stop () {
      stopped = true
      dropTimer()
    }
  }
}
