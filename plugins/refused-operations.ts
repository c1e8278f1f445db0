import fp from 'fastify-plugin'
import type {} from './bearer-auth.ts'
import type {} from './envelope.ts'
import type {} from './mooring.ts'
import type {} from './trace.ts'

/** Records the requests that are refused on their way to the dispatcher, where they would be measured. */
export default fp(async function refusedOperations (fastify) {
  if (!fastify.mooring.telemetry.isOn) return

  fastify.addHook('onResponse', (request, reply, done) => {
    const { incoming, rejection, principal, requestScope, trace } = request
    if (rejection !== null && principal !== null && incoming?.kind === 'request') {
      const { envelope } = incoming
      fastify.mooring.telemetry.operations?.refused({
        request: envelope,
        principalKey: principal.key,
        trace: trace ?? undefined,
        peer: requestScope?.peer,
        ...fastify.mcp.dispatcher.subjectOf({ ...envelope, principal })
      }, rejection.code, reply.elapsedTime)
    }
    done()
  })
}, { name: 'refused-operations', fastify: '5.x', dependencies: ['envelope', 'mooring'] })
