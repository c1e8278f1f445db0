import fc from 'fast-check'
import type { Test } from 'tap'
import { createWorkMeter, type WorkMeter } from './work-meter.ts'

/** Something that must hold for any input, to be tried a few times in a test and for long by `npm run fuzz`. */
export interface FuzzProperty {
  readonly name: string
  /** How often a test tries it. */
  readonly numRuns: number
  /** Throws what fast-check found, with seed and path. */
  readonly assert: (parameters: fc.Parameters<any>) => Promise<void> | void
}

/** What the properties of this process cost it. */
export const meter: WorkMeter = createWorkMeter()

/** Nothing here takes a second, on a busy machine ten; what takes this long hangs, which is a failure too. */
const hangsAfterMs = 60_000

export function property<Ts extends [unknown, ...unknown[]]> (
  name: string, numRuns: number, arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> }, holds: (...values: Ts) => boolean | void
): FuzzProperty {
  return { name, numRuns, assert: (parameters) => fc.assert(fc.property<Ts>(...arbitraries, (...values) => meter.measure(name, () => holds(...values))), parameters) }
}

export function asyncProperty<Ts extends [unknown, ...unknown[]]> (
  name: string, numRuns: number, arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> }, holds: (...values: Ts) => Promise<boolean | void>
): FuzzProperty {
  return {
    name,
    numRuns,
    async assert (parameters) {
      const turns = meter.watchTurns(name)
      try {
        await fc.assert(fc.asyncProperty<Ts>(...arbitraries, holds), { timeout: hangsAfterMs, ...parameters })
      } finally {
        turns.end()
      }
    }
  }
}

/** Tries each property as often as it says, from a seed of its own that the output names. */
export function testProperties (t: Test, properties: readonly FuzzProperty[]): void {
  for (const { name, numRuns, assert } of properties) {
    t.test(name, async (t) => {
      const [seed] = fc.sample(fc.integer(), 1)
      if (seed === undefined) throw new Error('fast-check gave no seed')
      t.comment(`seed ${seed}`)
      await assert({ seed, numRuns })
      t.pass()
    })
  }
}
