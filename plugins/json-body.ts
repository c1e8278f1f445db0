import fp from 'fastify-plugin'
import { parseJsonBody } from '../src/protocol/json-body.ts'
import { isObject, readMessage } from '../src/protocol/message.ts'
import type { RequestId } from '../src/protocol/rejection.ts'
import { sendRejection } from './rejection-reply.ts'

/** Parses the body once (VAL-05): from here on `request.body` is a JSON value. */
export default fp(async function jsonBody (fastify) {
  fastify.addHook('preHandler', (request, reply, done) => {
    const parsed = parseJsonBody(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    if (!parsed.ok) {
      sendRejection(reply, parsed.rejection, isObject(parsed.value) ? readableId(parsed.value) : undefined)
      return
    }
    request.body = parsed.value
    done()
  })
}, { name: 'json-body', fastify: '5.x', dependencies: ['body'] })

function readableId (value: unknown): RequestId | undefined {
  const message = readMessage(value)
  return message.kind === 'notification' ? undefined : message.id
}
