import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../src/mcp/exchange/channel.ts'
import type { FramedResult } from '../src/protocol/encode.ts'

const jsonType = 'application/json; charset=utf-8'

/** Answers with one JSON-RPC message. */
export function sendAnswer (reply: FastifyReply, { status, retryAfterMs, message, sessionId }: Answer): void {
  if (retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(retryAfterMs / 1_000))
  if (sessionId !== undefined) reply.header('mcp-session-id', sessionId)
  reply.code(status).type(jsonType)
  if (typeof message === 'string') reply.send(message)
  else sendPieces(reply, message)
}

/**
 * Fastify sends a body that is in one piece, or a stream, which costs more than joining would.
 * So the pieces of a list go to Node directly; corked, they leave in one system call.
 */
function sendPieces (reply: FastifyReply, { head, bytes, tail, byteLength }: FramedResult): void {
  // What hooks have set goes out too. The type has room for undefined values, of which there are none.
  const headers = reply.header('content-length', byteLength).getHeaders() as OutgoingHttpHeaders
  const { raw, statusCode } = reply.hijack()
  if (raw.destroyed) return
  raw.writeHead(statusCode, headers)
  raw.cork()
  raw.write(head)
  raw.write(bytes)
  raw.end(tail)
}
