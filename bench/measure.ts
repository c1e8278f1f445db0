/**
 * All contenders of one tool count, alive at the same time and loaded in turn: what disturbs
 * the machine for a while disturbs all of them, and ratios are taken within one round.
 */
import { checkedAnswer } from './check-answer.ts'
import { startContender, type ContenderProcess } from './contender-process.ts'
import type { Contender } from './contenders/contender.ts'
import { createLoadGenerator } from './generate-load.ts'
import { loadName, loadsOf, repeatedPath, requestBytes, requestOf, unasked, type Load, type LoadRequest } from './load.ts'
import type { Pinning } from './pinning.ts'
import { percentile } from './statistics.ts'

export interface RoundFigures {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the contender for one request, in microseconds. */
  readonly cpuUs: number
  /** Share of the time in which the contender used a processor; below 1, it had to wait for load. */
  readonly busy: number
}

export interface Measurement {
  readonly load: Load
  readonly contender: Contender
  /** Of the answer's body. */
  readonly answerBytes: number
  readonly rounds: readonly RoundFigures[]
}

export interface MeasureOptions {
  readonly toolCount: number
  readonly methods: ReadonlyArray<Load['method']>
  readonly contenders: readonly Contender[]
  readonly rounds: number
  readonly roundMs: number
  readonly connections: number
  readonly pinning: Pinning
  readonly profiles: string | undefined
  readonly tell: (text: string) => void
}

export async function measure (options: MeasureOptions): Promise<readonly Measurement[]> {
  const { toolCount, methods, rounds, tell } = options
  const running = await startAll(options)
  try {
    const pairs: Array<{ load: Load, process: ContenderProcess, request: LoadRequest, answerBytes: number, rounds: RoundFigures[] }> = []
    for (const load of loadsOf(toolCount, methods)) {
      for (const process of running.filter(({ contender }) => contender.eras.includes(load.era))) {
        const request = requestTo(process, load)
        const answerBytes = Buffer.byteLength(await checkedAnswer(load, request, process.port))
        pairs.push({ load, process, request, answerBytes, rounds: [] })
      }
    }
    // The first round only warms up.
    for (let round = 0; round <= rounds; round++) {
      tell(`${toolCount} tools, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      for (const pair of startingAt(round, pairs)) {
        const figures = await measureRound(pair, options)
        if (round > 0) pair.rounds.push(figures)
      }
    }
    return pairs.map(({ load, process, answerBytes, rounds }) => ({ load, contender: process.contender, answerBytes, rounds }))
  } finally {
    await Promise.all(running.map(async (process) => await process.stop()))
  }
}

/** Mooring first: those that repeat its answers have to know them when they start. */
async function startAll ({ contenders, toolCount, pinning, profiles }: MeasureOptions): Promise<readonly ContenderProcess[]> {
  const [first, ...others] = contenders
  if (first === undefined) return []
  const mooring = await startContender(first, { toolCount, answers: {} }, { pinning, profiles })
  const answers: Record<string, string> = {}
  for (const load of loadsOf(toolCount)) answers[repeatedPath(load)] = await checkedAnswer(load, requestTo(mooring, load), mooring.port)
  return [mooring, ...await Promise.all(others.map((contender) => startContender(contender, { toolCount, answers }, { pinning, profiles })))]
}

function requestTo ({ contender, token = unasked }: ContenderProcess, load: Load): LoadRequest {
  return requestOf(load, contender.repeats ? repeatedPath(load) : '/mcp', token)
}

async function measureRound (
  { process, load, request }: { readonly process: ContenderProcess, readonly load: Load, readonly request: LoadRequest },
  { connections, roundMs, pinning }: MeasureOptions
): Promise<RoundFigures> {
  const { port, contender } = process
  try {
    const generator = await createLoadGenerator({ port, request: requestBytes(request, port), connections, staysAwake: pinning.isPinned })
    const before = await process.usage()
    const { requests, elapsedMs, latenciesMs } = await generator.run(roundMs)
    const after = await process.usage()
    generator.close()
    const cpuUs = after.cpuUs - before.cpuUs
    return {
      requestsPerSecond: requests / elapsedMs * 1_000,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      cpuUs: cpuUs / requests,
      busy: cpuUs / (elapsedMs * 1_000)
    }
  } catch (error) {
    throw new Error(`${contender.label} failed at ${loadName(load)}`, { cause: error })
  }
}

/** Another one goes first in each round, so that none always follows the same. */
function startingAt<T> (start: number, list: readonly T[]): readonly T[] {
  const index = start % Math.max(list.length, 1)
  return [...list.slice(index), ...list.slice(0, index)]
}
