import type { StreamFigures } from './measure-streams.ts'

export interface StreamTarget {
  readonly figure: 'rssBytes' | 'eventMs'
  readonly name: string
  /** How many times that of raw writes it may be. */
  readonly atMost: number
}

export const streamTargets: readonly StreamTarget[] = [
  { figure: 'rssBytes', name: 'memory of a stream', atMost: 1.3 },
  { figure: 'eventMs', name: 'one event to all', atMost: 1.3 }
]

/** One column for each contender; in the last one, mooring in terms of raw writes. */
export function streamTable (streams: number, figures: readonly StreamFigures[]): string {
  const mooring = figures.find(({ contender }) => contender === 'mooring')
  const raw = figures.find(({ contender }) => contender === 'raw-streams')
  const row = (name: string, value: (figure: StreamFigures) => number, digits: number): string => {
    const compared = mooring === undefined || raw === undefined ? '' : `${(value(mooring) / value(raw)).toFixed(2)} x`
    return line(name, [...figures.map((figure) => value(figure).toFixed(digits)), compared])
  }
  return [
    line(`${streams} listen streams`, [...figures.map(({ label }) => label), 'mooring / raw']),
    row('opening all, ms', ({ openMs }) => openMs, 0),
    row('memory of a stream, kB', ({ rssBytes }) => rssBytes / 1_000, 1),
    row('heap of a stream, kB', ({ heapBytes }) => heapBytes / 1_000, 1),
    row('one event to all, ms', ({ eventMs }) => eventMs, 0),
    row('CPU of a delivery, µs', ({ deliveryUs }) => deliveryUs, 1),
    line('left 2 s after all went', figures.map(({ left }) => String(left)))
  ].join('\n')
}

export function streamTargetLines (figures: readonly StreamFigures[]): string {
  const mooring = figures.find(({ contender }) => contender === 'mooring')
  const raw = figures.find(({ contender }) => contender === 'raw-streams')
  if (mooring === undefined || raw === undefined) return ''
  const lines = streamTargets.map(({ figure, name, atMost }) => {
    const ratio = mooring[figure] / raw[figure]
    return `  ${name}: at most ${atMost} of raw writes ${ratio.toFixed(2)} x ${ratio <= atMost ? 'reached' : 'MISSED'}`
  })
  return [...lines, `  streams that outlive their clients: none, ${mooring.left} ${mooring.left === 0 ? 'reached' : 'MISSED'}`].join('\n')
}

function line (name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(26)}${cells.map((cell) => cell.padStart(30)).join('')}`
}
