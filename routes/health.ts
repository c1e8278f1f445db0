import type { FastifyPluginAsync } from 'fastify'
import type {} from '../plugins/admission.ts'
import type {} from '../plugins/mooring.ts'

const health = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { type: 'string', enum: ['ok', 'unready'] },
    reason: { type: 'string', description: 'Why requests would be refused now.' }
  }
} as const

/**
 * Liveness and readiness, for whatever restarts or routes around a server: `/livez` says that
 * the process answers, `/readyz` that it would serve a request now, and that a grant could be recorded.
 */
const healthRoutes: FastifyPluginAsync = async function healthRoutes (fastify) {
  fastify.get('/livez', {
    schema: { operationId: 'livez', summary: 'Whether the process answers', tags: ['health'], response: { 200: { description: 'It does.', ...health } } }
  }, async () => ({ status: 'ok' }))

  fastify.get('/readyz', {
    schema: {
      operationId: 'readyz',
      summary: 'Whether requests are served now',
      tags: ['health'],
      response: {
        200: { description: 'They are.', ...health },
        503: { description: 'They are not, with the reason.', ...health }
      }
    }
  }, async (_request, reply) => {
    const reason = await unreadyReason()
    if (reason === undefined) return { status: 'ok' }
    // A failed start-up does not pass by itself.
    if (fastify.admission.state !== 'failed') reply.header('retry-after', fastify.admission.state === 'open' ? '5' : '1')
    return await reply.code(503).send({ status: 'unready', reason })
  })

  async function unreadyReason (): Promise<string | undefined> {
    switch (fastify.admission.state) {
      case 'starting': return 'The server is still starting.'
      case 'failed': return 'The start-up failed; the log says why.'
      case 'draining': return 'The server is shutting down.'
      case 'open': return (await fastify.mooring.store.health()).problem
    }
  }
}

export default healthRoutes
