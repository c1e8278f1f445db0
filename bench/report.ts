import type { Contender } from './contenders/contender.ts'
import { loadName, type Load } from './load.ts'
import type { Measurement, RoundFigures } from './measure.ts'
import { median } from './statistics.ts'

/** The medians of one contender under one load, and how they compare. */
export interface ReportRow extends RoundFigures {
  readonly load: Load
  readonly contender: string
  readonly label: string
  readonly answerBytes: number
  /** How this one compares with each other one under the same load, by name; above 1 it does better. */
  readonly against: Readonly<Record<string, Ratio>>
}

export interface Ratio {
  readonly requestsPerSecond: number
  /** Processor time of the other one divided by that of this one. */
  readonly cpu: number
}

export interface Target {
  readonly method: Load['method']
  readonly toolCount?: number
  readonly against: string
  readonly atLeast: number
}

export const targets: readonly Target[] = [
  { method: 'tools/call', against: 'fastify', atLeast: 0.6 },
  { method: 'tools/call', against: 'sdk-server', atLeast: 8 },
  { method: 'tools/list', toolCount: 200, against: 'fastify', atLeast: 0.6 }
]

export function reportRows (measurements: readonly Measurement[]): readonly ReportRow[] {
  return measurements.map((measurement) => {
    const { load, contender, answerBytes, rounds } = measurement
    const rivals = measurements.filter((other) => other.load === load && other !== measurement)
    return {
      load,
      contender: contender.name,
      label: contender.label,
      answerBytes,
      requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
      p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
      cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
      busy: median(rounds.map(({ busy }) => busy)),
      against: Object.fromEntries(rivals.map((rival) => [rival.contender.name, ratio(rounds, rival.rounds)]))
    }
  })
}

/** Taken round by round: rounds that were disturbed differ from each other more than from their neighbours. */
function ratio (own: readonly RoundFigures[], others: readonly RoundFigures[]): Ratio {
  const pairs = own.flatMap((mine, round) => {
    const theirs = others[round]
    return theirs === undefined ? [] : [{ mine, theirs }]
  })
  return {
    requestsPerSecond: median(pairs.map(({ mine, theirs }) => mine.requestsPerSecond / theirs.requestsPerSecond)),
    cpu: median(pairs.map(({ mine, theirs }) => theirs.cpuUs / mine.cpuUs))
  }
}

/** A table for each load; in the last columns, how many times as fast mooring is as the contender of the row. */
export function reportTable (rows: readonly ReportRow[], contenders: readonly Contender[]): string {
  const loads = [...new Set(rows.map(({ load }) => load))]
  const width = Math.max(...contenders.map(({ label }) => label.length))
  return loads.map((load) => {
    const own = rows.filter((row) => row.load === load)
    const mooring = own.find((row) => row.contender === 'mooring')
    return [
      `${loadName(load)} (${mooring === undefined ? '' : kilobytes(mooring.answerBytes)})`,
      line(['', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'busy', 'mooring: req/s', 'by CPU'], width),
      ...own.map(({ contender, label, requestsPerSecond, p50Ms, p99Ms, cpuUs, busy }) => {
        const compared = mooring?.against[contender]
        return line([
          label, requestsPerSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(1), cpuUs.toFixed(0), `${(busy * 100).toFixed(0)} %`,
          times(compared?.requestsPerSecond), times(compared?.cpu)
        ], width)
      })
    ].join('\n')
  }).join('\n\n')
}

/**
 * Each target with what was reached, twice: by requests, which is what a client notices, and by
 * processor time, which tells the same on a machine that has other things to do as well.
 */
export function targetLines (rows: readonly ReportRow[]): string {
  const mooring = rows.filter(({ contender }) => contender === 'mooring')
  return targets.flatMap(({ method, toolCount, against, atLeast }) => mooring
    .filter(({ load }) => load.method === method && (toolCount === undefined || load.toolCount === toolCount))
    .flatMap(({ load, against: ratios }) => {
      const ratio = ratios[against]
      if (ratio === undefined) return []
      const judged = (reached: number): string => `${times(reached).padStart(7)} ${reached >= atLeast ? 'reached' : 'MISSED '}`
      return [`  ${loadName(load).padEnd(30)} at least ${atLeast} of ${against.padEnd(11)} by requests ${judged(ratio.requestsPerSecond)}, by CPU ${judged(ratio.cpu)}`]
    })).join('\n')
}

function line (cells: readonly string[], width: number): string {
  const [label = '', ...figures] = cells
  return `  ${label.padEnd(width)}${figures.map((figure, index) => figure.padStart(index === 5 ? 16 : 9)).join('')}`
}

function times (ratio: number | undefined): string {
  if (ratio === undefined) return ''
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} x`
}

function kilobytes (bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`
}
