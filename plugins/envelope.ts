import fp from 'fastify-plugin'
import { readIncoming, type Incoming } from '../src/protocol/envelope.ts'
import { headerText } from '../src/protocol/request-headers.ts'
import { sendRejection } from './rejection-reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the body asks for; `null` until it has been read. */
    incoming: Exclude<Incoming, { kind: 'rejected' }> | null
  }
}

/** Decides the era of the body and opens its envelope (VAL-06…08). Sets `request.incoming`. */
export default fp(async function envelope (fastify) {
  fastify.decorateRequest('incoming', null)
  fastify.decorateRequest('rejection', null)

  fastify.addHook('preHandler', (request, reply, done) => {
    const incoming = readIncoming(request.body, headerText(request.headers, 'mcp-protocol-version'))
    if (incoming.kind === 'rejected') {
      sendRejection(reply, incoming.rejection, incoming.id)
      return
    }
    request.incoming = incoming
    done()
  })
}, { name: 'envelope', fastify: '5.x', dependencies: ['json-body'] })
