/**
 * Admission: which requests get in while the server starts, and while it stops.
 *
 *   starting  requests wait, their credentials unread, until the start of the engine ends or
 *             `holdMs` is over; only `maxHeldRequests` wait at once
 *   open      requests pass
 *   failed    the engine did not start; everything is answered 503
 *   draining  the server stops; what is inside may finish, everything new is answered 503
 *
 * `starting` moves to `open` or `failed` once, as the engine does; an ingress that is put before a
 * running engine is `open` at once. Anything moves to `draining`, which is final.
 *
 * How many requests are inside at once is bounded by `places`, when it is known whose they are.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Cancel, Scheduler } from '../src/runtime/scheduler.ts'
import { sendHttpError, sendUnavailable, type HttpError } from './http-error.ts'
import type {} from './mooring.ts'
import { pathOf } from './request-path.ts'

export interface Admission {
  readonly state: 'starting' | 'open' | 'failed' | 'draining'
  drain (): void
}

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission
  }
}

export interface AdmissionOptions {
  readonly holdMs: number
  readonly maxHeldRequests: number
  /** Paths that are answered in every state: probes that ask which one it is. */
  readonly openPaths: readonly string[]
  readonly scheduler: Scheduler
}

const stillStarting: HttpError = { error: 'Daemon is still starting' }
const startupFailed: HttpError = { error: 'Daemon startup failed' }
const shuttingDown: HttpError = { error: 'Daemon is shutting down' }

/** Holds requests and turns them away: `fastify.admission`. */
export default fp<AdmissionOptions>(async function admission (fastify, { holdMs, maxHeldRequests, openPaths, scheduler }) {
  const { mooring } = fastify
  let state: Admission['state'] = mooring.state === 'started' ? 'open' : 'starting'
  const held = new Set<() => void>()

  function move (to: Admission['state']): void {
    if (state === 'draining' || state === to) return
    state = to
    for (const decide of [...held]) decide()
  }

  function decide (reply: FastifyReply, admit: () => void): void {
    switch (state) {
      case 'open': admit(); return
      case 'starting': sendUnavailable(reply, stillStarting); return
      // It does not pass by itself, so there is no time after which to come back.
      case 'failed': sendHttpError(reply, 503, startupFailed); return
      case 'draining': sendUnavailable(reply, shuttingDown)
    }
  }

  /** Waits for the start-up to end, the time to run out or the caller to leave. */
  function hold (reply: FastifyReply, admit: () => void): void {
    let cancelTimer: Cancel = () => {}
    const settle = (): void => {
      held.delete(settle)
      cancelTimer()
      reply.raw.off('close', forget)
      decide(reply, admit)
    }
    const forget = (): void => {
      held.delete(settle)
      cancelTimer()
    }
    held.add(settle)
    cancelTimer = scheduler.after(holdMs, settle)
    reply.raw.once('close', forget)
  }

  const isOpen = (request: FastifyRequest): boolean => openPaths.length > 0 && openPaths.includes(pathOf(request))

  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOpen(request)) done()
    else if (state === 'starting' && held.size < maxHeldRequests) hold(reply, done)
    else decide(reply, done)
  })

  // A slow body can outlast the decision of a moment ago.
  fastify.addHook('preHandler', (request, reply, done) => {
    if (state === 'draining' && !isOpen(request)) sendUnavailable(reply, shuttingDown)
    else done()
  })

  fastify.decorate('admission', {
    get state () { return state },
    drain: () => move('draining')
  })

  mooring.settled
    .then((outcome) => move(outcome === 'started' ? 'open' : 'failed'))
    .catch((fault: unknown) => fastify.log.error({ err: fault }, 'admission could not follow the engine'))
}, { name: 'admission', fastify: '5.x', dependencies: ['mooring'] })
