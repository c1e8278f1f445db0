import type {} from '@fastify/sse'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type {} from '../plugins/admission.ts'
import type {} from '../plugins/bearer-auth.ts'
import body from '../plugins/body.ts'
import envelope from '../plugins/envelope.ts'
import { eventStreamRoute, maySendStream } from '../plugins/event-streams.ts'
import jsonBody from '../plugins/json-body.ts'
import mcpHeaders from '../plugins/mcp-headers.ts'
import type {} from '../plugins/mcp.ts'
import { logAbandoned } from '../plugins/request-log.ts'
import refusedOperations from '../plugins/refused-operations.ts'
import requestScope from '../plugins/request-scope.ts'
import sessionKey from '../plugins/session-key.ts'
import type {} from '../plugins/trace.ts'
import type { Outcome } from '../src/mcp/dispatcher.ts'
import type { MethodContext } from '../src/mcp/method.ts'
import type { Cancellable, RunningRequest } from '../src/mcp/running-requests.ts'
import { encodeError, encodeNotification } from '../src/protocol/encode.ts'
import type { Envelope, Incoming } from '../src/protocol/envelope.ts'
import { reaches } from '../src/protocol/log-level.ts'
import type { McpRequest } from '../src/protocol/mcp-request.ts'
import type { Principal } from '../src/protocol/principal.ts'
import type { Rejection } from '../src/protocol/rejection.ts'
import type { RequestHeaders } from '../src/protocol/request-headers.ts'
import { inBandSessionKey } from '../src/protocol/session-key.ts'
import { BoundRequest } from './bound-request.ts'
import { jsonType, sendAnswer, type Answer } from './send-answer.ts'

export interface McpRouteOptions {
  readonly bodyLimitBytes: number
}

