import type { FastifyReply } from 'fastify'

/**
 * The body of a refusal outside MCP: a short name, and what the reader can do.
 * `error` is the stable part; the four bodies of the ingress consist of it alone.
 */
export interface HttpError {
  readonly error: string
  readonly nextAction?: string
}

/** Answers with a plain JSON error. */
export function sendHttpError (reply: FastifyReply, status: number, body: HttpError): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** 503 for something that passes by itself; clients repeat the request after a second. */
export function sendUnavailable (reply: FastifyReply, body: HttpError): FastifyReply {
  return sendHttpError(reply.header('retry-after', '1'), 503, body)
}

export const unsupportedType: HttpError = { error: 'Unsupported content type', nextAction: 'Send Content-Type: application/json.' }

/** Whether the length was declared or counted. */
export function tooLarge (limitBytes: number): HttpError {
  return { error: 'Request body too large', nextAction: `Send at most ${limitBytes} bytes.` }
}
