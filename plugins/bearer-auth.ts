import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Authenticator } from '../src/auth/authenticator.ts'
import type { Principal } from '../src/protocol/principal.ts'
import { sendHttpError, type HttpError } from './http-error.ts'
import { refuseConnection } from './refuse-connection.ts'
import { pathOf } from './request-path.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The principal that the authenticator found; `null` until then, and on open probes. */
    principal: Principal | null
  }
}

export interface BearerAuthOptions {
  readonly authenticator: Authenticator
  /** Paths that answer without a token. */
  readonly openPaths: readonly string[]
}

const tokenInQuery: HttpError = {
  error: 'Token in the query string', nextAction: 'Send it as `Authorization: Bearer <token>`, and replace it: URLs are logged.'
}

/**
 * Authenticates every path and method, unknown ones included (VAL-03, AUTH-04, AUTH-06): an
 * outsider cannot even tell which paths there are. Sets `request.principal`.
 *
 * What a request is told that proves nothing is the authenticator's to say, since only that knows
 * where what it asks for is to be had. OAuth clients read `error_description`.
 */
export default fp<BearerAuthOptions>(async function bearerAuth (fastify, { authenticator, openPaths }) {
  fastify.decorateRequest('principal', null)

  fastify.addHook('onRequest', (request, reply, done) => {
    if (openPaths.includes(pathOf(request)) && (request.method === 'GET' || request.method === 'HEAD')) {
      done()
      return
    }
    // A token in a URL ends up in logs and histories along the way.
    if (holdsToken(request)) {
      refuseConnection(reply, () => sendHttpError(reply, 400, tokenInQuery))
      return
    }
    request.principal = authenticator.authenticate(request.headers) ?? null
    if (request.principal === null) {
      const { header, description, nextAction } = authenticator.challenge(request.headers)
      reply.header('www-authenticate', header)
      refuseConnection(reply, () => sendHttpError(reply, 401, { error: 'Unauthorized', error_description: description, nextAction }))
      return
    }
    done()
  })
}, { name: 'bearer-auth', fastify: '5.x', dependencies: ['admission'] })

function holdsToken ({ url }: FastifyRequest): boolean {
  // Nearly no URL gets past the first look.
  return url.includes('access_token') && new URLSearchParams(url.slice(url.indexOf('?') + 1)).has('access_token')
}
