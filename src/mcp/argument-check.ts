/**
 * What decides whether the arguments of a call fit its tool, made once per tool.
 *
 * Our own tools describe their input in zod, which also reads it, after what frameworks make of
 * arguments has been undone (`lenient-arguments.ts`). A tool with a JSON Schema gets its arguments exactly as they were sent, because
 * the author of the schema counts on that.
 */
import { z } from 'zod'
import { compileSchema } from '../protocol/json-schema.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { hasHalf, wellFormed } from '../text/well-formed.ts'
import { argumentProblems, describableIssues, type ArgumentProblem } from './argument-problems.ts'
import { readInputSchema } from './input-schema.ts'
import { lenientFor } from './lenient-arguments.ts'
import { publishableSchema } from './publishable-schema.ts'

export type ReadArguments =
  | { readonly ok: true, readonly input: JsonObject }
  | { readonly ok: false, readonly problems: readonly ArgumentProblem[] }

export interface ArgumentCheck {
  /** The input as `tools/list` publishes it: JSON Schema 2020-12 (SCHEMA-01, SCHEMA-05). */
  readonly inputSchema: JsonObject
  read (given: JsonObject): ReadArguments
}

/** No tool of ours needs a hundred; zod collects every misfit, and a body has room for millions. */
const maxValues = 10_000
const maxProblems = 10
const maxProblemCharacters = 500

const tooManyValues = misfit([{ path: '', problem: `they hold more than ${maxValues} values` }])

export function zodCheck (input: z.ZodObject): ArgumentCheck {
  const whole = jsonSchemaOf(input)
  const schema = readInputSchema(whole)
  const lenient = lenientFor(schema)
  return {
    inputSchema: publishableSchema(whole),
    read (given) {
      if (!holdsAtMost(maxValues, given)) return tooManyValues
      const wanted = lenient(given)
      // Text that was read as an object may hold more than it seemed to.
      if (wanted !== given && !holdsAtMost(maxValues, wanted)) return tooManyValues
      const torn = pathToHalf(wanted)
      if (torn !== undefined) return misfit([{ path: torn.join('.'), problem: 'has half of a character: one unit of a surrogate pair without the other' }])
      const read = input.safeParse(wanted, describableIssues)
      return read.success ? { ok: true, input: read.data } : { ok: false, problems: argumentProblems(read.error, wanted, schema) }
    }
  }
}

/**
 * @param tool names the tool in the message
 * @throws {Error} when the schema is not one for arguments (SCHEMA-01…04)
 */
export function schemaCheck (inputSchema: JsonObject, tool: string): ArgumentCheck {
  if (inputSchema['type'] !== 'object') throw new Error(`tool ${tool}: the root of its inputSchema must be of type "object"`)
  const check = compileSchema(inputSchema, `tool ${tool}: its inputSchema`)
  return {
    inputSchema,
    read (given) {
      const problems = check(given)
      return problems.length === 0 ? { ok: true, input: given } : misfit(problems)
    }
  }
}

function misfit (problems: ReadonlyArray<{ readonly path: string, readonly problem: string }>): ReadArguments {
  return {
    ok: false,
    problems: problems.slice(0, maxProblems).map(({ path, problem }) => ({
      argument: path === '' ? '(arguments)' : path.slice(0, maxProblemCharacters), problem: problem.slice(0, maxProblemCharacters)
    }))
  }
}

function holdsAtMost (limit: number, value: unknown): boolean {
  let left = limit
  function fits (value: unknown): boolean {
    if (--left < 0) return false
    // Not Object.values: it would list a million members before the first is counted.
    if (Array.isArray(value)) return value.length <= left && value.every(fits)
    if (typeof value !== 'object' || value === null) return true
    for (const name in value) {
      if (!fits((value as JsonObject)[name])) return false
    }
    return true
  }
  return fits(value)
}

/** Where a text stands, or a name, that no other program can read; undefined where there is none. */
function pathToHalf (value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return hasHalf(value) ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const path = hasHalf(name) ? [] : pathToHalf(member)
    if (path !== undefined) return [wellFormed(name), ...path]
  }
  return undefined
}

/** All that can be said of the input in JSON Schema 2020-12 (SCHEMA-01, SCHEMA-04). */
function jsonSchemaOf (input: z.ZodType): JsonObject {
  const schema: unknown = z.toJSONSchema(input, { target: 'draft-2020-12', io: 'input' })
  if (!isObject(schema)) throw new Error('an input schema is an object')
  return schema
}
