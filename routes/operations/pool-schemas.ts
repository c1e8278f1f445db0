/**
 * The shapes of `pool-shapes.ts` as JSON schemas: for the document, and for what is sent. Each
 * stands in the document once; routes refer to it.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { namedShapes } from './pool-shapes.ts'

export const count = { type: 'integer', minimum: 0 } as const

export const leaseSchema = { $ref: 'Lease#' } as const
export const deviceSchema = { $ref: 'Device#' } as const
export const waitingSchema = { $ref: 'WaitingRequest#' } as const
export const auditSchema = { $ref: 'AuditEntry#' } as const
export const refusalSchema = { $ref: 'Refusal#' } as const

const { schemas } = z.toJSONSchema(namedShapes, {
  target: 'draft-7',
  io: 'input',
  uri: (id) => `${id}#`,
  override ({ jsonSchema }) {
    delete jsonSchema.$schema
    delete jsonSchema.readOnly
    // The format says it, and readers need not.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  }
})

/** Makes them known where routes refer to them. */
export function addPoolSchemas (fastify: FastifyInstance): void {
  for (const [id, schema] of Object.entries(schemas)) fastify.addSchema({ ...schema, $id: id })
}
