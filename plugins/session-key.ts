import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Incoming } from '../src/protocol/envelope.ts'
import { readSessionKeyHeader } from '../src/protocol/session-key.ts'
import type { Era } from '../src/protocol/versions.ts'
import type {} from './envelope.ts'
import { sendRejection } from './rejection-reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The hash of the session key in a header; `null` where no header names one. */
    sessionKey: string | null
  }
}

/** Reads the session key of a request from its headers (POOL-04). Nothing else of the request matters here. */
export default fp(async function sessionKey (fastify) {
  fastify.decorateRequest('sessionKey', null)

  fastify.addHook('preHandler', (request, reply, done) => {
    const { incoming } = request
    // What else wants no answer belongs to no lease; a cancellation reaches the requests of its key (LEGACY-13).
    if (incoming?.kind !== 'request' && incoming?.kind !== 'batch' && !isCancellation(incoming)) {
      done()
      return
    }
    // Only old clients send batches, and cancel by name.
    const era: Era = incoming.kind === 'request' ? incoming.envelope.era : 'legacy'
    const read = readSessionKeyHeader(request.headers, era)
    if (!read.ok) {
      sendRejection(reply, read.rejection, incoming.kind === 'request' ? incoming.envelope.id : undefined)
      return
    }
    if (read.key !== undefined) request.sessionKey = read.key
    done()
  })
}, { name: 'session-key', fastify: '5.x', dependencies: ['envelope'] })

function isCancellation (incoming: FastifyRequest['incoming']): incoming is Extract<Incoming, { kind: 'notification' }> {
  return incoming?.kind === 'notification' && incoming.era === 'legacy' && incoming.method === 'notifications/cancelled'
}
