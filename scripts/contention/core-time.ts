import { readFileSync } from 'node:fs'

/** How far the main thread of this process had come at an instant. */
export interface Sample {
  readonly atMs: number
  /** On a core, and ready but without one; undefined where the system does not tell. */
  readonly ranMs: number | undefined
  readonly waitedMs: number | undefined
}

export function sample (): Sample {
  const atMs = performance.now()
  try {
    // Linux counts for the main thread how long it ran and how long it waited to run, in nanoseconds.
    const [ranNs, waitedNs] = readFileSync('/proc/self/schedstat', 'utf8').split(' ')
    return { atMs, ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 }
  } catch {
    return { atMs, ranMs: undefined, waitedMs: undefined }
  }
}

/** What went by between two instants. */
export function since (before: Sample, after: Sample): { readonly wholeMs: number, readonly ranMs: number | undefined, readonly waitedMs: number | undefined } {
  return {
    wholeMs: after.atMs - before.atMs, ranMs: difference(before.ranMs, after.ranMs), waitedMs: difference(before.waitedMs, after.waitedMs)
  }
}

function difference (before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before
}
