import type { FastifyInstance } from 'fastify'
import type {} from '../../plugins/bearer-auth.ts'
import type { Principal } from '../../src/protocol/principal.ts'

/** Who a caller says it is, where a composition takes its word for that. */
export const callerHeader = 'x-caller'

export function namedPrincipal (name: string): Principal {
  return { issuer: 'mooring', subject: name, key: `mooring\0${name}` }
}

/**
 * Lets everybody who has the token be whoever they say, for a server under test: one token
 * makes one principal, and what is fair or kept apart shows only between several.
 *
 * For `beforeRoutes` of a composition of the app. Nothing of the `mooring` command leads here.
 */
export async function nameCallers (app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', (request, _reply, done) => {
    const name = request.headers[callerHeader]
    // The token has been checked by now.
    if (request.principal !== null && typeof name === 'string') request.principal = namedPrincipal(name)
    done()
  })
}
