import fp from 'fastify-plugin'
import type { Cancel, Scheduler } from '../src/runtime/scheduler.ts'

export interface GracefulCloseOptions {
  /** How long running calls may take to end by themselves; then they are aborted. */
  readonly graceMs: number
  readonly scheduler: Scheduler
}

/** What an aborted call gets to notice, undo and answer. */
const abortedMs = 1_000

/**
 * The order of a shutdown: nothing new is admitted, listen streams end, what runs may end, what
 * still runs then is aborted and may say so to its caller. Only afterwards do connections,
 * leases and the store close, each by its own owner.
 */
export default fp<GracefulCloseOptions>(async function gracefulClose (fastify, { graceMs, scheduler }) {
  fastify.addHook('preClose', async () => {
    fastify.admission.drain()
    await fastify.listenStreams.end()
    await doneOrAfter(graceMs, fastify.admission.idle())
    fastify.mcp.running.abortAll()
    // A call that waits in a queue is not in flight, and is told all the same.
    await doneOrAfter(abortedMs, Promise.all([fastify.admission.idle(), fastify.mcp.running.idle()]))
  })

  async function doneOrAfter (limitMs: number, done: Promise<unknown>): Promise<void> {
    let cancel: Cancel = () => {}
    const timeIsUp = new Promise<void>((resolve) => { cancel = scheduler.after(limitMs, resolve) })
    await Promise.race([done, timeIsUp])
    cancel()
  }
}, { name: 'graceful-close', fastify: '5.x', dependencies: ['admission', 'events', 'mcp'] })
