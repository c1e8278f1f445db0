import type { FastifyRequest } from 'fastify'
import type {} from '../../plugins/bearer-auth.ts'

/** The principal that gives an order. */
export function operator ({ principal }: Pick<FastifyRequest, 'principal'>): string {
  if (principal === null) throw new Error('the ingress let a request without a principal through')
  return principal.key
}
