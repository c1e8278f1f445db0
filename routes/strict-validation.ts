import { Ajv } from 'ajv'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'

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
  return httpPart === 'body' ? strict.compile(schema) : withPlainNumbers(schema)
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
    validate.errors = (check.errors ?? []).map(({ keyword, instancePath, schemaPath, params, message }) => ({
      keyword, instancePath, schemaPath, params, ...(message === undefined ? {} : { message })
    }))
    return isValid
  }

  validate.errors = [] as FastifySchemaValidationError[]
  return validate
}
