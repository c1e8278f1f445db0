import type { FastifyReply } from 'fastify'

/** An honest client that is refused finishes sending its body; a longer one is cut off instead. */
export const maxDiscardedBytes = 64 * 1024 * 1024

/**
 * Refuses a request of which nothing is known yet, and ends its connection with the answer: a
 * client that could send the next request behind it would be refused for as long as it likes.
 *
 * `send` is called when the rest of the body has arrived and been thrown away. A connection that is
 * closed on bytes that were not read is reset, and its client would never see why.
 */
export function refuseConnection (reply: FastifyReply, send: () => unknown): void {
  const { raw, headers } = reply.request
  reply.header('connection', 'close')
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 1
  if (raw.complete || length === 0 || length > maxDiscardedBytes) {
    send()
    return
  }
  // It never comes when the client leaves; then no answer is wanted either.
  raw.once('end', send)
  raw.resume()
}
