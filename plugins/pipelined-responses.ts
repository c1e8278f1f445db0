import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'

/** No client that is known sends more than a few requests before it has an answer. */
const maxWaiting = 64

/**
 * Closes the responses that wait behind another one when their connection closes.
 *
 * A client may send its next request before it has the answer to the last. Node answers in
 * order, so a later response has no socket yet; when the connection closes meanwhile, Node
 * forgets that response without a word. Code that waits for its `close`, to count it out or to
 * stop its work, would wait for ever.
 *
 * A client that has too many of them waiting is cut off: it is not one that waits for answers.
 */
export default fp(async function pipelinedResponses (fastify) {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>()

  fastify.addHook('onRequest', (request, reply, done) => {
    if (reply.raw.socket === null && track(request.raw.socket, reply.raw) > maxWaiting) {
      reply.hijack()
      if (request.raw.socket.destroyed) return
      request.log.info({ waiting: maxWaiting }, 'a connection is closed, because too many requests wait on it')
      request.raw.socket.destroy()
      return
    }
    done()
  })

  /** @returns how many responses wait on the connection now */
  function track (socket: Socket, response: ServerResponse): number {
    const responses = waiting.get(socket) ?? watch(socket)
    responses.add(response)
    response.once('close', () => responses.delete(response))
    return responses.size
  }

  function watch (socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>()
    waiting.set(socket, responses)
    socket.once('close', () => {
      for (const response of responses) {
        if (response.socket !== null) continue
        response.destroy()
        // As Node marks the response that had the socket: code that waits for it from now on asks for the mark.
        Object.assign(response, { _closed: true })
        response.emit('close')
      }
    })
    return responses
  }
}, { name: 'pipelined-responses', fastify: '5.x' })
