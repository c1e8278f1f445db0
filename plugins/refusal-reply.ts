import type { FastifyReply } from 'fastify'
import { httpStatusOf } from '../src/protocol/error-table.ts'
import type { Refusal } from '../src/refusals/refusal.ts'
import { sendHttpError } from './http-error.ts'

/**
 * Answers with a refusal as plain JSON: outside MCP, its message is the member `error`.
 * `nextAction` stands in for one that speaks of tools.
 */
export function sendRefusal (reply: FastifyReply, refusal: Refusal, nextAction = refusal.nextAction): FastifyReply {
  const { message, ...facts } = refusal.toJSON()
  if (refusal.retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfterMs / 1_000))
  return sendHttpError(reply, httpStatusOf(refusal), { error: message, ...facts, nextAction })
}
