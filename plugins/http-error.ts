import type { FastifyReply } from 'fastify'

/**
 * The body of a refusal outside MCP: what is wrong, and what the reader can do. The stable part
 * is `code`, and where there is none `error`; the bodies of the ingress and of heartbeats
 * consist of that alone.
 */
export interface HttpError {
  readonly error: string
  readonly code?: string
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  readonly nextAction?: string
  /** What else a refusal tells. */
  readonly [detail: string]: unknown
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

export const unsupportedEncoding: HttpError = {
  error: 'Unsupported content encoding', nextAction: 'Send the body as it is, without Content-Encoding.'
}

export const unsupportedTransfer: HttpError = {
  error: 'Unsupported transfer encoding', nextAction: 'Send the body with Transfer-Encoding: chunked alone, or with its Content-Length.'
}

export const invalidJson: HttpError = {
  error: 'Invalid JSON', code: 'invalid_json', retryable: false, nextAction: 'Send one JSON object in UTF-8, and declare its length.'
}

/** Whether the length was declared or counted. */
export function tooLarge (limitBytes: number): HttpError {
  return { error: 'Request body too large', nextAction: `Send at most ${limitBytes} bytes.` }
}
