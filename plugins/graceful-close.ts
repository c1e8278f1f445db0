import fp from 'fastify-plugin'
import type {} from './admission.ts'
import type {} from './mooring.ts'
import type {} from './places.ts'
import type { Cancel, Scheduler } from '../src/runtime/scheduler.ts'

export interface GracefulCloseOptions {
  /** How long running calls may take to end by themselves; then they are aborted. */
  readonly graceMs: number
  readonly scheduler: Scheduler
}

/** What an aborted call gets to notice, undo and answer. */
const abortedMs = 1_000

/**
 * The order in which an ingress closes: nothing new is admitted, its listen streams end, what runs
 * may end, what still runs then is aborted and may say so to its caller. Only afterwards do its
 * connections close. What came through another ingress goes on, and so does the engine.
 */
export default fp<GracefulCloseOptions>(async function gracefulClose (fastify, { graceMs, scheduler }) {
  const { server: via, mooring: { listenStreams, mcp } } = fastify

  fastify.addHook('preClose', async () => {
    fastify.admission.drain()
    await listenStreams.end(via)
    await doneOrAfter(graceMs, fastify.places.idle())
    mcp.running.abortAll(via)
    // A call that waits in a queue is not in flight, and is told all the same.
    await doneOrAfter(abortedMs, Promise.all([fastify.places.idle(), mcp.running.idle(via)]))
  })

  async function doneOrAfter (limitMs: number, done: Promise<unknown>): Promise<void> {
    let cancel: Cancel = () => {}
    const timeIsUp = new Promise<void>((resolve) => { cancel = scheduler.after(limitMs, resolve) })
    await Promise.race([done, timeIsUp])
    cancel()
  }
}, { name: 'graceful-close', fastify: '5.x', dependencies: ['admission', 'mooring', 'places'] })
