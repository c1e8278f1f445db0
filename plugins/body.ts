import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isJsonContentType } from '../src/protocol/media-types.ts'
import { sendHttpError, tooLarge, unsupportedEncoding, unsupportedTransfer, unsupportedType } from './http-error.ts'
import { maxDiscardedBytes } from './refuse-connection.ts'

export interface BodyOptions {
  readonly limitBytes: number
}

/**
 * What a POST may bring (VAL-04, HTTP-03, HTTP-19), in the order size, transfer coding, type, encoding. Bodies stay
 * bytes here; their meaning is the envelope's.
 */
export default fp<BodyOptions>(async function body (fastify, { limitBytes }) {
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
    const transfer = request.headers['transfer-encoding']
    if (transfer !== undefined && transfer.trim().toLowerCase() !== 'chunked') {
      // RFC 9112 §6.1. Node takes only the last coding away, and would hand on what is still coded.
      sendHttpError(reply, 501, unsupportedTransfer)
      return
    }
    if (!isJsonContentType(request.headers['content-type'])) {
      sendHttpError(reply, 415, unsupportedType)
      return
    }
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
      // RFC 9110 §15.5.16: so that a client can tell it from a type that is not taken.
      sendHttpError(reply.header('accept-encoding', 'identity'), 415, unsupportedEncoding)
      return
    }
    done()
  })
}, { name: 'body', fastify: '5.x', dependencies: ['places'] })
