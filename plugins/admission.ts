/**
 * Admission: who gets in while the server starts, is full, or stops.
 *
 *   starting  requests wait, their credentials unread, until the start of the engine ends or
 *             `holdMs` is over; only `maxHeldRequests` wait at once
 *   open      requests pass, at most `maxRequestsInFlight` at once; beside calls that wait for
 *             a phone, heartbeats and operators still find a place, of a few kept for them
 *   failed    the engine did not start; everything is answered 503
 *   draining  the server stops; what is inside may finish, everything new is answered 503
 *
 * `starting` moves to `open` or `failed` once, as the engine does; an ingress that is put before a
 * running engine is `open` at once. Anything moves to `draining`, which is final.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Cancel, Scheduler } from '../src/runtime/scheduler.ts'
import { sendHttpError, sendUnavailable, type HttpError } from './http-error.ts'
import type {} from './mooring.ts'
import { pathOf } from './request-path.ts'

export interface Admission {
  readonly state: 'starting' | 'open' | 'failed' | 'draining'
  /** Requests that were admitted and are not answered yet, or still worked on. */
  readonly inFlight: number
  drain (): void
  /** Resolves when nothing is in flight any more. */
  idle (): Promise<void>
}

/** A request's place among those in flight; it is free again when nobody keeps it any more. */
export interface Place {
  /** Work that can outlast the response keeps the place too. */
  keep (): void
  leave (): void
  /**
   * The response keeps it no longer, which it does until it closes: it goes on as an idle stream,
   * with limits of its own. It must not take the place of a request that is worked on, and
   * nobody waits for its end while draining.
   */
  release (): void
}

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission
  }
  interface FastifyRequest {
    /** `null` until the request is admitted. */
    place: Place | null
  }
}

export interface AdmissionOptions {
  readonly holdMs: number
  readonly maxHeldRequests: number
  readonly maxRequestsInFlight: number
  /** Paths that are answered in every state: probes that ask which one it is. */
  readonly openPaths: readonly string[]
  /** Whether what is behind a path answers at once, and must not wait for what does not. */
  readonly isPrompt: (path: string) => boolean
  readonly scheduler: Scheduler
}

/** Only for paths that answer at once. */
const keptPlaces = 64

const stillStarting: HttpError = { error: 'Daemon is still starting' }
const startupFailed: HttpError = { error: 'Daemon startup failed' }
const shuttingDown: HttpError = { error: 'Daemon is shutting down' }
const full: HttpError = { error: 'Too many requests in flight', nextAction: 'Repeat the request after the time in Retry-After.' }

/** Holds, counts and turns away requests: `fastify.admission`. */
export default fp<AdmissionOptions>(async function admission (fastify, options) {
  const { mooring } = fastify
  let state: Admission['state'] = mooring.state === 'started' ? 'open' : 'starting'
  let inFlight = 0
  const held = new Set<() => void>()
  const idleWaiters = new Set<() => void>()

  function move (to: Admission['state']): void {
    if (state === 'draining' || state === to) return
    state = to
    for (const decide of [...held]) decide()
  }

  /** Its first keeper is the response. */
  function take (response: ServerResponse): Place {
    let keepers = 1
    let isResponding = true
    inFlight++

    function leave (): void {
      if (--keepers > 0 || --inFlight > 0) return
      for (const resolve of idleWaiters) resolve()
      idleWaiters.clear()
    }

    function release (): void {
      response.off('close', release)
      if (isResponding) leave()
      isResponding = false
    }

    response.on('close', release)
    return { keep: () => { keepers++ }, leave, release }
  }

  function decide (request: FastifyRequest, reply: FastifyReply, admit: () => void): void {
    switch (state) {
      case 'open':
        if (inFlight >= options.maxRequestsInFlight && !getsKeptPlace(request)) {
          sendHttpError(reply.header('retry-after', '1'), 429, full)
          return
        }
        request.place = take(reply.raw)
        admit()
        return
      case 'starting': sendUnavailable(reply, stillStarting); return
      case 'failed': sendUnavailable(reply, startupFailed); return
      case 'draining': sendUnavailable(reply, shuttingDown)
    }
  }

  function getsKeptPlace (request: FastifyRequest): boolean {
    return inFlight < options.maxRequestsInFlight + keptPlaces && options.isPrompt(pathOf(request))
  }

  /** Waits for the start-up to end, the time to run out or the caller to leave. */
  function hold (request: FastifyRequest, reply: FastifyReply, admit: () => void): void {
    let cancelTimer: Cancel = () => {}
    const settle = (): void => {
      held.delete(settle)
      cancelTimer()
      reply.raw.off('close', forget)
      decide(request, reply, admit)
    }
    const forget = (): void => {
      held.delete(settle)
      cancelTimer()
    }
    held.add(settle)
    cancelTimer = options.scheduler.after(options.holdMs, settle)
    reply.raw.once('close', forget)
  }

  const isOpen = (request: FastifyRequest): boolean => options.openPaths.length > 0 && options.openPaths.includes(pathOf(request))

  fastify.decorateRequest('place', null)

  fastify.addHook('onRequest', (request, reply, done) => {
    if (isOpen(request)) done()
    else if (state === 'starting' && held.size < options.maxHeldRequests) hold(request, reply, done)
    else decide(request, reply, done)
  })

  // A slow body can outlast the decision of a moment ago.
  fastify.addHook('preHandler', (request, reply, done) => {
    if (state === 'draining' && !isOpen(request)) sendUnavailable(reply, shuttingDown)
    else done()
  })

  fastify.decorate('admission', {
    get state () { return state },
    get inFlight () { return inFlight },
    drain: () => move('draining'),
    idle: () => inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.add(resolve))
  })

  mooring.settled
    .then((outcome) => move(outcome === 'started' ? 'open' : 'failed'))
    .catch((fault: unknown) => fastify.log.error({ err: fault }, 'admission could not follow the engine'))
}, { name: 'admission', fastify: '5.x', dependencies: ['mooring'] })
