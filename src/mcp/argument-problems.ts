/**
 * What is wrong with the arguments of a call, in words that lead to the right ones.
 */
import type { z } from 'zod'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { nearestName } from '../refusals/nearest-name.ts'
import type { InputSchema } from './input-schema.ts'

export interface ArgumentProblem {
  /** Where it is, joined by dots; `(arguments)` for all of them together. */
  readonly argument: string
  readonly problem: string
}

const mostProblems = 10
// A name may be as long as a request, and is compared with each that is known.
const longestName = 64
const wholeArguments = '(arguments)'
// These follow the name of their argument, without a colon.
const isMissing = 'is missing'
const isUnknown = 'is no argument here'

/** Each problem by itself, those of unknown arguments with the names that are known there. */
export function argumentProblems (error: z.ZodError, given: JsonObject, schema: InputSchema): readonly ArgumentProblem[] {
  return error.issues.flatMap((issue): readonly ArgumentProblem[] => {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') {
      const known = knownNames(schema, path)
      return issue.keys.slice(0, mostProblems).map((given) => {
        const key = given.slice(0, longestName)
        return { argument: nameOf([...path, key]), problem: `${isUnknown}; ${alternatives(key, known)}` }
      })
    }
    const problem = withoutFullStop(issue.message)
    if (issue.code === 'custom' || valueAt(given, path) !== undefined) return [{ argument: nameOf(path), problem }]
    const choice = issue.code === 'invalid_value' ? ` (one of ${issue.values.join(', ')})` : ''
    return [{ argument: nameOf(path), problem: `${isMissing}${choice}` }]
  }).slice(0, mostProblems)
}

/** The problems as one clause after another. */
export function problemText (problems: readonly ArgumentProblem[]): string {
  return problems.map(({ argument, problem }) => {
    if (argument === wholeArguments) return problem
    return problem.startsWith(isMissing) || problem.startsWith(isUnknown) ? `${argument} ${problem}` : `${argument}: ${problem}`
  }).join('; ')
}

function nameOf (path: readonly string[]): string {
  return path.join('.') || wholeArguments
}

function alternatives (name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none'
  const nearest = nearestName(name, known)
  return nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`
}

function knownNames ({ root, resolve, propertiesOf }: InputSchema, path: readonly string[]): readonly string[] {
  const at = path.reduce((schema, member) => {
    const members = propertiesOf(schema)
    // What is no member of its own is one of a list, or stands under a name of the caller's choosing.
    return resolve(Object.hasOwn(members, member) ? members[member] : schema['items'] ?? schema['additionalProperties'])
  }, root)
  return Object.keys(propertiesOf(at))
}

function valueAt (given: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, member) => {
    if (Array.isArray(value)) return value[Number(member)]
    return isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined
  }, given)
}

function withoutFullStop (sentence: string): string {
  return sentence.replace(/\.$/, '')
}
