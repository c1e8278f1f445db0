import type { FastifyReply } from 'fastify'
import { encodeError } from '../src/protocol/encode.ts'
import type { Rejection, RequestId } from '../src/protocol/rejection.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request was refused before its work began; `null` if it was not. The envelope plugin declares the slot. */
    rejection: Rejection | null
  }
}

/** Answers with a protocol rejection under its own HTTP status. */
export function sendRejection (reply: FastifyReply, rejection: Rejection, id: RequestId | undefined): void {
  reply.request.rejection = rejection
  reply.code(rejection.status).type('application/json; charset=utf-8').send(encodeError(id, rejection))
}
