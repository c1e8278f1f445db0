import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Refusal } from '../src/refusals/refusal.ts'
import { sendHttpError, tooLarge, unsupportedType, type HttpError } from './http-error.ts'
import { sendRefusal } from './refusal-reply.ts'
import { pathOf } from './request-path.ts'
import { traceOf } from './trace.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its clients know errors that consist of `error` alone. */
    hasBareErrors?: boolean
  }
}

export interface ErrorHandlerOptions {
  readonly bodyLimitBytes: number
}

/**
 * The answers for paths and methods that do not exist, and for whatever is thrown on the way
 * to a route. A fault of ours is logged with its cause and answered without it.
 */
export default fp<ErrorHandlerOptions>(async function errorHandler (fastify, { bodyLimitBytes }) {
  const known: KnownPath[] = []
  fastify.addHook('onRoute', ({ url, method, config }) => {
    const path = known.find((one) => one.url === url) ?? { url, segments: url.split('/'), methods: new Set(), hasBareErrors: config?.hasBareErrors === true }
    if (path.methods.size === 0) known.push(path)
    for (const name of [method].flat()) path.methods.add(name)
  })

  // Outside of the routes that take one, what is in a body does not matter: it is not parsed.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))

  fastify.setNotFoundHandler(answerUnrouted)

  function answerUnrouted (request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = pathOf(request)
    const matching = methodsAt(path)
    if (matching.length > 0) {
      const names = [...new Set(matching.flatMap(({ methods }) => [...methods]))]
      const error = 'Method not allowed'
      return sendHttpError(reply.header('allow', names.join(', ')), 405, matching.some(({ hasBareErrors }) => hasBareErrors)
        ? { error }
        : { error, nextAction: `Use ${names.join(' or ')}.` })
    }
    return sendHttpError(reply, 404, { error: 'Not found', nextAction: pathsText(known) })
  }

  /** A path that is spelled out is that one, and not also one with an id in its place. */
  function methodsAt (path: string): readonly KnownPath[] {
    const exact = known.filter(({ url }) => url === path)
    return exact.length > 0 ? exact : known.filter(({ segments }) => matches(path, segments))
  }

  fastify.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof Refusal) return sendRefusal(reply, error)
    // Fastify judges a body before it says that no route would take it.
    if (request.is404 && error.statusCode !== undefined && error.statusCode < 500) return answerUnrouted(request, reply)
    if (error.validation !== undefined) return sendHttpError(reply, 400, invalidRequest(error.validation, error.validationContext))
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

interface KnownPath {
  readonly url: string
  readonly segments: readonly string[]
  readonly methods: Set<string>
  readonly hasBareErrors: boolean
}

/** All there is, for a caller that has lost its way. Names in braces stand for ids. */
function pathsText (known: readonly KnownPath[]): string {
  const others = known.map(({ url }) => url.replaceAll(/:(\w+)/g, '{$1}')).filter((path) => path !== mcpPath)
  return `MCP is served at ${mcpPath}; beside it there are ${others.sort().join(', ')}. openapi/openapi.json describes them.`
}

const mcpPath = '/mcp'

/** A path is compared as text: the router would read `/:(` in it as a pattern, and fail on it. */
function matches (path: string, segments: readonly string[]): boolean {
  const asked = path.split('/')
  return asked.length === segments.length && segments.every((segment, at) => segment.startsWith(':') ? asked[at] !== '' : asked[at] === segment)
}

function invalidRequest (problems: NonNullable<FastifyError['validation']>, where = 'body'): HttpError {
  const found = problems.map(({ instancePath, message = 'is not valid', params: { additionalProperty: surplus, nearest } }) => {
    const subject = `${where}${instancePath.replaceAll('/', '.')}`
    if (typeof surplus !== 'string') return `${subject} ${message}`
    const meant = typeof nearest === 'string' ? `, which may be meant for ${nearest}` : ''
    return `${subject} must not have a member ${JSON.stringify(surplus.slice(0, 64))}${meant}`
  })
  return {
    error: `Invalid request: ${found.join('; ')}`,
    code: 'invalid_request',
    retryable: false,
    nextAction: 'Correct it; openapi/openapi.json describes every request.'
  }
}
