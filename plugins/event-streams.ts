/**
 * Answers as server-sent events, on top of `@fastify/sse` (HTTP-13…16).
 *
 * That plugin does the head of the response and knows when the caller has gone. What is kept
 * from it:
 *
 * - It decides by the route what becomes a stream, and listens to every response of that route.
 *   Here each handler decides for each reply, when it knows, and no other reply pays for it.
 * - Its `send` waits for a slow reader with two more listeners for each message, and never stops
 *   waiting when that reader leaves. Messages are written to the response itself.
 * - Its heartbeat is a timer for each stream, and goes on while the client does not read. Here one timer
 *   keeps all streams alive.
 * - It assigns `reply.sse` without declaring it, which gives replies a shape of their own.
 * - It reports a failing close callback to the console. It is given none.
 */
import { fastifySSE } from '@fastify/sse'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, RouteHandlerMethod, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import type {} from './envelope.ts'
import type {} from './mooring.ts'
import type {} from './places.ts'
import type { AnswerStream } from '../src/mcp/exchange/channel.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The answer to a request as a stream. The handler of the request answers in no other way once the stream has begun. */
    openEventStream (reply: FastifyReply): AnswerStream
  }
}

export interface EventStreamsOptions {
  readonly scheduler: Scheduler
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
  const open = await streamOpener(fastify)
  fastify.decorate('openEventStream', (reply) => {
    open(reply)
    return new ReplyStream(reply, watch)
  })

  const stop = scheduler.every(keepaliveMs, () => {
    fastify.mooring.slices.run(begun, keepAlive).catch((fault: unknown) => {
      fastify.log.error({ err: fault }, 'streams could not be kept alive')
    })
  })
  fastify.addHook('onClose', async () => stop())
}, { name: 'event-streams', fastify: '5.x', dependencies: ['mooring'] })

/**
 * What gives a reply its `sse`. The plugin does that in a handler of its own around the handler
 * of a route; here that handler is made for no route, around one that keeps the stream open.
 */
async function streamOpener (fastify: FastifyInstance): Promise<(reply: FastifyReply) => void> {
  let opener: RouteHandlerMethod | undefined
  const wrap = (_name: string, onRoute: (route: Pick<RouteOptions, 'sse' | 'handler'>) => void): void => {
    const route = { sse: 'manual' as const, handler: keepOpen }
    onRoute(route)
    opener = route.handler
  }
  // The instance itself, but that hooks for routes are not for its routes.
  const recorder: FastifyInstance = Object.create(fastify, { addHook: { value: wrap } })
  await fastifySSE(recorder, { heartbeatInterval: 0 })
  const found = opener
  if (found === undefined) throw new Error('@fastify/sse works in another way than it did')
  return (reply) => { found.call(fastify, reply.request, reply) }
}

const keepOpen: RouteHandlerMethod = function keepOpen (_request, reply) {
  reply.sse.keepAlive()
}

function keepAlive (response: ServerResponse): void {
  if (!response.writableEnded && !response.writableNeedDrain) response.write(': keep-alive\n\n')
}

class ReplyStream implements AnswerStream {
  readonly #reply: FastifyReply
  readonly #watch: (response: ServerResponse) => void

  /** `watch` gets the response when the stream begins. */
  constructor (reply: FastifyReply, watch: (response: ServerResponse) => void) {
    this.#reply = reply
    this.#watch = watch
  }

  get via (): object {
    return this.#reply.server.server
  }

  get isOpen (): boolean {
    return this.#reply.sse.isConnected && !this.#reply.raw.destroyed
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
    const { request } = this.#reply
    // The stream keeps its request; what is done with need not stay, times thousands.
    request.body = undefined
    request.incoming = null
    request.place = null
  }

  drop (): void {
    this.#reply.raw.destroy()
  }

  onClose (listener: () => void): void {
    this.#reply.raw.on('close', listener)
  }

  #sendHead (): void {
    this.#reply.header('cache-control', 'no-cache, no-transform')
    // Otherwise the connection would be kept, against the wish of the client.
    if (!this.#reply.raw.shouldKeepAlive) this.#reply.header('connection', 'close')
    this.#reply.sse.sendHeaders()
    this.#watch(this.#reply.raw)
  }
}
