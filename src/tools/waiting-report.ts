/**
 * Tells a caller its position in the queue: when its request joins, when the position has changed,
 * and now and then in between, because clients give up on calls that they hear nothing of.
 */
import { quote } from '../text/quote.ts'
import type { QueuePosition } from '../leases/contract/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { roughTime } from './lease-data.ts'
import type { ToolCall } from './tool-definition.ts'

/** A queue can move faster than a person can read. */
const soonestMs = 1_000
const latestMs = 15_000

export interface WaitingReport {
  readonly onWaiting: (position: QueuePosition) => void
  /** The wait is over, however it ended. */
  stop (): void
}

export function createWaitingReport ({ clock, scheduler, progress }: {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly progress: ToolCall['progress']
}): WaitingReport {
  let latest: QueuePosition | undefined
  let latestAtMs = 0
  let isNews = false
  let told = 0
  let toldAtMs = 0
  let cancel: Cancel = () => {}

  function tell (): void {
    if (latest === undefined) return
    isNews = false
    toldAtMs = clock.monotonicMs()
    // PROG-02: it has to rise, which a position in a queue does not.
    progress({ progress: ++told, message: positionText(latest, toldAtMs - latestAtMs) })
  }

  function look (): void {
    if (isNews || clock.monotonicMs() - toldAtMs >= latestMs) tell()
    cancel = scheduler.after(soonestMs, look)
  }

  return {
    onWaiting (now) {
      const isFirst = latest === undefined
      latest = now
      latestAtMs = clock.monotonicMs()
      isNews = true
      if (!isFirst) return
      tell()
      cancel = scheduler.after(soonestMs, look)
    },
    stop: () => cancel()
  }
}

/** `position 3 in the queue, about 40 s, "phone-1 is drained"`: the same wherever a position is told. */
export function positionText ({ position, estimateMs, note }: QueuePosition, sinceMs = 0): string {
  const leftMs = estimateMs === undefined ? 0 : estimateMs - sinceMs
  return [
    `position ${position} in the queue`,
    ...(leftMs > 0 ? [roughTime(leftMs)] : []),
    ...(note === undefined ? [] : [quote(note, 200)])
  ].join(', ')
}
