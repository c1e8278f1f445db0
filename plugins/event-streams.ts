/**
 * Answers as server-sent events, on top of `@fastify/sse` (HTTP-13…16).
 *
 * That plugin does the head of the response, knows when the caller has gone, and closes what a
 * failing handler leaves open. What is kept from it:
 *
 * - Its `send` waits for a slow reader with two more listeners for each message, and never stops
 *   waiting when that reader leaves. Messages are written to the response itself.
 * - Its heartbeat is a timer for each stream, and goes on while nobody reads. Here one timer
 *   keeps all streams alive.
 * - It assigns `reply.sse` without declaring it, which gives replies a shape of their own.
 * - It reports a failing close callback to the console. It is given none.
 * - It listens to every response of its routes. Here it does to those that may become streams.
 */
import { fastifySSE } from '@fastify/sse'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type { MessageStream } from '../src/protocol/message-stream.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'
import type {} from './events.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The answer to a request that may get a stream, as a stream. */
    openEventStream (reply: FastifyReply): EventStream
  }
  interface FastifyContextConfig {
    mayStream?: MayStream
  }
}

export interface EventStreamsOptions {
  readonly scheduler: Scheduler
}

/** Whether a request may get a stream for an answer. */
type MayStream = (request: FastifyRequest) => boolean

/** Options of a route that can answer some requests with a stream, and decides so when it sends. */
export function eventStreamRoute (mayStream: MayStream): { readonly sse: 'manual', readonly config: { readonly mayStream: MayStream } } {
  return { sse: 'manual', config: { mayStream } }
}

/** A quiet stream shows life this often, so that proxies keep it open (HTTP-14). */
const keepaliveMs = 15_000

/** Lets routes answer with streams: `fastify.openEventStream`. */
export default fp<EventStreamsOptions>(async function eventStreams (fastify, { scheduler }) {
  const begun = new Set<ServerResponse>()

  function watch (response: ServerResponse): void {
    begun.add(response)
    response.on('close', unwatchThis)
  }

  function unwatchThis (this: ServerResponse): void {
    begun.delete(this)
  }

  fastify.decorateReply('sse')
  let plain: RouteHandlerMethod
  fastify.addHook('onRoute', ({ handler }) => { plain = handler })
  await fastify.register(fastifySSE, { heartbeatInterval: 0 })
  fastify.addHook('onRoute', (route) => {
    const mayStream = route.config?.mayStream
    if (mayStream === undefined) return
    const [answer, stream] = [plain, route.handler]
    route.handler = function choose (request, reply) {
      return (mayStream(request) ? stream : answer).call(this, request, reply)
    }
  })
  fastify.decorate('openEventStream', (reply) => new ReplyStream(reply, watch))

  const stop = scheduler.every(keepaliveMs, () => {
    fastify.slices.run(begun, keepAlive).catch((fault: unknown) => fastify.log.error({ err: fault }, 'streams could not be kept alive'))
  })
  fastify.addHook('onClose', async () => stop())
}, { name: 'event-streams', fastify: '5.x', dependencies: ['events'] })

/** Whether the request of this reply was found to be one that may get a stream. */
export function maySendStream (reply: FastifyReply): boolean {
  return reply.sse !== undefined
}

function keepAlive (response: ServerResponse): void {
  if (!response.writableEnded && !response.writableNeedDrain) response.write(': keep-alive\n\n')
}

export interface EventStream extends MessageStream {
  /** Sends the head of the response, so that proxies and clients see life while the work goes on. */
  begin (): void
  /** Lets the stream go on after the handler has returned. */
  keepOpen (): void
}

class ReplyStream implements EventStream {
  readonly #reply: FastifyReply
  readonly #watch: (response: ServerResponse) => void

  /** `watch` gets the response when the stream begins. */
  constructor (reply: FastifyReply, watch: (response: ServerResponse) => void) {
    this.#reply = reply
    this.#watch = watch
  }

  get isOpen (): boolean {
    return this.#reply.sse.isConnected
  }

  get hasBegun (): boolean {
    return this.#reply.raw.headersSent
  }

  get queuedBytes (): number {
    return this.#reply.raw.writableLength
  }

  begin (): void {
    if (!this.isOpen || this.hasBegun) return
    this.#sendHead()
    // The head alone would wait for the first message.
    this.#reply.raw.flushHeaders()
  }

  send (message: string | Buffer): void {
    if (!this.isOpen) return
    if (!this.hasBegun) this.#sendHead()
    // Encoded messages are one line of JSON, and so one `data:` line.
    this.#reply.raw.write(`data: ${message.toString()}\n\n`)
  }

  end (): void {
    this.#reply.sse.close()
  }

  keepOpen (): void {
    this.#reply.sse.keepAlive()
  }

  drop (): void {
    this.#reply.raw.destroy()
  }

  onClose (listener: () => void): void {
    this.#reply.raw.on('close', listener)
  }

  #sendHead (): void {
    this.#reply.header('cache-control', 'no-cache, no-transform')
    this.#reply.sse.sendHeaders()
    this.#watch(this.#reply.raw)
  }
}
