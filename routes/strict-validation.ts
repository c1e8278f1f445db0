import { Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

const strict = new Ajv()
// What comes in a path or a query is text, whatever it means.
const fromText = new Ajv({ useDefaults: true, coerceTypes: true })

/**
 * Takes requests as they are: where Fastify would drop members that it does not know, and make
 * a text of a number, an operator who mistypes `deadlineMs` must be told.
 */
export const strictValidation: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  return (httpPart === 'body' ? strict : fromText).compile(schema)
}
