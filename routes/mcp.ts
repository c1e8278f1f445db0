import type { FastifyPluginAsync } from 'fastify'
import type {} from '../plugins/bearer-auth.ts'
import body from '../plugins/body.ts'
import envelope from '../plugins/envelope.ts'
import type {} from '../plugins/event-streams.ts'
import jsonBody from '../plugins/json-body.ts'
import mcpHeaders from '../plugins/mcp-headers.ts'
import type {} from '../plugins/mooring.ts'
import oneWayPlaces from '../plugins/one-way-places.ts'
import refusedOperations from '../plugins/refused-operations.ts'
import requestScope from '../plugins/request-scope.ts'
import sessionKey from '../plugins/session-key.ts'
import { HttpChannel } from './http-channel.ts'
import { HttpSender } from './http-sender.ts'

export interface McpRouteOptions {
  readonly bodyLimitBytes: number
}

/** The MCP endpoint, for both eras (HTTP-01). */
const mcpRoute: FastifyPluginAsync<McpRouteOptions> = async function mcpRoute (fastify, { bodyLimitBytes }) {
  // What needs the body is registered here, so that it cannot touch another route.
  await fastify.register(body, { limitBytes: bodyLimitBytes })
  await fastify.register(jsonBody)
  await fastify.register(requestScope)
  await fastify.register(envelope)
  await fastify.register(oneWayPlaces)
  await fastify.register(mcpHeaders, { hasMethod: (method) => fastify.mcp.dispatcher.has(method, 'modern') })
  await fastify.register(sessionKey)
  await fastify.register(refusedOperations)

  // It returns nothing: the exchange answers over the channel, in its own time, and never fails.
  fastify.post('/mcp', function mcp (request, reply) {
    const { incoming, principal } = request
    if (incoming === null || principal === null) throw new Error('the ingress let an unread request through')
    fastify.mcp.exchange.answer(incoming, new HttpSender(request, principal), new HttpChannel(reply))
  })
}

export default mcpRoute