/** The MCP endpoint, for both eras (HTTP-01). */
const mcpRoute: FastifyPluginAsync<McpRouteOptions> = async function mcpRoute (fastify, { bodyLimitBytes }) {
  // What needs the body is registered here, so that it cannot touch another route.
  await fastify.register(body, { limitBytes: bodyLimitBytes, mayStream: true })
  await fastify.register(jsonBody)
  await fastify.register(requestScope)
  await fastify.register(envelope)
  await fastify.register(mcpHeaders, { hasMethod: (method) => fastify.mcp.dispatcher.has(method, 'modern') })
  await fastify.register(sessionKey)
  await fastify.register(refusedOperations)

  function mayStream ({ incoming }: FastifyRequest): boolean {
    if (incoming?.kind !== 'request') return false
    const { dispatcher } = fastify.mcp
    return dispatcher.opensStream(incoming.envelope) || dispatcher.mayStream(incoming.envelope)
  }

  fastify.post('/mcp', eventStreamRoute(mayStream), function mcp (request, reply) {
    const { incoming, principal } = request
    if (incoming === null || principal === null) throw new Error('the ingress let an unread request through')
    switch (incoming.kind) {
      case 'notification':
      case 'response':
        fastify.mcp.hear(incoming, principal)
        return reply.code(202).send()
      case 'batch': return answerBatch(incoming.elements, principal, request, reply)
      case 'request': return answer(incoming.envelope, principal, request, reply)
    }
  })

  async function answer (envelope: Envelope, principal: Principal, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const running = fastify.mcp.running.begin(cancellable(envelope, principal))
    const mcpRequest = bind(envelope, principal, request, running)
    // What may wait is answered by a stream, so that its caller hears of its place.
    const stopWaiting = maySendStream(reply) ? letWait(mcpRequest, running, reply) : undefined
    const { place } = request
    // The queue has more room than there are places for work, and must not keep out the calls that shorten it.
    if (stopWaiting !== undefined) place?.release()
    // A legacy call goes on when its caller has left: it counts for as long as it runs.
    else place?.keep()
    const stopWatching = stopWaiting ?? (envelope.era === 'modern' ? abortWhenCallerLeaves(reply, running) : undefined)
    try {
      if (!maySendStream(reply)) {
        const outcome = await fastify.mcp.dispatcher.dispatch(mcpRequest, silent)
        const undo = undoOf(outcome)
        if (undo !== undefined) await undoUnlessDelivered(reply, running, undo)
        sendAnswer(reply, answerOf(mcpRequest, outcome))
      } else if (fastify.mcp.dispatcher.opensStream(envelope)) {
        return await keepStream(mcpRequest, reply)
      } else {
        await stream(mcpRequest, running, reply)
      }
    } finally {
      stopWatching?.()
      running.end()
      if (stopWaiting === undefined) place?.leave()
    }
    // The work is over. Whether its answer arrives is the connection's business, and may never be known.
    return reply
  }

  /** LEGACY-21: each element is handled alone; notifications leave no trace in the answer. */
  async function answerBatch (
    elements: readonly Incoming[], principal: Principal, request: FastifyRequest, reply: FastifyReply
  ): Promise<FastifyReply> {
    const { place } = request
    place?.keep()
    try {
      const answers = await Promise.all(elements.map(async (element) => await answerElement(element, principal, request, reply)))
      const given = answers.filter((answer) => answer !== undefined)
      if (given.length === 0) reply.code(202).send()
      else reply.type(jsonType).send(`[${given.join(',')}]`)
    } finally {
      place?.leave()
    }
    return reply
  }

  async function answerElement (
    element: Incoming, principal: Principal, request: FastifyRequest, reply: FastifyReply
  ): Promise<string | undefined> {
    switch (element.kind) {
      case 'rejected': return encodeError(element.id, element.rejection)
      case 'request': {
        const running = fastify.mcp.running.begin(cancellable(element.envelope, principal))
        const mcpRequest = bind(element.envelope, principal, request, running)
        const stopWaiting = letWait(mcpRequest, running, reply)
        try {
          const outcome = await fastify.mcp.dispatcher.dispatch(mcpRequest, silent)
          const undo = undoOf(outcome)
          if (undo !== undefined) await undoUnlessDelivered(reply, running, undo)
          return answerOf(mcpRequest, outcome).message.toString()
        } finally {
          stopWaiting?.()
          running.end()
        }
      }
      case 'notification':
      case 'response':
        fastify.mcp.hear(element, principal)
        return undefined
      case 'batch': throw new Error('a batch within a batch')
    }
  }

  /**
   * Lets a request wait as long as its caller wants to. It ends with its connection in either era:
   * nothing that comes later could still be told to anybody (LEGACY-13 is about work).
   *
   * @returns what stops watching the connection; undefined when the request does not wait
   */
  function letWait (request: McpRequest, running: RunningRequest, reply: FastifyReply): (() => void) | undefined {
    const patienceMs = fastify.mcp.dispatcher.patienceMs(request)
    if (patienceMs === 0) return undefined
    running.allow(patienceMs)
    return abortWhenCallerLeaves(reply, running)
  }

  /** Answers with a stream that goes on, and counts no longer as a request that is worked on. */
  async function keepStream (request: McpRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const events = fastify.openEventStream(reply)
    const rejection = await fastify.mcp.dispatcher.open(request, events)
    if (rejection !== undefined) {
      sendAnswer(reply, rejectedAnswer(request, rejection))
      return reply
    }
    events.keepOpen()
    reply.request.place?.release()
    // The stream keeps its request; what is done with need not stay, times thousands.
    reply.request.body = undefined
    reply.request.incoming = null
    reply.request.place = null
    // Returning the reply would wait for the end of the stream.
    return undefined
  }

  async function stream (request: McpRequest, running: RunningRequest, reply: FastifyReply): Promise<void> {
    const events = fastify.openEventStream(reply)
    // What can be answered at once still has its own status (HTTP-18); what takes longer shows life.
    const beginning = setImmediate(() => events.begin())
    let last = -Infinity

    function write (message: string): boolean {
      events.send(message)
      return events.isOpen
    }

    const outcome = await fastify.mcp.dispatcher.dispatch(request, {
      progress (step) {
        // PROG-02: progress must rise, and nothing may follow a cancelled request (CANCEL-01).
        if (request.progressToken === undefined || step.progress <= last || request.signal.aborted) return
        last = step.progress
        events.send(encodeNotification('notifications/progress', { progressToken: request.progressToken, ...step }))
      },
      log (level, data) {
        if (request.logLevel === undefined || !reaches(level, request.logLevel) || request.signal.aborted) return
        events.send(encodeNotification('notifications/message', { level, logger: 'mooring', data }))
      },
      // HTTP-15: no requests on a modern stream.
      ...(request.era === 'legacy' ? { write } : {})
    })
    clearImmediate(beginning)
    const undo = undoOf(outcome)
    if (undo !== undefined) await undoUnlessDelivered(reply, running, undo)
    const answer = answerOf(request, outcome)
    if (!events.hasBegun) {
      sendAnswer(reply, answer)
      return
    }
    // A caller that has cancelled by name expects no answer (LEGACY-13).
    if (!running.isCancelled) events.send(answer.message.toString())
    events.end()
  }

  function answerOf (request: McpRequest, outcome: Outcome): Answer {
    return outcome.ok
      ? { status: 200, message: fastify.mcp.encoder.result(request, outcome.result) }
      : rejectedAnswer(request, outcome.rejection)
  }
}

