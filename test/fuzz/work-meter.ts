/**
 * Measures what fuzzing costs the process: the longest piece of work that held the event loop, and
 * the memory that grew. Work is counted in processor time of the loop's own thread, so a machine
 * that is busy with other things makes nothing slow, and threads beside it (the collector of
 * garbage, the compiler) are not counted either.
 */
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * A test takes only ten times as much for a failure: cores share their caches and their speed, and
 * what these properties look for takes minutes.
 */
const allowanceInTests = 10

/** What `npm run fuzz` may not go beyond. */
export const longestStallMs = 250
export const mostGrowthBytes = 300 * 1024 * 1024

export interface WorkMeter {
  /**
   * Measures one piece of synchronous work, without the pieces inside it that are measured themselves.
   *
   * @throws {Error} when it took longer than it may, so that the input that made it is found
   */
  measure <Result> (what: string, work: () => Result): Result
  /** How long one piece of work may take from now on, in milliseconds. */
  allow (ms: number): void
  /** Measures each turn of the event loop until it is ended. */
  watchTurns (what: string): { end (): void }
  /** Collects garbage and notes what is left. */
  settle (): void
  /** The longest piece of work so far. */
  longest (): { readonly what: string, readonly ms: number }
  /** How many bytes more are in use than at the first `settle`: after collecting, and at the highest. */
  growth (): { readonly left: number, readonly peak: number, readonly peakAt: string }
}

export function createWorkMeter ({ processorMs = threadProcessorMs, bytesInUse = processBytes, collect = garbageCollector() }: {
  readonly processorMs?: () => number
  readonly bytesInUse?: () => number
  readonly collect?: () => void
} = {}): WorkMeter {
  let mostMs = allowanceInTests * longestStallMs
  let longest = { what: 'nothing', ms: 0 }
  let innerMs = 0
  let firstBytes: number | undefined
  let left = 0
  let peak = { bytes: 0, at: 'nothing' }

  function note (what: string, ms: number): void {
    if (ms > longest.ms) longest = { what, ms }
    const grown = firstBytes === undefined ? 0 : bytesInUse() - firstBytes
    if (grown <= peak.bytes) return
    // Garbage is no growth: only what stays after collecting counts, and collecting is asked for rarely.
    peak = grown > mostGrowthBytes ? { bytes: afterCollecting(), at: what } : { bytes: grown, at: what }
  }

  function afterCollecting (): number {
    collect()
    return Math.max(bytesInUse() - (firstBytes ?? 0), 0)
  }

  return {
    measure (what, work) {
      const outerInnerMs = innerMs
      innerMs = 0
      const startMs = processorMs()
      let ownMs = 0
      const close = (): void => {
        const wholeMs = processorMs() - startMs
        ownMs = wholeMs - innerMs
        note(what, ownMs)
        innerMs = outerInnerMs + wholeMs
      }
      let result
      try {
        result = work()
      } finally {
        close()
      }
      if (ownMs > mostMs) throw new Error(`${what} took ${Math.round(ownMs)} ms of processor time`)
      return result
    },

    allow (ms) {
      mostMs = ms
    },

    watchTurns (what) {
      let watches = true
      let beforeMs = processorMs()
      const turn = (): void => {
        if (!watches) return
        const nowMs = processorMs()
        note(what, nowMs - beforeMs)
        beforeMs = processorMs()
        setImmediate(turn)
      }
      setImmediate(turn)
      return { end () { watches = false } }
    },

    settle () {
      collect()
      firstBytes ??= bytesInUse()
      left = Math.max(left, bytesInUse() - firstBytes)
    },

    longest: () => longest,
    growth: () => ({ left, peak: peak.bytes, peakAt: peak.at })
  }
}

/** Processor time of the main thread where the system tells it, otherwise of the process: that can only be more. */
function threadProcessorMs (): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

function processBytes (): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function garbageCollector (): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
