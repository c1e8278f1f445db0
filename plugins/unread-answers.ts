import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import type { Scheduler } from '../src/runtime/scheduler.ts'

export interface UnreadAnswersOptions {
  /** How long a client may take nothing of what waits for it. */
  readonly limitMs: number
  readonly scheduler: Scheduler
}

/** How long it may go unnoticed that something waits. */
const longestCheckMs = 5_000

/**
 * Closes connections whose clients do not read what is sent to them. An answer keeps its place until
 * it has been handed over, so a client that asks and never reads would keep one for ever.
 *
 * A client that reads slowly stays: Node's own timeout of a socket starts anew whenever something
 * moves. It is set only while something waits, because a connection may be silent for long.
 */
export default fp<UnreadAnswersOptions>(async function unreadAnswers (fastify, { limitMs, scheduler }) {
  const open = new Set<Socket>()

  function check (socket: Socket): void {
    const isLimited = socket.timeout === limitMs
    if (socket.writableLength > 0) {
      if (!isLimited) socket.setTimeout(limitMs)
    } else if (isLimited) {
      // Any other value is Node's, for a connection between two requests.
      socket.setTimeout(0)
    }
  }

  fastify.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  fastify.server.on('timeout', (socket) => {
    const waitingBytes = socket.writableLength
    if (waitingBytes > 0) fastify.log.info({ waitingBytes }, 'a connection is closed, because its client does not read')
    socket.destroy()
  })

  const stop = scheduler.every(Math.min(longestCheckMs, Math.ceil(limitMs / 4)), () => { for (const socket of open) check(socket) })
  fastify.addHook('onClose', async () => stop())
}, { name: 'unread-answers', fastify: '5.x' })
