/**
 * What is wrong with the arguments of a call, in words that lead to the right ones.
 *
 * Only the first ten problems are described: a request has room for thousands.
 */
import type { z } from 'zod'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { nearestName } from '../refusals/nearest-name.ts'
import { quote } from '../text/quote.ts'
import { exampleOf, isJsonText } from './argument-example.ts'
import type { InputSchema } from './input-schema.ts'

export interface ArgumentProblem {
  /** Where it is, joined by dots; `(arguments)` for all of them together. */
  readonly argument: string
  readonly problem: string
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

const mostProblems = 10
// A name may be as long as a request, and is compared with each that is known.
const longestName = 64
const longestPath = 500
const longestShown = 40
const wholeArguments = '(arguments)'

/** What is described here; zod need not describe it as well, for each of thousands. */
const described: ReadonlySet<string> = new Set(['invalid_type', 'too_small', 'too_big', 'invalid_value', 'unrecognized_keys'])

/** Parameters for zod's `safeParse`, so that its issues can be described here. */
export const describableIssues = {
  // The issue has the value that it is about.
  reportInput: true,
  error: ({ code }: { readonly code: string }) => described.has(code) ? '' : undefined
} as const

/** Each problem by itself, those of unknown arguments with the names that are known there. */
export function argumentProblems (error: z.ZodError, given: JsonObject, schema: InputSchema): readonly ArgumentProblem[] {
  // By argument: of several problems with one, the last says most.
  const problems = new Map<string, string>()
  for (const issue of error.issues) {
    if (problems.size >= mostProblems) break
    if (issue.code === 'unrecognized_keys') {
      for (const { argument, problem } of unknownNames(issue, given, schema)) problems.set(argument, problem)
    } else {
      problems.set(nameOf(issue.path, given), withoutFullStop(problemOf(issue, schema)))
    }
  }
  return [...problems].slice(0, mostProblems).map(([argument, problem]) => ({ argument, problem }))
}

/** The problems as one clause after another. */
export function problemText (problems: readonly ArgumentProblem[]): string {
  return problems.map(({ argument, problem }) => {
    if (argument === wholeArguments) return problem
    return /^(?:is|must|may|has|goes) /.test(problem) ? `${argument} ${problem}` : `${argument}: ${problem}`
  }).join('; ')
}

function problemOf (issue: Exclude<Issue, { code: 'unrecognized_keys' }>, schema: InputSchema): string {
  // The words of the schema's author are the best.
  if (issue.code === 'custom' || issue.message !== '') return issue.message
  const { input } = issue
  if (input === undefined || input === null) {
    return issue.code === 'invalid_value' ? `is missing (one of ${issue.values.join(', ')})` : 'is missing'
  }
  switch (issue.code) {
    case 'invalid_type': return `must be ${wordsFor(issue.expected)}${suchAs(issue, schema)}, ${isJsonText(input) ? 'and this text cannot be read as JSON' : `not ${kindOf(input)}`}`
    case 'invalid_value': return `must be one of ${issue.values.join(', ')}${choiceMeant(input, issue.values)}`
    case 'too_small': return tooSmall(Number(issue.minimum), input)
    case 'too_big': return tooBig(Number(issue.maximum), input)
    default: return 'does not fit'
  }
}

function tooSmall (minimum: number, input: unknown): string {
  if (typeof input === 'number') return `must be at least ${minimum}, not ${input}`
  const size = sizeOf(input)
  return size === 0 ? 'is empty' : `must have at least ${minimum} ${unitOf(input)}, not ${size}`
}

function tooBig (maximum: number, input: unknown): string {
  if (typeof input === 'number') return `must be at most ${maximum}, not ${input}`
  return `may have ${maximum} ${unitOf(input)} at most, and has ${sizeOf(input)}`
}

function sizeOf (value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 0
}

function unitOf (value: unknown): string {
  return typeof value === 'string' ? 'characters' : 'entries'
}

/** ` such as {"text":"Shop"}`, where an object or a list is wanted. */
function suchAs ({ expected, path, input }: Extract<Issue, { code: 'invalid_type' }>, schema: InputSchema): string {
  if (expected !== 'object' && expected !== 'array') return ''
  const example = exampleOf(schemaAt(schema, path), schema, input)
  return example === undefined ? '' : ` such as ${JSON.stringify(example)}`
}

function choiceMeant (input: unknown, values: readonly unknown[]): string {
  if (typeof input !== 'string') return `, not ${kindOf(input)}`
  const nearest = nearestName(input.slice(0, longestName), values.map(String))
  return `, not ${quote(input, longestShown)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

function unknownNames (
  { keys, path }: Extract<Issue, { code: 'unrecognized_keys' }>, given: JsonObject, schema: InputSchema
): readonly ArgumentProblem[] {
  const here = schemaAt(schema, path)
  return keys.slice(0, mostProblems).map((whole) => {
    const key = whole.slice(0, longestName)
    return { argument: nameOf([...path, key], given), problem: `is no argument here; ${placeOf(key, here, schema)}` }
  })
}

/** Where an unknown argument goes, or what it is probably called. */
function placeOf (name: string, here: JsonObject, schema: InputSchema): string {
  const members = schema.propertiesOf(here)
  const known = Object.keys(members)
  if (known.length === 0) return 'there are none'
  const inside = known.filter((member) => Object.hasOwn(schema.propertiesOf(schema.resolve(members[member])), name))
  const required = inside.filter((member) => Array.isArray(here['required']) && here['required'].includes(member))
  const places = required.length > 0 ? required : inside
  if (places.length > 0) return `it goes inside ${places.join(' or ')}`
  if (here !== schema.root && Object.hasOwn(schema.propertiesOf(schema.root), name)) return 'it goes outside, beside the other arguments'
  const nearest = nearestName(name, known)
  return nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`
}

/** The schema of what a path leads to; an empty one where it leads nowhere. */
function schemaAt ({ root, resolve, propertiesOf }: InputSchema, path: Path): JsonObject {
  return path.map(String).reduce((schema, member) => {
    const members = propertiesOf(schema)
    // What is no member of its own is one of a list, or stands under a name of the caller's choosing.
    return resolve(Object.hasOwn(members, member) ? members[member] : schema['items'] ?? schema['additionalProperties'])
  }, root)
}

/** A path as the caller wrote it: what came as an object and was read as a list has its own names. */
function nameOf (path: Path, given: JsonObject): string {
  let value: unknown = given
  const names = path.map((member) => {
    const name = typeof member === 'number' && isObject(value) ? Object.keys(value)[member] ?? String(member) : String(member)
    value = Array.isArray(value) ? value[Number(name)] : isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
    return name
  })
  return names.join('.').slice(0, longestPath) || wholeArguments
}

function wordsFor (expected: string): string {
  switch (expected) {
    case 'string': return 'text'
    case 'number': return 'a number'
    case 'int': return 'a whole number'
    case 'boolean': return 'true or false'
    case 'object':
    case 'record': return 'an object'
    case 'array': return 'a list'
    default: return expected
  }
}

function kindOf (value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string': return 'text'
    case 'number': return Number.isInteger(value) ? 'a number' : `the number ${value}`
    case 'boolean': return `${value}`
    case 'object': return 'an object'
    default: return 'that'
  }
}

function withoutFullStop (sentence: string): string {
  return sentence.replace(/\.$/, '')
}
