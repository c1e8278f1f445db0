/**
 * The composition of mooring: every part is made here and nowhere else, and everything with a
 * clock, ids, randomness or timers gets them passed in.
 *
 * Plugins are registered by hand, in the order in which a request meets them: the order is the
 * policy. Building opens nothing outside the process; what needs the port first is done by
 * `startUp`, after `listen`.
 */
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import admission from '../plugins/admission.ts'
import bearerAuth from '../plugins/bearer-auth.ts'
import errorHandler from '../plugins/error-handler.ts'
import eventStreams from '../plugins/event-streams.ts'
import events from '../plugins/events.ts'
import gracefulClose from '../plugins/graceful-close.ts'
import hostOrigin from '../plugins/host-origin.ts'
import leases from '../plugins/leases.ts'
import lifecycle from '../plugins/lifecycle.ts'
import mcp from '../plugins/mcp.ts'
import pipelinedResponses from '../plugins/pipelined-responses.ts'
import { RequestLog } from '../plugins/request-log.ts'
import { pathOf } from '../plugins/request-path.ts'
import sealingKeys from '../plugins/sealing-keys.ts'
import store from '../plugins/store.ts'
import telemetry from '../plugins/telemetry.ts'
import tokenFile from '../plugins/token-file.ts'
import trace from '../plugins/trace.ts'
import healthRoutes from '../routes/health.ts'
import heartbeatRoute from '../routes/heartbeat.ts'
import mcpRoute from '../routes/mcp.ts'
import poolLists from '../routes/operations/pool-lists.ts'
import poolOrders from '../routes/operations/pool-orders.ts'
import statusRoute from '../routes/status.ts'
import { createHostAllowList } from './auth/host-allow-list.ts'
import { createToken } from './auth/token-file.ts'
import { createTokenVerifier } from './auth/verify-token.ts'
import type { Config } from './config/load-config.ts'
import type { DeviceDriver } from './devices/device-driver.ts'
import { createVirtualPhones } from './devices/virtual/virtual-phones.ts'
import type { Clock } from './runtime/clock.ts'
import type { Ids } from './runtime/ids.ts'
import { outsideScopes, traceLogFields } from './runtime/request-scope.ts'
import type { Scheduler } from './runtime/scheduler.ts'
import { openSqliteStore } from './store/open-store.ts'
import { createOffer, type Offer } from './tools/offer.ts'
import { publishPoolChange } from './tools/pool-changes.ts'

export interface AppParts {
  readonly config: Config
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  /** Where log lines go; they are JSON. */
  readonly logDestination?: NodeJS.WritableStream
  /** Registered before any route, for what has to see them all. */
  readonly beforeRoutes?: (app: FastifyInstance) => Promise<void>
  /** Connects devices in place of those that the settings describe. */
  readonly connectDevices?: () => Promise<readonly DeviceDriver[]>
  /** What is offered in place of what the pool offers, for whoever measures or tests the server itself. */
  readonly offer?: (pool: Offer) => Offer
}

/** `Mcp-Name` can be a whole URI in base64, and several parameters can be mirrored beside it. */
const maxHeaderBytes = 65_536

/** How long a request that takes too long may go unnoticed. */
const longestCheckMs = 15_000

/** Who calls these must get through when the server is full of calls that wait. */
const promptPaths = /^\/(?:heartbeat|status|queue|audit|devices|leases)(?:\/|$)/

const probePaths = ['/livez', '/readyz']

/** Builds the server; `listen` and then `startUp` bring it to life, `close` ends it. */
export async function buildApp (
  { config, clock, scheduler: timers, ids, logDestination, beforeRoutes, connectDevices, offer = (pool) => pool }: AppParts
): Promise<FastifyInstance> {
  const { server, stateDir } = config
  const scheduler = outsideScopes(timers)
  const openPaths = server.openProbes ? probePaths : []
  const token = createToken(ids)

  const app: FastifyInstance = Fastify({
    logger: {
      level: config.log.level,
      // Who runs several servers names them where the lines are collected.
      base: null,
      mixin: traceLogFields,
      ...(logDestination === undefined ? {} : { stream: logDestination })
    },
    logController: new RequestLog(),
    http: {
      maxHeaderSize: maxHeaderBytes,
      joinDuplicateHeaders: true,
      requireHostHeader: false,
      // Said here too, because Node derives its limit for headers from it; set later, a body may still take that one's minute.
      requestTimeout: server.requestTimeoutMs,
      // Node looks for slow requests every 30 s by default, which would be the real limit of a shorter one.
      connectionsCheckingInterval: Math.min(longestCheckMs, Math.ceil(server.requestTimeoutMs / 4))
    },
    requestTimeout: server.requestTimeoutMs,
    bodyLimit: server.bodyLimitBytes,
    // Admission answers while the server closes, and graceful-close has waited before connections end.
    return503OnClosing: false,
    forceCloseConnections: true,
    // A path that cannot be decoded goes the way of every unknown path, past every check.
    rewriteUrl: ({ url = '/' }) => isDecodable(pathOf({ url })) ? url : '/undecodable-path'
  })

  // Node would drop what comes after the two thousandth, be it a second Mcp-Name; bytes bound them well enough.
  app.server.maxHeadersCount = 0

  await app.register(pipelinedResponses)
  await app.register(trace)
  await app.register(hostOrigin, { allowList: createHostAllowList(server) })
  await app.register(admission, { ...server, openPaths, isPrompt: (path) => promptPaths.test(path), scheduler })
  await app.register(bearerAuth, { verifier: createTokenVerifier({ token }), openPaths })
  await app.register(errorHandler, { bodyLimitBytes: server.bodyLimitBytes })

  await app.register(lifecycle)
  await app.register(telemetry, { settings: config.telemetry, flushMs: server.shutdownMs / 5, clock, scheduler, ids })
  await app.register(store, { open: () => openSqliteStore({ file: join(stateDir, 'mooring.sqlite'), isOwnFolder: config.isOwnStateDir }) })
  await app.register(sealingKeys, { file: join(stateDir, 'sealing-key'), ids })
  await app.register(events, { settings: config.subscriptions, scheduler })
  await app.register(leases, {
    settings: config.leases,
    connectDevices: connectDevices ?? (async () => createVirtualPhones({ settings: config.devices.virtual, clock, scheduler, ids })),
    onChange: (change) => publishPoolChange(app.bus, change),
    clock,
    scheduler,
    ids
  })
  await app.register(mcp, {
    offer: () => offer(createOffer({ leases: app.leases, bus: app.bus, clock, scheduler })),
    callLimitMs: server.callLimitMs,
    maxRequestsInFlight: server.maxRequestsInFlight,
    legacy: config.legacy,
    clock,
    scheduler,
    ids
  })
  await app.register(tokenFile, { file: server.tokenFile, token, ids, scheduler })
  await app.register(gracefulClose, { graceMs: server.shutdownMs / 2, scheduler })

  await beforeRoutes?.(app)
  await app.register(eventStreams, { scheduler })
  await app.register(mcpRoute, { bodyLimitBytes: server.bodyLimitBytes })
  await app.register(healthRoutes)
  await app.register(statusRoute, { clock })
  await app.register(heartbeatRoute, { bodyLimitBytes: server.bodyLimitBytes })
  await app.register(poolLists, { clock })
  await app.register(poolOrders, { bodyLimitBytes: server.bodyLimitBytes })
  return app
}

function isDecodable (path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
