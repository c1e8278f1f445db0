import type { FastifyRequest } from 'fastify'

/** The path of a request, without its query. */
export function pathOf ({ url }: Pick<FastifyRequest, 'url'>): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}
