import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { readTraceContext } from '../src/protocol/trace-context.ts'
import { runInScope, type Peer } from '../src/runtime/request-scope.ts'
import type {} from './mooring.ts'
import type {} from './trace.ts'

/**
 * Reads the trace context of the message itself, which outranks that of its HTTP request, and
 * installs what is known of the request for its own asynchronous context. It comes before the
 * body is judged, so that a refusal belongs to its trace too.
 */
export default fp(async function requestScope (fastify) {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const trace = readTraceContext(request.body, request.headers)
    const isObserved = fastify.mooring.telemetry.isOn
    if (trace === undefined && !isObserved) {
      done()
      return
    }
    request.trace = trace ?? null
    request.requestScope = { traceId: trace?.parent.traceId, spanId: trace?.parent.spanId, peer: isObserved ? peerOf(request) : undefined }
    runInScope(request.requestScope, done)
  })
}, { name: 'request-scope', fastify: '5.x', dependencies: ['json-body', 'trace', 'mooring'] })

function peerOf ({ hostname, port, raw, socket }: FastifyRequest): Peer {
  return {
    protocolVersion: raw.httpVersion,
    serverAddress: hostname,
    serverPort: port ?? socket.localPort,
    clientAddress: socket.remoteAddress,
    clientPort: socket.remotePort
  }
}
