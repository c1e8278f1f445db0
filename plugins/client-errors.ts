/**
 * What Node itself refuses, because it cannot read it as a request or does not get all of it in
 * time: no plugin sees that. It is answered in the same form as every other refusal of the ingress.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { HttpError } from './http-error.ts'

interface ClientError {
  readonly status: number
  readonly body: HttpError
}

const unreadable: ClientError = {
  status: 400,
  body: { error: 'Bad request', nextAction: 'Send a request as HTTP/1.1 has it; this one could not be read.' }
}
const byCode: ReadonlyMap<string, ClientError> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', {
    status: 408, body: { error: 'Request timeout', nextAction: 'Send the whole request at once; it took too long to arrive.' }
  }],
  ['HPE_HEADER_OVERFLOW', {
    status: 431, body: { error: 'Request headers too large', nextAction: 'Send fewer or shorter headers; all together may have 65536 bytes.' }
  }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', {
    status: 413, body: { error: 'Request body too large', nextAction: 'Send chunks without extensions, or declare the length of the body.' }
  }]
])

/** For the option `clientErrorHandler` of Fastify. The connection always ends: what follows on it has no beginning. */
export function answerClientError (error: Error & { readonly code?: string }, socket: Socket, log: FastifyBaseLogger): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const { status, body } = byCode.get(error.code ?? '') ?? unreadable
  log.info({ status, reason: error.code }, 'request refused')
  if (socket.writable && !isAnswering(socket)) socket.write(answerText(status, JSON.stringify(body)))
  socket.destroy(error)
}

function answerText (status: number, body: string): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body
  ].join('\r\n')
}

/** Whether the answer to an earlier request is under way: another one in its middle would be taken for a part of it. */
function isAnswering (socket: Socket): boolean {
  // Node's own name for the response that has the socket; its own answer to such an error looks at it too.
  const { _httpMessage: response } = socket as Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }
  return response?.headersSent === true
}
