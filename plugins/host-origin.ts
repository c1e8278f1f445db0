import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { HeaderValues, HostAllowList } from '../src/auth/host-allow-list.ts'
import { errorCodes } from '../src/protocol/error-table.ts'
import { headerText, type RequestHeaders } from '../src/protocol/request-headers.ts'
import { sendHttpError, type HttpError } from './http-error.ts'
import { refuseConnection } from './refuse-connection.ts'

export interface HostOriginOptions {
  readonly allowList: HostAllowList
}

/**
 * Refuses requests that were not meant for this server: a page in a browser that
 * found the port, or a name that was made to point here (HTTP-10, HTTP-11, VAL-02). It comes
 * before everything else, so that such a request learns nothing, not even whether its token
 * would do.
 */
export default fp<HostOriginOptions>(async function hostOrigin (fastify, { allowList }) {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { host } = request.headers
    // RFC 9112 §3.2: doubled headers arrive joined by a comma, which no host has.
    if (host === undefined || host.includes(',')) {
      refuseConnection(reply, () => sendHttpError(reply, 400, hostNotOne))
      return
    }
    const named = targetHost(request.originalUrl)
    if (!allowList.allowsHost([host]) || (named !== undefined && !allowList.allowsHost([named]))) {
      refuse(reply, hostNotAllowed)
      return
    }
    if (!allowList.allowsOrigin(valuesOf(request.headers.origin)) || isFromUnnamedSite(request.headers)) {
      refuse(reply, originNotAllowed)
      return
    }
    done()
  })
}, { name: 'host-origin', fastify: '5.x' })

const hostNotOne: HttpError = { error: 'Bad request', nextAction: 'Send exactly one Host header.' }
const hostNotAllowed = forbidden('This server is not served under the name in the Host header.', {
  code: 'host_not_allowed',
  nextAction: 'Use 127.0.0.1 or localhost, or have the operator add the name to server.allowedHosts.'
})
const originNotAllowed = forbidden('Requests from this Origin are not allowed.', {
  code: 'origin_not_allowed',
  nextAction: 'Call without an Origin header, or have the operator add the origin to server.allowedOrigins.'
})

function refuse (reply: FastifyReply, body: string): void {
  refuseConnection(reply, () => reply.code(403).type('application/json; charset=utf-8').send(body))
}

function forbidden (message: string, { code, nextAction }: { readonly code: string, readonly nextAction: string }): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    error: { code: errorCodes.invalidRequest, message, data: { code, retryable: false, nextAction } }
  })
}

/** A target that is a whole URL names the host itself, and then `Host` means nothing (RFC 9112 §3.2.2). */
function targetHost (target: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
}

/**
 * Whether a browser says that a page of another site sent the request, and does not say which: it
 * leaves `Origin` out of a picture, a script or a link. A page that names itself is held to the list.
 */
function isFromUnnamedSite (headers: RequestHeaders): boolean {
  const site = headerText(headers, 'sec-fetch-site')
  return site !== undefined && headers.origin === undefined && /cross-site/i.test(site)
}

/** A doubled header arrives joined by a comma, which is no origin. */
function valuesOf (header: string | undefined): HeaderValues {
  return header === undefined ? undefined : [header]
}
