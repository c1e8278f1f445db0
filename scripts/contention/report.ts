import type { Handover } from './handovers.ts'
import { stallMs, type LoopReport, type Stall } from './loop-watch.ts'

export interface Wait {
  readonly band: 'low' | 'normal'
  readonly waitedMs: number
}

export interface Findings {
  readonly bands: ReadonlyArray<{ readonly band: string, readonly waitsMs: readonly number[], readonly jain: number }>
  readonly turns: number
  readonly clashes: readonly string[]
  /** From a clean phone to the next grant on it. */
  readonly handovers: readonly Handover[]
  readonly trivialMs: readonly number[]
  readonly loop: LoopReport
}

/** The longest of them. */
const shownStalls = 12

export function reportLines ({ bands, turns, clashes, handovers, trivialMs, loop }: Findings): string {
  const ownMs = handovers.flatMap(({ ownMs }) => ownMs ?? [])
  return [
    `turns       ${turns}`,
    ...bands.map(({ band, waitsMs, jain }) => {
      return `waits       ${band}: ${waitsMs.length}, median ${ms(quantile(waitsMs, 0.5))}, p95 ${ms(quantile(waitsMs, 0.95))}; Jain's index ${jain.toFixed(4)} (0.95 or more)`
    }),
    `overlaps    ${clashes.length} (none)`,
    ...clashes.slice(0, 10).map((clash) => `            ${clash}`),
    `hand-over   ${handovers.length}, from clean to granted: ${handoverTimes(handovers.map(({ tookMs }) => tookMs))} (2 at most)`,
    ...(ownMs.length === 0 ? [] : [`            without waiting for a core: ${handoverTimes(ownMs)}`]),
    `tools/call  ${trivialMs.length} that do nothing, as their caller sees them: median ${ms(quantile(trivialMs, 0.5))}, p95 ${ms(quantile(trivialMs, 0.95))}`,
    `event loop  late by ${ms(loop.p50Ms)} at the median, ${ms(loop.p99Ms)} at p99, ${ms(loop.longestMs)} at most; ${loop.stalls.length} stalls above ${stallMs} ms`,
    ...loop.stalls.toSorted((a, b) => b.lateMs - a.lateMs).slice(0, shownStalls).map((stall) => `            ${explained(stall)}`)
  ].join('\n')
}

function handoverTimes (times: readonly number[]): string {
  const [median, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
  return `median ${ms(median)}, p95 ${ms(p95)}, ${(p95 / median).toFixed(2)} times the median`
}

function explained ({ lateMs, collectingMs, workingMs, waitingForCoreMs, inKernelMs }: Stall): string {
  const parts = [
    `${ms(collectingMs)} collecting garbage`,
    ...(workingMs === undefined ? [] : [`${ms(workingMs)} working`]),
    ...(waitingForCoreMs === undefined ? [] : [`${ms(waitingForCoreMs)} waiting for a core`]),
    ...(inKernelMs === undefined ? [] : [`${ms(inKernelMs)} waiting in the kernel (the disk)`])
  ]
  return `${ms(lateMs)} late: ${parts.join(', ')}`
}

/** The smallest number that at least this share of them does not exceed. */
export function quantile (numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}

function ms (value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`
}
