import type { Clock } from '../runtime/clock.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { Log } from './log.ts'

const beatMs = 1_000
const toleratedMs = 2_000
// Less is rounding and the slewing of clocks, and would make instants flicker.
const shownFromMs = 1_000

/**
 * The time in which leases are counted. It begins at wall clock time and goes on at the pace of
 * the monotonic clock, whatever is done to the wall clock; and it stands still while this process
 * is stalled. A lease is not used up by time in which its holder could not have used it.
 *
 * A beat every second tells a stall: one that comes more than 2 s late means that the process did
 * not run, and all the time by which it is late is left out. The first question for the time
 * after a stall notices it, so that nothing that was due meanwhile is decided before.
 */
export interface LeaseTime {
  nowMs (): number
  /** An instant as the wall clock has it, as it is set now: for people to read. */
  shownMs (atMs: number): number
  start (): void
  stop (): void
}

export function createLeaseTime ({ clock, scheduler, log }: {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
}): LeaseTime {
  const aheadMs = clock.nowMs() - clock.monotonicMs()
  let stalledMs = 0
  /** Up to when the process is known not to have been stalled. */
  let livelyMs = clock.monotonicMs()
  let lastBeatMs: number | undefined
  let stopBeating: Cancel | undefined

  function monotonicMs (): number {
    const nowMs = clock.monotonicMs()
    if (lastBeatMs !== undefined && nowMs - lastBeatMs > beatMs + toleratedMs) {
      const lostMs = nowMs - Math.max(lastBeatMs + beatMs, livelyMs)
      stalledMs += lostMs
      lastBeatMs = nowMs
      log.warn({ lostMs: Math.round(lostMs) }, 'the process was stalled; leases are forgiven the time')
    }
    livelyMs = nowMs
    return nowMs - stalledMs
  }

  const nowMs = () => Math.round(aheadMs + monotonicMs())

  return {
    nowMs,

    shownMs (atMs) {
      const offMs = clock.nowMs() - nowMs()
      return Math.abs(offMs) < shownFromMs ? atMs : atMs + Math.round(offMs)
    },

    start () {
      lastBeatMs = clock.monotonicMs()
      stopBeating = scheduler.every(beatMs, () => {
        monotonicMs()
        lastBeatMs = clock.monotonicMs()
      })
    },

    stop () {
      stopBeating?.()
      lastBeatMs = undefined
    }
  }
}
