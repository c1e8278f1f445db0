/**
 * Tells a caller where it stands in the line: when it joins, when its place has changed, and now
 * and then in between, because clients give up on calls they hear nothing of.
 */
import { quote } from '../text/quote.ts'
import type { WaitingPlace } from '../leases/contract/lease-manager.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { roughTime } from './lease-data.ts'
import type { ToolCall } from './tool-definition.ts'

/** A line can move faster than anybody wants to read. */
const soonestMs = 1_000
const latestMs = 15_000

export interface WaitingReport {
  readonly onWaiting: (place: WaitingPlace) => void
  /** The wait is over, however it ended. */
  stop (): void
}

export function createWaitingReport ({ clock, scheduler, progress }: {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly progress: ToolCall['progress']
}): WaitingReport {
  let place: WaitingPlace | undefined
  let placedAtMs = 0
  let isNews = false
  let told = 0
  let toldAtMs = 0
  let cancel: Cancel = () => {}

  function tell (): void {
    if (place === undefined) return
    isNews = false
    toldAtMs = clock.monotonicMs()
    // PROG-02: it has to rise, which a place in a line does not.
    progress({ progress: ++told, message: placeText(place, toldAtMs - placedAtMs) })
  }

  function look (): void {
    if (isNews || clock.monotonicMs() - toldAtMs >= latestMs) tell()
    cancel = scheduler.after(soonestMs, look)
  }

  return {
    onWaiting (now) {
      const isFirst = place === undefined
      place = now
      placedAtMs = clock.monotonicMs()
      isNews = true
      if (!isFirst) return
      tell()
      cancel = scheduler.after(soonestMs, look)
    },
    stop: () => cancel()
  }
}

/** `position 3 of the line, about 40 s, "phone-1 is drained"`: the same wherever a place is told. */
export function placeText ({ position, estimateMs, note }: WaitingPlace, sinceMs = 0): string {
  const leftMs = estimateMs === undefined ? 0 : estimateMs - sinceMs
  return [
    `position ${position} of the line`,
    ...(leftMs > 0 ? [roughTime(leftMs)] : []),
    ...(note === undefined ? [] : [quote(note, 200)])
  ].join(', ')
}
