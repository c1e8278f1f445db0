import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { readTraceContext, type TraceContext } from '../src/protocol/trace-context.ts'
import { logFieldsOf, type RequestScope, type TraceLogFields } from '../src/runtime/request-scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's trace, `null` when it sent none that is valid. */
    trace: TraceContext | null
    /** What log lines and spans of an MCP request know of it; `null` where nothing is. */
    requestScope: RequestScope | null
  }
}

/** Reads the trace context of every request's HTTP headers, whatever becomes of it (TRACE-01…03). */
export default fp(async function trace (fastify) {
  fastify.decorateRequest('trace', null)
  fastify.decorateRequest('requestScope', null)

  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['traceparent'] !== undefined) request.trace = readTraceContext(undefined, request.headers) ?? null
    done()
  })
}, { name: 'trace', fastify: '5.x' })

/**
 * The trace as log lines name it, for code that may run in no request's asynchronous context,
 * or in another one's: connections are kept.
 */
export function traceOf ({ requestScope, trace }: FastifyRequest): TraceLogFields {
  if (requestScope?.traceId !== undefined) return logFieldsOf(requestScope)
  return trace === null ? {} : logFieldsOf(trace.parent)
}
