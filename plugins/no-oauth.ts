import fp from 'fastify-plugin'
import type {} from './admission.ts'
import { sendHttpError, type HttpError } from './http-error.ts'
import { refuseConnection } from './refuse-connection.ts'
import { pathOf } from './request-path.ts'

/**
 * Where a client that was answered 401 looks for OAuth (RFC 9728, RFC 8414, OpenID Connect Discovery,
 * RFC 7591), and the endpoints that it makes up when it finds no metadata (MCP 2025-03-26).
 */
const oauthPath = /^\/(?:register|authorize|token)$|(?:^|\/)\.well-known(?:\/|$)/

const nextAction = 'Send the token of this server as Authorization: Bearer <token>; no login is needed, and none is possible.'

/** In the form of an error of OAuth (RFC 6749 §5.2), which its clients read and show. */
const noOAuth: HttpError = {
  error: 'not_found',
  error_description: `There is no OAuth here. ${nextAction}`,
  code: 'no_oauth',
  retryable: false,
  nextAction
}

/**
 * Tells OAuth clients that there is no OAuth here, before anything is asked of them: only a 404 ends
 * their search. A 401 would be one more reason to log in, and the client would wait for that.
 */
export default fp(async function noOAuthPaths (fastify) {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (oauthPath.test(pathOf(request))) refuseConnection(reply, () => sendHttpError(reply, 404, noOAuth))
    else done()
  })
}, { name: 'no-oauth', fastify: '5.x', dependencies: ['admission'] })
