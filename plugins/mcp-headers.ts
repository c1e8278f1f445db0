import fp from 'fastify-plugin'
import { methodNotFound, unsupportedVersion } from '../src/protocol/error-table.ts'
import type { Envelope } from '../src/protocol/envelope.ts'
import type { Rejection } from '../src/protocol/rejection.ts'
import { checkMethodHeader, checkNameHeader, checkVersionHeader, type RequestHeaders } from '../src/protocol/request-headers.ts'
import { checkLogLevel } from '../src/protocol/log-level.ts'
import { modernVersions } from '../src/protocol/versions.ts'
import type {} from './envelope.ts'
import { sendRejection } from './rejection-reply.ts'

export interface McpHeadersOptions {
  /** Whether a modern method exists (VAL-12). */
  readonly hasMethod: (method: string) => boolean
}

/** Checks a modern request's version, mirrored headers and log level, in the order of VAL-09…VAL-14. */
export default fp<McpHeadersOptions>(async function mcpHeaders (fastify, { hasMethod }) {
  fastify.addHook('preHandler', (request, reply, done) => {
    const { incoming } = request
    if (incoming?.kind !== 'request' || incoming.envelope.era !== 'modern') {
      done()
      return
    }
    const rejection = firstRejection(incoming.envelope, request.headers, hasMethod)
    if (rejection === undefined) done()
    else sendRejection(reply, rejection, incoming.envelope.id)
  })
}, { name: 'mcp-headers', fastify: '5.x', dependencies: ['envelope'] })

function firstRejection (
  { version, method, params, meta }: Envelope, headers: RequestHeaders, hasMethod: (method: string) => boolean
): Rejection | undefined {
  return checkVersionHeader(headers, version) ??
    (modernVersions.includes(version) ? undefined : unsupportedVersion('VER-02', version)) ??
    checkMethodHeader(headers, method) ??
    (hasMethod(method) ? undefined : methodNotFound(method, 404)) ??
    checkNameHeader(headers, method, params) ??
    checkLogLevel(meta)
}
