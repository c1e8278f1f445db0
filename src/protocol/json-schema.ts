/**
 * Values checked against a JSON Schema 2020-12 that was written by hand or that another server
 * sent (SCHEMA-01…04).
 *
 * A schema is compiled once. One that cannot be trusted to mean what it says is not compiled at
 * all: another dialect, a reference that leads out of it (nothing is ever fetched), or a size
 * beyond the bounds. Checking a value is bounded in time, since a pattern or a web of
 * references can make any value expensive. `format` is an annotation here, as the dialect has it.
 *
 * Ajv does the checking. It compiles a schema into code, keeps up with the dialect's official
 * test suite, and Fastify brings it along; each schema gets an instance of its own, so that
 * `$id` and `$anchor` of one can never answer a reference of another.
 */
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { JsonObject } from './message.ts'

/** One thing that is wrong with a value, for a model to put right. */
export interface SchemaProblem {
  /** Where: property names and indexes from the root, joined by dots; empty for the value itself. */
  readonly path: string
  readonly problem: string
}

/** @returns what is wrong with a value; empty when it fits, and never more than a reader needs */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[]

const dialect = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/
const maxDepth = 64
const maxParts = 10_000
/** The time is the wall's, and the machine may have been busy with something else: hence a second try. */
const checkLimitsMs = [50, 500]
const maxProblems = 10
const maxShownCharacters = 200

const options = {
  // Unknown keywords are annotations; but `1e999` is no number, and what an object inherits is none of its properties.
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  allErrors: true,
  validateFormats: false,
  logger: false
} as const
const schemasOfSchemas = new Ajv2020(options)

/**
 * @param name of the schema, for the message
 * @throws {Error} when the schema is not one to check values by
 */
export function compileSchema (schema: JsonObject, name: string): SchemaCheck {
  const refuse = (reason: string): never => { throw new Error(`${name} ${reason}`) }
  const { $schema, ...keywords } = schema
  if ($schema !== undefined && !(typeof $schema === 'string' && dialect.test($schema))) refuse('is not in the dialect 2020-12 of JSON Schema')
  if (exceedsBounds(schema)) refuse(`has more than ${maxDepth} levels or ${maxParts} parts`)
  if (schemasOfSchemas.validateSchema(keywords) !== true) {
    refuse(`is no valid JSON Schema: ${problemsOf(schemasOfSchemas.errors).map(({ path, problem }) => `${path} ${problem}`).join('; ')}`)
  }
  // Ajv's own keyword would make every check a promise, which is always truthy.
  if ('$async' in keywords) refuse('uses $async, which is no keyword of JSON Schema')

  const validate = compile(keywords, refuse)
  return (value) => {
    for (const limitMs of checkLimitsMs) {
      const fits = runWithin(limitMs, () => validate(value))
      if (fits !== undefined) return fits === true ? [] : problemsOf(validate.errors)
    }
    return [{ path: '', problem: 'takes too long to check; send a smaller or simpler value' }]
  }
}

function compile (schema: JsonObject, refuse: (reason: string) => never): ReturnType<Ajv2020['compile']> {
  try {
    return new Ajv2020({ ...options, validateSchema: false }).compile(schema)
  } catch (error) {
    const reference = error instanceof Error && 'missingRef' in error ? String(error.missingRef) : undefined
    return refuse(reference === undefined
      ? `cannot be compiled: ${String(error)}`
      : `refers to ${JSON.stringify(reference)}, which is not part of it; references are never fetched`)
  }
}

function exceedsBounds (schema: unknown): boolean {
  let parts = 0
  function exceeds (value: unknown, depth: number): boolean {
    if (typeof value !== 'object' || value === null) return false
    return depth > maxDepth || ++parts > maxParts || Object.values(value).some((part) => exceeds(part, depth + 1))
  }
  return exceeds(schema, 1)
}

// Only the engine itself can stop a regular expression, and it does so for scripts alone.
const work: { run: () => unknown } = { run: () => undefined }
const context = createContext(work)
const script = new Script('run()')

/** @returns what `check` returned, or `undefined` when it took too long or ran in circles */
function runWithin (timeout: number, check: () => unknown): unknown {
  work.run = check
  try {
    return script.runInContext(context, { timeout })
  } catch (error) {
    // Raised inside the context, so it is no `Error` of ours.
    if (isNativeError(error) && (error.name === 'RangeError' || ('code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'))) return undefined
    throw error
  } finally {
    work.run = () => undefined
  }
}

/** A value may miss a schema a million times: what is described is found first, and no more than that. */
function problemsOf (errors: readonly ErrorObject[] | null | undefined): readonly SchemaProblem[] {
  const all = errors ?? []
  // There are no more of these than the schema has parts, however often a value misses them.
  const choices = new Set(all.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf').map(({ schemaPath }) => schemaPath))
  const found: ErrorObject[] = []
  for (const error of all) {
    if (found.length >= maxProblems) break
    // The branch of an `if` that failed has said why, and so does a choice for its alternatives.
    if (error.keyword !== 'if' && !isWithin(choices, error.schemaPath)) found.push(error)
  }
  return found.map((error) => describe(error, all))
}

/** Whether a path of a schema leads through one of these. */
function isWithin (paths: ReadonlySet<string>, schemaPath: string): boolean {
  if (paths.size === 0) return false
  for (let slash = schemaPath.lastIndexOf('/'); slash > 0; slash = schemaPath.lastIndexOf('/', slash - 1)) {
    if (paths.has(schemaPath.slice(0, slash))) return true
  }
  return false
}

function describe (error: ErrorObject, all: readonly ErrorObject[]): SchemaProblem {
  const { keyword, params, message = 'does not fit' } = error
  const path = error.instancePath.split('/').slice(1).map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const at = (problem: string, ...names: readonly unknown[]): SchemaProblem => ({ path: [...path, ...names].join('.'), problem })
  switch (keyword) {
    case 'required': return at('is missing', params['missingProperty'])
    case 'dependentRequired': return at(`is missing, and ${String(params['property'])} needs it`, params['missingProperty'])
    case 'additionalProperties': return at('is not known', params['additionalProperty'])
    case 'unevaluatedProperties': return at('is not known', params['unevaluatedProperty'])
    case 'enum': return at(`must be one of ${shown(params['allowedValues']).slice(1, -1)}`)
    case 'const': return at(`must be ${shown(params['allowedValue'])}`)
    case 'anyOf': return at(`must fit at least one alternative${alternatives(error, all)}`)
    case 'oneOf': return at(`must fit exactly one alternative${alternatives(error, all)}`)
    case 'false schema': return at('is not allowed here')
    default: return at(message.slice(0, maxShownCharacters))
  }
}

/** What each alternative missed, e.g. ": phone is missing, or email is missing". */
function alternatives ({ schemaPath }: ErrorObject, all: readonly ErrorObject[]): string {
  const found: ErrorObject[] = []
  for (const error of all) {
    if (found.length >= maxProblems) break
    if (error.schemaPath.startsWith(`${schemaPath}/`) && error.keyword !== 'anyOf' && error.keyword !== 'oneOf') found.push(error)
  }
  const missed = found
    .map((error) => describe(error, []))
    .map(({ path, problem }) => path === '' ? problem : `${path} ${problem}`)
  return missed.length === 0 ? '' : `: ${missed.join(', or ')}`
}

function shown (value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= maxShownCharacters ? text : `${text.slice(0, maxShownCharacters)}…`
}
