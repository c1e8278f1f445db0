import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import { nearestName } from '../src/refusals/nearest-name.ts'

const strict = new Ajv()
// What comes in a path or a query is text, whatever it means.
const fromText = new Ajv({ useDefaults: true, coerceTypes: true })

interface TextSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
}

/**
 * Takes requests as they are: where Fastify would drop members that it does not know, and make
 * a text of a number, an operator who mistypes `deadlineMs` must be told.
 */
export const strictValidation: FastifySchemaCompiler<TextSchema> = ({ schema, httpPart }) => {
  return httpPart === 'body' ? withNamedMembers(schema) : withPlainNumbers(schema)
}

/** Checks a body, and names a member that is misspelt instead of only the one that is missing for it. */
function withNamedMembers (schema: TextSchema): ReturnType<FastifySchemaCompiler<TextSchema>> {
  const check = strict.compile(schema)

  function validate (data: unknown): boolean {
    const isValid = check(data)
    validate.errors = (check.errors ?? []).flatMap((error) => explained(error, schema, data))
    return isValid
  }

  validate.errors = [] as FastifySchemaValidationError[]
  return validate
}

const mostMembersLookedAt = 64

/** The check stops at its first fault, which of a misspelt member is that the right one is missing. */
function explained (error: ErrorObject, { properties = {} }: TextSchema, data: unknown): FastifySchemaValidationError[] {
  const known = Object.keys(properties)
  const isAtRoot = error.instancePath === '' && typeof data === 'object' && data !== null
  const surplus = error.keyword === 'required' && isAtRoot
    ? Object.keys(data).slice(0, mostMembersLookedAt).filter((name) => !known.includes(name))
    : []
  const misspelt = surplus.flatMap((name) => {
    const nearest = nearestName(name.slice(0, 64), known)
    return nearest === undefined ? [] : [{ ...plain(error), params: { additionalProperty: name, nearest } }]
  })
  return [named(error, known), ...misspelt]
}

function named (error: ErrorObject, known: readonly string[]): FastifySchemaValidationError {
  const { additionalProperty } = error.params
  if (typeof additionalProperty !== 'string') return plain(error)
  return { ...plain(error), params: { additionalProperty, nearest: nearestName(additionalProperty.slice(0, 64), known) } }
}

function plain ({ keyword, instancePath, schemaPath, params, message }: ErrorObject): FastifySchemaValidationError {
  return { keyword, instancePath, schemaPath, params, ...(message === undefined ? {} : { message }) }
}

/**
 * A number in a query is digits and nothing else. Ajv would read whatever JavaScript reads as a
 * number: an empty text, `0x10`, and hundreds of digits as infinity, which passes every bound.
 */
function withPlainNumbers (schema: TextSchema): ReturnType<FastifySchemaCompiler<TextSchema>> {
  const numbers = Object.entries(schema.properties ?? {}).flatMap(([name, { type }]) => type === 'integer' ? [name] : [])
  const check = fromText.compile(schema)

  function validate (data: Readonly<Record<string, unknown>>): boolean {
    const wrong = numbers.find((name) => data[name] !== undefined && !/^-?\d{1,16}$/.test(String(data[name])))
    if (wrong !== undefined) {
      validate.errors = [{ keyword: 'type', instancePath: `/${wrong}`, schemaPath: '', params: {}, message: 'must be a whole number' }]
      return false
    }
    const isValid = check(data)
    validate.errors = (check.errors ?? []).map((error) => named(error, Object.keys(schema.properties ?? {})))
    return isValid
  }

  validate.errors = [] as FastifySchemaValidationError[]
  return validate
}
