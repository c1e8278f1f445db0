/**
 * Watches the event loop of its own process, and says of each stall what the time went into:
 * garbage collection, other work of ours, waiting for a core that others used, or waiting in
 * the kernel, for the disk above all.
 */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import type { Scheduler } from '../../src/runtime/scheduler.ts'
import { sample, since, type Sample } from './core-time.ts'

export interface Stall {
  readonly lateMs: number
  readonly collectingMs: number
  /** Time on a core, besides garbage collection. Undefined where the system does not tell. */
  readonly workingMs: number | undefined
  readonly waitingForCoreMs: number | undefined
  readonly inKernelMs: number | undefined
}

export interface LoopReport {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  readonly stalls: readonly Stall[]
}

const everyMs = 10
/** Less is not told of. */
export const stallMs = 50

/** Begins to watch. @returns what was seen so far */
export function watchLoop (scheduler: Scheduler): () => LoopReport {
  const histogram = monitorEventLoopDelay({ resolution: everyMs })
  histogram.enable()
  const collections: Array<{ readonly fromMs: number, readonly untilMs: number }> = []
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ fromMs: startTime, untilMs: startTime + duration })
  })
  observer.observe({ entryTypes: ['gc'] })
  const stalls: Array<{ readonly before: Sample, readonly after: Sample }> = []

  let last = sample()
  scheduler.every(everyMs, () => {
    const now = sample()
    if (now.atMs - last.atMs - everyMs > stallMs) stalls.push({ before: last, after: now })
    last = now
  })

  function explain ({ before, after }: { readonly before: Sample, readonly after: Sample }): Stall {
    const collectingMs = collections.reduce((sum, { fromMs, untilMs }) => {
      return sum + Math.max(0, Math.min(untilMs, after.atMs) - Math.max(fromMs, before.atMs))
    }, 0)
    const { wholeMs, ranMs, waitedMs: waitingForCoreMs } = since(before, after)
    return {
      lateMs: wholeMs - everyMs,
      collectingMs,
      workingMs: ranMs === undefined ? undefined : Math.max(0, ranMs - collectingMs),
      waitingForCoreMs,
      inKernelMs: ranMs === undefined || waitingForCoreMs === undefined ? undefined : Math.max(0, wholeMs - everyMs - ranMs - waitingForCoreMs)
    }
  }

  // The histogram counts from tick to tick.
  const late = (ns: number): number => Math.max(0, ns / 1e6 - everyMs)

  return () => ({
    p50Ms: late(histogram.percentile(50)),
    p99Ms: late(histogram.percentile(99)),
    longestMs: late(histogram.max),
    stalls: stalls.map(explain)
  })
}
