import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { acceptsBothForms, isJsonContentType } from '../src/protocol/media-types.ts'
import { sendHttpError, tooLarge, unsupportedType } from './http-error.ts'
import { maxDiscardedBytes } from './refuse-connection.ts'

export interface BodyOptions {
  readonly limitBytes: number
  /** Whether the answer can be an event stream, which its caller then has to accept. */
  readonly mayStream: boolean
}

/**
 * What a POST may bring and must accept in return (VAL-04, HTTP-03, HTTP-04, HTTP-19), in the
 * order size, type, `Accept`. Bodies stay bytes here; their meaning is the envelope's.
 */
export default fp<BodyOptions>(async function body (fastify, { limitBytes, mayStream }) {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    'application/json', { parseAs: 'buffer', bodyLimit: limitBytes }, (_request: FastifyRequest, bytes: Buffer, done) => done(null, bytes)
  )

  fastify.addHook('onRequest', (request, reply, done) => {
    const length = Number(request.headers['content-length'] ?? 0)
    if (length > limitBytes) {
      if (length > maxDiscardedBytes) reply.header('connection', 'close')
      sendHttpError(reply, 413, tooLarge(limitBytes))
      return
    }
    if (!isJsonContentType(request.headers['content-type'])) {
      sendHttpError(reply, 415, unsupportedType)
      return
    }
    if (mayStream && !acceptsBothForms(request.headers.accept)) {
      sendHttpError(reply, 406, {
        error: 'Not acceptable', nextAction: 'Send Accept: application/json, text/event-stream; either form can be the answer.'
      })
      return
    }
    done()
  })
}, { name: 'body', fastify: '5.x', dependencies: ['places'] })
