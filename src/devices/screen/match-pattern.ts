/**
 * Regular expressions from callers.
 *
 * A backtracking engine can be made to run for years by forty characters, and there is one
 * event loop for everybody. Checking patterns for danger beforehand either forbids much that
 * is harmless or misses something, and the linear-time engines are native add-ons. So patterns
 * are the usual JavaScript ones and time is what is bounded: the whole search over a screen
 * runs inside `node:vm`, whose timeout stops the engine even in the middle of one match.
 * Pattern and texts go in as data, never as code.
 *
 * That timeout is wall time, which also passes while the machine gives its processors to others.
 * So a search that runs out of it is made once more with a limit that a starved one keeps. What
 * the process used of the processor meanwhile tells a slow pattern from a machine that is busy;
 * it says too little over the short limit, in which other threads of ours may have used as much.
 */
import { types } from 'node:util'
import { createContext, Script } from 'node:vm'
import { InvalidPatternRefusal } from './screen-refusals.ts'

/** Longest pattern taken. */
export const longestPattern = 200
// As long as an event loop shared with others may reasonably stand still.
const searchMs = 50
const secondSearchMs = 1_000
// What even other threads of ours hardly use beside a search that waits.
const slowPatternMs = 2 * searchMs

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
  sandbox['pattern'] = pattern
  sandbox['texts'] = texts
  const before = process.cpuUsage()
  try {
    return searchWithin(searchMs) ?? searchWithin(secondSearchMs) ?? refuse(pattern, process.cpuUsage(before))
  } finally {
    sandbox['pattern'] = ''
    sandbox['texts'] = []
  }
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

function refuse (pattern: string, { user, system }: NodeJS.CpuUsage): never {
  const isSlow = (user + system) / 1_000 > slowPatternMs
  throw new InvalidPatternRefusal(pattern, isSlow
    ? { problem: 'it takes too long to search for' }
    : { problem: 'this machine is too busy to search for it now', isForNow: true })
}

function assertReadable (pattern: string): void {
  try {
    RegExp(pattern, 'i')
  } catch (error) {
    throw new InvalidPatternRefusal(pattern, { problem: 'it is not a regular expression', cause: error })
  }
}
