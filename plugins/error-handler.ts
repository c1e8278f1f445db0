import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { sendHttpError, tooLarge, unsupportedType } from './http-error.ts'
import { pathOf } from './request-path.ts'
import { traceOf } from './trace.ts'

export interface ErrorHandlerOptions {
  readonly bodyLimitBytes: number
}

/**
 * The answers for paths and methods that do not exist, and for whatever is thrown on the way
 * to a route. A fault of ours is logged with its cause and answered without it.
 */
export default fp<ErrorHandlerOptions>(async function errorHandler (fastify, { bodyLimitBytes }) {
  // A path is compared as text: the router would read `/:(` as a pattern, and fail on it.
  const methodsByPath = new Map<string, Set<string>>()
  fastify.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set()
    methodsByPath.set(url, methods)
    for (const name of [method].flat()) methods.add(name)
  })

  // Outside of the routes that take one, what is in a body does not matter: it is not parsed.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))

  fastify.setNotFoundHandler((request, reply) => {
    const allowed = methodsByPath.get(pathOf(request))
    if (allowed !== undefined) {
      const names = [...allowed]
      return sendHttpError(reply.header('allow', names.join(', ')), 405, {
        error: 'Method not allowed', nextAction: `Use ${names.join(' or ')}.`
      })
    }
    return sendHttpError(reply, 404, { error: 'Not found', nextAction: 'MCP is served at /mcp; /status, /livez and /readyz tell how the server is.' })
  })

  fastify.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    switch (error.statusCode) {
      case 413: return sendHttpError(reply, 413, tooLarge(bodyLimitBytes))
      case 415: return sendHttpError(reply, 415, unsupportedType)
      case 400: return sendHttpError(reply, 400, { error: 'Bad request', nextAction: 'Send a complete body whose length is as declared.' })
      default:
        request.log.error({ err: error, ...traceOf(request) }, 'a request failed unexpectedly')
        return sendHttpError(reply, 500, { error: 'Internal error', nextAction: 'Report it to the operator with the time of the call.' })
    }
  })
}, { name: 'error-handler', fastify: '5.x', dependencies: ['trace'] })
