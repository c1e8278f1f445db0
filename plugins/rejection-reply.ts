import type { FastifyReply } from 'fastify'
import type {} from './envelope.ts'
import { encodeError } from '../src/protocol/encode.ts'
import type { Rejection, RequestId } from '../src/protocol/rejection.ts'

/** Answers with a protocol rejection under its own HTTP status. */
export function sendRejection (reply: FastifyReply, rejection: Rejection, id: RequestId | undefined): void {
  reply.request.rejection = rejection
  reply.code(rejection.status).type('application/json; charset=utf-8').send(encodeError(id, rejection))
}
