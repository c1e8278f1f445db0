import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Place } from '../src/mcp/exchange/channel.ts'
import { sendHttpError, type HttpError } from './http-error.ts'
import { pathOf } from './request-path.ts'

/** The places for requests that are worked on. */
export interface Places {
  /** Requests that have a place: they are not answered yet, or still worked on. */
  readonly inFlight: number
  /** Resolves when no place is taken any more. */
  idle (): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    places: Places
  }
  interface FastifyRequest {
    /** `null` until the request has a place. */
    place: Place | null
  }
}

export interface PlacesOptions {
  readonly maxRequestsInFlight: number
  /** Paths that need no place, because they answer without a token. */
  readonly openPaths: readonly string[]
  /** Whether what is behind a path answers at once, and must not wait for what does not. */
  readonly isPrompt: (path: string) => boolean
}

/** Only for paths that answer at once. */
const keptPlaces = 64

const full: HttpError = { error: 'Too many requests in flight', nextAction: 'Repeat the request after the time in Retry-After.' }

/**
 * Gives each request a place, at most `maxRequestsInFlight` of them; beside calls that wait,
 * heartbeats, probes and operators still find one, of a few kept for them: `fastify.places`.
 *
 * It comes after the authentication: a client of which nothing is known takes no place from those
 * that may use it.
 */
export default fp<PlacesOptions>(async function places (fastify, { maxRequestsInFlight, openPaths, isPrompt }) {
  let inFlight = 0
  const idleWaiters = new Set<() => void>()

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

  function hasRoom (request: FastifyRequest): boolean {
    return inFlight < maxRequestsInFlight || (inFlight < maxRequestsInFlight + keptPlaces && isPrompt(pathOf(request)))
  }

  fastify.decorateRequest('place', null)

  fastify.addHook('onRequest', (request, reply, done) => {
    if (openPaths.length > 0 && openPaths.includes(pathOf(request))) {
      done()
    } else if (!hasRoom(request)) {
      sendHttpError(reply.header('retry-after', '1'), 429, full)
    } else {
      request.place = take(reply.raw)
      done()
    }
  })

  fastify.decorate('places', {
    get inFlight () { return inFlight },
    idle: () => inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.add(resolve))
  })
}, { name: 'places', fastify: '5.x', dependencies: ['bearer-auth'] })
