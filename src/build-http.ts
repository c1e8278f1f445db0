/**
 * An HTTP ingress: one Fastify instance before an engine, which other ingresses may share.
 *
 * Plugins are registered by hand, in the order in which a request meets them: the order is the
 * policy. Building opens nothing. `listen` binds the port, and may come before the engine starts:
 * requests are held until then. `close` ends what came through this ingress, and leaves the engine
 * as it is.
 */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import admission from '../plugins/admission.ts'
import bearerAuth from '../plugins/bearer-auth.ts'
import { answerClientError } from '../plugins/client-errors.ts'
import errorHandler from '../plugins/error-handler.ts'
import eventStreams from '../plugins/event-streams.ts'
import gracefulClose from '../plugins/graceful-close.ts'
import hostOrigin from '../plugins/host-origin.ts'
import mooringPlugin from '../plugins/mooring.ts'
import noOAuth from '../plugins/no-oauth.ts'
import pipelinedResponses from '../plugins/pipelined-responses.ts'
import places from '../plugins/places.ts'
import { RequestLog } from '../plugins/request-log.ts'
import { pathOf } from '../plugins/request-path.ts'
import trace from '../plugins/trace.ts'
import unreadAnswers from '../plugins/unread-answers.ts'
import healthRoutes from '../routes/health.ts'
import heartbeatRoute from '../routes/heartbeat.ts'
import mcpRoute from '../routes/mcp.ts'
import poolLists from '../routes/operations/pool-lists.ts'
import poolOrders from '../routes/operations/pool-orders.ts'
import virtualDeviceOrders from '../routes/operations/virtual-devices.ts'
import statusRoute from '../routes/status.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { HostAllowList } from './auth/host-allow-list.ts'
import type { ServerSettings } from './config/server-settings.ts'
import type { Mooring } from './mooring/create-mooring.ts'
import type { Clock } from './runtime/clock.ts'
import type { Scheduler } from './runtime/scheduler.ts'
import { outsideScopes } from './runtime/request-scope.ts'

/** What is allowed through one listener, and how much of it. */
export interface HttpIngress {
  /**
   * The names and origins under which it may be called. Only a listener that no browser can reach
   * goes without: nothing else keeps out a page whose name was made to point here.
   */
  readonly allowList?: HostAllowList
  readonly authenticator: Authenticator
  readonly limits: Pick<
    ServerSettings,
    'answerTimeoutMs' | 'bodyLimitBytes' | 'holdMs' | 'maxHeldRequests' | 'maxRequestsInFlight' | 'openProbes' | 'requestTimeoutMs' | 'shutdownMs'
  >
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: FastifyBaseLogger
  /** Registered before any route, for what has to see them all. */
  readonly beforeRoutes?: (http: FastifyInstance) => Promise<void>
}

/** `Mcp-Name` can be a whole URI in base64, and several parameters can be mirrored beside it. */
const maxHeaderBytes = 65_536

/** How long a request that takes too long may go unnoticed. */
const longestCheckMs = 15_000

/** Calls of these must get through when the server is full of calls that wait. */
const promptPaths = /^\/(?:livez|readyz|heartbeat|status|queue|audit|devices|leases)(?:\/|$)/

const probePaths = ['/livez', '/readyz']

export async function buildHttp (
  mooring: Mooring, { allowList, authenticator, limits, clock, scheduler: timers, log, beforeRoutes }: HttpIngress
): Promise<FastifyInstance> {
  const { answerTimeoutMs, bodyLimitBytes, maxRequestsInFlight, requestTimeoutMs, shutdownMs } = limits
  const scheduler = outsideScopes(timers)
  const openPaths = limits.openProbes ? probePaths : []

  const http: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new RequestLog(),
    http: {
      maxHeaderSize: maxHeaderBytes,
      joinDuplicateHeaders: true,
      requireHostHeader: false,
      // Said here too, because Node derives its limit for headers from it; set later, a body may still take that one's minute.
      requestTimeout: requestTimeoutMs,
      // Node looks for slow requests every 30 s by default, which would be the real limit of a shorter one.
      connectionsCheckingInterval: Math.min(longestCheckMs, Math.ceil(requestTimeoutMs / 4))
    },
    requestTimeout: requestTimeoutMs,
    bodyLimit: bodyLimitBytes,
    // Admission answers while the ingress closes, and graceful-close has waited before connections end.
    return503OnClosing: false,
    forceCloseConnections: true,
    rewriteUrl: ({ url = '/' }) => withoutFinalSlash(routableUrl(url)),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, log)
  })

  // Node would drop what comes after the two thousandth, be it a second Mcp-Name; bytes bound them well enough.
  http.server.maxHeadersCount = 0
  // Node would answer 417 by itself, past every check. What is expected beyond `100-continue` may be passed over.
  http.server.on('checkExpectation', (request, response) => http.server.emit('request', request, response))

  await http.register(mooringPlugin, { mooring })
  await http.register(unreadAnswers, { limitMs: answerTimeoutMs, scheduler })
  await http.register(pipelinedResponses)
  await http.register(trace)
  if (allowList !== undefined) await http.register(hostOrigin, { allowList })
  await http.register(admission, { ...limits, openPaths, scheduler })
  await http.register(noOAuth)
  await http.register(bearerAuth, { authenticator, openPaths })
  await http.register(places, { maxRequestsInFlight, openPaths, isPrompt: (path) => promptPaths.test(path), takesOneWay: (path) => path === '/mcp' })
  await http.register(errorHandler, { bodyLimitBytes })
  await http.register(gracefulClose, { graceMs: shutdownMs / 2, scheduler })

  await beforeRoutes?.(http)
  await http.register(eventStreams, { scheduler })
  await http.register(mcpRoute, { bodyLimitBytes })
  await http.register(healthRoutes)
  await http.register(statusRoute, { clock })
  await http.register(heartbeatRoute, { bodyLimitBytes })
  await http.register(poolLists, { clock })
  await http.register(poolOrders, { clock, bodyLimitBytes })
  if (mooring.virtualDevices !== undefined) await http.register(virtualDeviceOrders, { bodyLimitBytes, devices: mooring.virtualDevices })
  return http
}

/**
 * The target of a request in a form that the router takes. One that it would not take has to be
 * kept from it: it would answer by itself, past every check and without a line in the log. Such a
 * target goes the way of every unknown path instead.
 */
function routableUrl (target: string): string {
  const url = target.startsWith('/') || target === '*' ? target : /^https?:\/\/[^/?#]+(\/.*)?$/i.exec(target)?.[1]
  return url !== undefined && isDecodable(pathOf({ url })) ? url : '/unroutable-target'
}

/** `/mcp/` is `/mcp`: which of both an address is copied as should not decide. */
function withoutFinalSlash (url: string): string {
  const end = pathOf({ url }).length - 1
  return end > 0 && url[end] === '/' ? url.slice(0, end) + url.slice(end + 1) : url
}

function isDecodable (path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
