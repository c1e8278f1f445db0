/**
 * Regular expressions from callers.
 *
 * A backtracking engine can be made to run for years by forty characters, and there is one
 * event loop for all callers. Checking patterns for danger beforehand either forbids much that
 * is harmless or misses something, and the linear-time engines are native add-ons. So patterns
 * are the usual JavaScript ones and time is what is bounded: the whole search over a screen
 * runs inside `node:vm`, whose timeout stops the engine even in the middle of one match.
 * Pattern and texts go in as data, never as code.
 *
 * That timeout is wall time, which also passes while the machine gives its processors to others.
 * So a search that runs out of it is made again. What the process used of the processor meanwhile
 * tells a slow pattern from a machine that is busy. No limit of a further search is long: the
 * machine may be idle again, and then all of the limit is time in which the event loop stands still.
 *
 * One search is not all there is: a selector has others inside it, a wait searches again and
 * again, and callers repeat calls. So all searches of one turn of the event loop have a budget
 * together, and so have all of the process over time; a pattern that was too slow once is not
 * searched for again.
 */
import { types } from 'node:util'
import { createContext, Script } from 'node:vm'
import { systemClock } from '../../runtime/clock.ts'
import { InvalidPatternRefusal } from './screen-refusals.ts'

/** Longest pattern taken. */
export const longestPattern = 200
const searchMs = 40
// Enough to tell a slow pattern where there is a processor for it.
const secondSearchMs = 2 * searchMs
// A search that waits for a processor gets some in one of these.
const furtherSearchMs = 3 * searchMs
const mostFurtherSearches = 8
// What even other threads of ours hardly use beside a search that waits.
const slowPatternMs = 1.5 * searchMs
/**
 * From here on the searches of one turn get no more than a little time each. With all searches of
 * a pattern, 25 + 60 + 120 ms, the event loop stands still for 205 ms at most.
 */
const hurriedAfterMs = 25
const hurriedSearchMs = 10
const mostPerTurnMs = 200
/** How much of the time searches may take over time, and how much they may take in advance. */
const lastingShare = 0.1
const mostDebtMs = 2_000
const slowPatternsKept = 200

let turnSpentMs = 0
let debtMs = 0
let debtAtMs = 0
const slowPatterns = new Set<string>()

const search = new Script(`(() => {
  const expression = new RegExp(pattern, 'i')
  return JSON.stringify(texts.flatMap((group, index) => group.some((text) => expression.test(text)) ? [index] : []))
})()`)
const sandbox = createContext({ pattern: '', texts: [] })

/**
 * Indexes of the groups with a text in which the pattern is found, case ignored.
 *
 * @throws {InvalidPatternRefusal} no regular expression, or one that takes too long
 */
export function matchPattern (pattern: string, texts: ReadonlyArray<readonly string[]>): ReadonlySet<number> {
  assertReadable(pattern)
  if (slowPatterns.has(pattern)) throw tooSlow(pattern)
  const startMs = systemClock.monotonicMs()
  debtMs = Math.max(0, debtMs - (startMs - debtAtMs) * lastingShare)
  debtAtMs = startMs
  if (debtMs > mostDebtMs || turnSpentMs > mostPerTurnMs) throw tooBusy(pattern)

  sandbox['pattern'] = pattern
  sandbox['texts'] = texts
  const before = process.cpuUsage()
  try {
    if (turnSpentMs > hurriedAfterMs) return searchWithin(hurriedSearchMs) ?? refuseBusy(pattern)
    return searchWithin(searchMs) ??
      (usedMs(before) > searchMs / 2 ? searchWithin(secondSearchMs) : undefined) ??
      searchStarved(before) ??
      refuse(pattern, usedMs(before))
  } finally {
    sandbox['pattern'] = ''
    sandbox['texts'] = []
    // What a starved search only waited for is not its doing.
    charge(Math.min(systemClock.monotonicMs() - startMs, usedMs(before)))
  }
}

/** Searches again for as long as the process got too little of the processor to say anything of the pattern. */
function searchStarved (before: NodeJS.CpuUsage): ReadonlySet<number> | undefined {
  for (let again = 0; again < mostFurtherSearches && usedMs(before) <= slowPatternMs; again += 1) {
    const found = searchWithin(furtherSearchMs)
    if (found !== undefined) return found
  }
  return undefined
}

function charge (tookMs: number): void {
  debtMs += tookMs
  if (turnSpentMs === 0) setImmediate(() => { turnSpentMs = 0 })
  turnSpentMs += tookMs
}

/** @returns undefined when the time ran out */
function searchWithin (limitMs: number): ReadonlySet<number> | undefined {
  try {
    const found: unknown = JSON.parse(String(search.runInContext(sandbox, { timeout: limitMs })))
    return new Set(Array.isArray(found) ? found.filter((index) => typeof index === 'number') : [])
  } catch (error) {
    // An error of the sandbox is no `Error` of ours.
    if (types.isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}

/** Processor time of the whole process since then. */
function usedMs (before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function refuse (pattern: string, processorMs: number): never {
  if (processorMs <= slowPatternMs) throw tooBusy(pattern)
  slowPatterns.add(pattern)
  const [oldest] = slowPatterns
  if (slowPatterns.size > slowPatternsKept && oldest !== undefined) slowPatterns.delete(oldest)
  throw tooSlow(pattern)
}

function refuseBusy (pattern: string): never {
  throw tooBusy(pattern)
}

function tooSlow (pattern: string): InvalidPatternRefusal {
  return new InvalidPatternRefusal(pattern, { problem: 'it takes too long to search for' })
}

function tooBusy (pattern: string): InvalidPatternRefusal {
  return new InvalidPatternRefusal(pattern, { problem: 'this machine is too busy to search for it now', isForNow: true })
}

function assertReadable (pattern: string): void {
  try {
    RegExp(pattern, 'i')
  } catch (error) {
    throw new InvalidPatternRefusal(pattern, { problem: 'it is not a regular expression', cause: error })
  }
}
