/** Numbers from 0 up to but not including 1 that follow from a seed: a run can be repeated. */
export type SeededRandom = () => number

/** Mulberry32: small, fast, and good enough to decide when something goes wrong. */
export function seededRandom (seed: number): SeededRandom {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
