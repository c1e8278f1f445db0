import { cut } from '../../../text/quote.ts'
import { spend } from './work-budget.ts'

/** What app files hold and what the state of a virtual app is made of: plain JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
export interface JsonObject { [key: string]: JsonValue }

// The bounds of every value an app can store: no sequence of taps may grow a phone without end.
export const longestText = 10_000
export const longestList = 500
const mostParts = 5_000
const mostCharacters = 100_000
const partCost = 30

/**
 * A deep copy that shares nothing with `value`, its texts cut to `longestText` and its lists
 * to `longestList`.
 *
 * @returns undefined when it is larger than what one action may store
 */
export function boundedCopy (value: JsonValue): JsonValue | undefined {
  let partsLeft = mostParts
  let charactersLeft = mostCharacters

  function copy (part: JsonValue): JsonValue {
    partsLeft -= 1
    if (partsLeft < 0 || !spend(partCost)) return null
    if (typeof part === 'string') {
      charactersLeft -= part.length
      return cut(part, longestText)
    }
    // What is too large is not copied to its end.
    if (Array.isArray(part)) return part.length > partsLeft ? tooLarge() : part.slice(0, longestList).map(copy)
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, copy(member)]))
  }

  function tooLarge (): null {
    partsLeft = -1
    return null
  }

  const copied = copy(value)
  const isAffordable = spend((mostCharacters - charactersLeft) / 8)
  return partsLeft < 0 || charactersLeft < 0 || !isAffordable ? undefined : copied
}

/** About how much memory a value takes: its characters, and something for each part of it. */
export function weigh (value: JsonValue): number {
  if (typeof value === 'string') return partWeight + value.length
  if (value === null || typeof value !== 'object') return partWeight
  return Object.values(value).reduce<number>((sum, member) => sum + weigh(member), partWeight)
}
const partWeight = 16

/** How a value reads on the screen: nothing for `null`, lists and objects. */
export function displayText (value: JsonValue): string {
  if (value === null || typeof value === 'object') return ''
  return String(value)
}

/** Lists are true when they hold something; otherwise as in JavaScript. */
export function isTruthy (value: JsonValue): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}
