import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
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
  /**
   * Whether a request that turned out to want an answer may keep its place: one that got in as a
   * message that might want none moves to a place of the others, where there is one.
   */
  hasRoomToAnswer (request: FastifyRequest): boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    places: Places
  }
  interface FastifyRequest {
    /** `null` until the request has a place. */
    place: TakenPlace | null
  }
}

export interface PlacesOptions {
  readonly maxRequestsInFlight: number
  /** Paths that need no place, because they answer without a token. */
  readonly openPaths: readonly string[]
  /** Whether what is behind a path answers at once, and must not wait for what does not. */
  readonly isPrompt: (path: string) => boolean
  /** Whether what is sent to a path may be a message that wants no answer. */
  readonly takesOneWay: (path: string) => boolean
}

interface TakenPlace extends Place {
  /** Whether it is one of those for messages that want no answer. */
  isOneWay: boolean
}

/** Only for paths that answer at once. */
const keptPlaces = 64

/**
 * Only for messages that want no answer. Calls wait for what these say: the answer to a question,
 * a cancellation. Each is over as soon as it has been read, so that few places do for many.
 */
const oneWayPlaces = 64

/** What a message may bring that is read in such a place: as much as the answers of a modern caller may have together. */
const longestOneWayBytes = 1_000_000

const full: HttpError = { error: 'Too many requests in flight', nextAction: 'Repeat the request after the time in Retry-After.' }

/** Turns a request away that finds no place. */
export function sendFull (reply: FastifyReply): void {
  sendHttpError(reply.header('retry-after', '1'), 429, full)
}

/**
 * Gives each request a place, at most `maxRequestsInFlight` of them; beside calls that wait,
 * heartbeats, probes and operators still find one, of a few kept for them, and so do messages that
 * want no answer: `fastify.places`.
 *
 * Whether a message wants an answer is known when its body has been read. Until then it may have
 * one of the places for those that want none; `one-way-places.ts` sees to it that no other stays.
 *
 * It comes after the authentication: a client of which nothing is known takes no place from those
 * that may use it.
 */
export default fp<PlacesOptions>(async function places (fastify, { maxRequestsInFlight, openPaths, isPrompt, takesOneWay }) {
  let inFlight = 0
  let oneWay = 0
  const idleWaiters = new Set<() => void>()

  /** Its first keeper is the response. */
  function take (response: ServerResponse, isOneWay: boolean): TakenPlace {
    let keepers = 1
    let isResponding = true
    inFlight++
    if (isOneWay) oneWay++

    function leave (): void {
      if (--keepers > 0) return
      if (place.isOneWay) oneWay--
      if (--inFlight > 0) return
      for (const resolve of idleWaiters) resolve()
      idleWaiters.clear()
    }

    function release (): void {
      response.off('close', release)
      if (isResponding) leave()
      isResponding = false
    }

    response.on('close', release)
    const place: TakenPlace = { isOneWay, keep: () => { keepers++ }, leave, release }
    return place
  }

  function hasRoom (request: FastifyRequest): boolean {
    const others = inFlight - oneWay
    return others < maxRequestsInFlight || (others < maxRequestsInFlight + keptPlaces && isPrompt(pathOf(request)))
  }

  function hasOneWayRoom (request: FastifyRequest): boolean {
    return oneWay < oneWayPlaces && request.method === 'POST' && takesOneWay(pathOf(request)) &&
      Number(request.headers['content-length'] ?? Infinity) <= longestOneWayBytes
  }

  fastify.decorateRequest('place', null)

  fastify.addHook('onRequest', (request, reply, done) => {
    if (openPaths.length > 0 && openPaths.includes(pathOf(request))) {
      done()
    } else if (hasRoom(request)) {
      request.place = take(reply.raw, false)
      done()
    } else if (hasOneWayRoom(request)) {
      request.place = take(reply.raw, true)
      done()
    } else {
      sendFull(reply)
    }
  })

  fastify.decorate('places', {
    get inFlight () { return inFlight },
    idle: () => inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => idleWaiters.add(resolve)),
    hasRoomToAnswer (request: FastifyRequest) {
      const { place } = request
      if (place === null || !place.isOneWay) return true
      if (!hasRoom(request)) return false
      place.isOneWay = false
      oneWay--
      return true
    }
  })
}, { name: 'places', fastify: '5.x', dependencies: ['bearer-auth'] })