export default mcpRoute

const silent: MethodContext = { progress: () => {}, log: () => {} }
const noHeaders: RequestHeaders = {}

function rejectedAnswer ({ id, era }: McpRequest, rejection: Rejection): Answer {
  const { status, retryAfterMs } = rejection
  return { status, retryAfterMs, message: encodeError(id, rejection, era) }
}

function undoOf (outcome: Outcome): (() => Promise<void>) | undefined {
  return outcome.ok && outcome.result.kind === 'complete' ? outcome.result.undo : undefined
}

/**
 * A response that closes before all of it was handed over has not reached its caller, and one
 * that goes out when the caller has left is handed over to nobody.
 */
async function undoUnlessDelivered ({ raw, log, request: { socket } }: FastifyReply, running: RunningRequest, undo: () => Promise<void>): Promise<void> {
  // That it has left may have arrived without having been read. Only the second turn comes after a look at the network.
  await turn()
  await turn()
  const isTooLate = raw.destroyed || socket.destroyed || socket.readableEnded
  const settle = (): void => {
    // A response whose connection breaks counts as finished too.
    if (!isTooLate && raw.writableFinished && socket.errored === null && !running.isCancelled) return
    undo().catch((error: unknown) => log.warn({ err: error }, 'what an undelivered call made could not be taken back'))
  }
  if (isTooLate) settle()
  else raw.once('close', settle)
}

async function turn (): Promise<void> {
  await new Promise<void>((resolve) => { setImmediate(resolve) })
}

/** A legacy caller cancels by the id of the request (LEGACY-13). */
function cancellable ({ era, id }: Envelope, principal: Principal): Cancellable | undefined {
  return era === 'legacy' ? { principal, id } : undefined
}

/**
 * A modern caller cancels by closing its response (CANCEL-01); a legacy one does not (LEGACY-13).
 *
 * @returns what stops watching
 */
function abortWhenCallerLeaves (reply: FastifyReply, running: RunningRequest): () => void {
  const { raw, request } = reply
  const leave = (): void => {
    if (raw.writableFinished) return
    logAbandoned(request, reply)
    running.abort()
  }
  // It can have left already, with the last byte of its request: then `close` is over.
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return () => raw.off('close', leave)
}

function bind (envelope: Envelope, principal: Principal, request: FastifyRequest, running: RunningRequest): McpRequest {
  const headers = envelope.method === 'tools/call' ? parameterHeaders(request.headers) : noHeaders
  const sessionKey = request.sessionKey ?? inBandSessionKey(envelope)
  return new BoundRequest(envelope, { principal, sessionKey, parameterHeaders: headers, trace: request.trace ?? undefined, running })
}

function parameterHeaders (headers: RequestHeaders): RequestHeaders {
  let found: Record<string, string | string[] | undefined> | undefined
  for (const name in headers) {
    if (name.startsWith('mcp-param-')) (found ??= {})[name] = headers[name]
  }
  return found ?? noHeaders
}
