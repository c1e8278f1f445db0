/**
 * What can go wrong with a virtual phone, on purpose. Real phones are slow, drop off, crash and
 * lie about their screens; these settings do it at a known rate, from a seed, so that a run that
 * failed can be repeated.
 */
import { z } from 'zod'
import type { Clock } from '../../runtime/clock.ts'
import type { SeededRandom } from './seeded-random.ts'

const percentSchema = z.int().min(0).max(100).default(0)
const longestLatencyMs = 60_000
const longestWindowMs = 86_400_000

export const faultSettings = z.strictObject({
  seed: z.int().min(0).max(4_294_967_295).default(1)
    .describe('Where the random numbers behind the faults begin. The same seed and the same calls give the same faults; each further phone begins one higher.'),
  latency: z.strictObject({
    fixedMs: z.int().min(0).max(longestLatencyMs).default(0).describe('Milliseconds that every command to a virtual phone takes.'),
    jitterMs: z.int().min(0).max(longestLatencyMs).default(0).describe('Up to so many milliseconds more, at random.')
  }).prefault({}),
  offline: z.strictObject({
    afterMs: z.int().min(0).max(longestWindowMs).default(0)
      .describe('Milliseconds from the start of a virtual phone until it first stops answering.'),
    forMs: z.int().min(0).max(longestWindowMs).default(0)
      .describe('Milliseconds for which it does not answer: every command is refused with `device_offline`. 0 for never.'),
    everyMs: z.int().min(0).max(longestWindowMs).default(0)
      .describe('Milliseconds from one such window to the beginning of the next. 0 for one window only.')
  }).refine(({ forMs, everyMs }) => everyMs === 0 || everyMs > forMs, { path: ['everyMs'], error: 'must be more than forMs, or 0' }).prefault({}),
  crashOnTapPercent: percentSchema
    .describe('Per cent of taps on which the app in front crashes instead of reacting.'),
  swallowedTapPercent: percentSchema
    .describe('Per cent of taps that are acknowledged and have no effect.'),
  staleObservationPercent: percentSchema
    .describe('Per cent of observations that show the screen as it was at the observation before.'),
  notIdlePercent: percentSchema
    .describe('Per cent of observations that catch the screen in the middle of an animation. They carry a warning.'),
  blackScreenshotPercent: percentSchema
    .describe('Per cent of screenshots that are all black.')
})

export type FaultSettings = Readonly<z.output<typeof faultSettings>>

type RatedFault = Extract<keyof FaultSettings, `${string}Percent`>

export interface Faults {
  readonly leastLatencyMs: number
  /** How long the next command takes. */
  latencyMs (): number
  /** How much longer the phone does not answer, 0 while it does. */
  offlineForMs (): number
  /** Decides whether a fault strikes now. */
  strikes (fault: RatedFault): boolean
}

export function createFaults ({ settings, random, clock }: {
  readonly settings: FaultSettings
  readonly random: SeededRandom
  readonly clock: Clock
}): Faults {
  const createdMs = clock.monotonicMs()
  const { latency, offline } = settings
  return {
    leastLatencyMs: latency.fixedMs,
    latencyMs: () => latency.fixedMs + (latency.jitterMs === 0 ? 0 : Math.round(random() * latency.jitterMs)),
    offlineForMs () {
      const sinceFirstMs = clock.monotonicMs() - createdMs - offline.afterMs
      if (sinceFirstMs < 0) return 0
      const sinceLastMs = offline.everyMs === 0 ? sinceFirstMs : sinceFirstMs % offline.everyMs
      return Math.max(offline.forMs - sinceLastMs, 0)
    },
    strikes: (fault) => settings[fault] > 0 && random() * 100 < settings[fault]
  }
}
