/**
 * Ranges of OS versions as a caller writes them: conditions separated by spaces, all of which
 * must hold. A condition is a version, with or without `>=`, `>`, `<=`, `<` or `=` in front.
 *
 * A condition compares only as many numbers as it has: `17` and `17.x` are any 17, `<=17`
 * includes 17.5, `>17` begins at 18. A version with fewer numbers has zeros for the rest.
 */

const longestRange = 64
const condition = /^(>=|<=|>|<|=)?(\d{1,9}(?:\.\d{1,9}){0,3})(?:\.[xX*])?$/
const dottedNumbers = /^\d+(?:\.\d+)*$/

/** What is wrong with a range, in words for its author; undefined when nothing is. */
export function osRangeFault (range: string): string | undefined {
  if (range.length > longestRange) return `a range has at most ${longestRange} characters`
  const conditions = conditionsOf(range)
  if (conditions.length === 0) return 'a range has at least one condition, such as >=14'
  const wrong = conditions.find((text) => !condition.test(text))
  if (wrong === undefined) return undefined
  return `${JSON.stringify(wrong)} is no condition; write versions like 15, 17.x, >=14 or <16, with spaces between`
}

/** Tells which versions are in a range: none if the range is invalid, and never one that is not dotted numbers. */
export function osMatcher (range: string): (version: string) => boolean {
  if (osRangeFault(range) !== undefined) return () => false
  const tests = conditionsOf(range).map(conditionTest)
  return (version) => {
    if (!dottedNumbers.test(version)) return false
    const numbers = version.split('.').map(Number)
    return tests.every((holds) => holds(numbers))
  }
}

function conditionsOf (range: string): string[] {
  // A blank is allowed between an operator and its number.
  return range.replace(/([<>=]) +/g, '$1').split(' ').filter((text) => text !== '')
}

function conditionTest (text: string): (version: readonly number[]) => boolean {
  const [, operator = '=', bound = ''] = condition.exec(text) ?? []
  const numbers = bound.split('.').map(Number)
  switch (operator) {
    case '>=': return (version) => compare(version, numbers) >= 0
    case '>': return (version) => compare(version, numbers) > 0
    case '<=': return (version) => compare(version, numbers) <= 0
    case '<': return (version) => compare(version, numbers) < 0
    default: return (version) => compare(version, numbers) === 0
  }
}

/** Negative, zero or positive when the version is below, in or above the bound, by the numbers that the bound has. */
function compare (version: readonly number[], bound: readonly number[]): number {
  for (let i = 0; i < bound.length; i++) {
    const difference = (version[i] ?? 0) - (bound[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
