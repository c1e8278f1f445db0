/**
 * The program as `mooring serve` runs it: the engine, and before it one HTTP ingress with the
 * settings of `server`. Everything with a clock, ids, randomness or timers gets them passed in.
 *
 * `listen` binds the port and touches nothing else; `startUp` starts the engine; `close` ends
 * both, the ingress first.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Authenticator } from './auth/authenticator.ts'
import { createHostAllowList } from './auth/host-allow-list.ts'
import { findServerToken } from './auth/server-token.ts'
import { createTokenAuthenticator } from './auth/verify-token.ts'
import { buildHttp, type HttpIngress } from './build-http.ts'
import type { Config } from './config/load-config.ts'
import type { DeviceDriver } from './devices/device-driver.ts'
import { fixedDevices, type DeviceSource } from './devices/device-source.ts'
import { createVirtualSource } from './devices/virtual/virtual-source.ts'
import type { LeaseManager } from './leases/contract/lease-manager.ts'
import { createMooring, type Mooring, type MooringParts } from './mooring/create-mooring.ts'
import type { Clock } from './runtime/clock.ts'
import type { Ids } from './runtime/ids.ts'
import type { Scheduler } from './runtime/scheduler.ts'
import { createLog } from './telemetry/create-log.ts'

export interface AppParts extends Partial<Pick<MooringParts, 'offer' | 'catalog'>>, Pick<HttpIngress, 'beforeRoutes'> {
  readonly config: Config
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  /** Where log lines go; they are JSON. */
  readonly logDestination?: NodeJS.WritableStream
  /** Connects devices in place of those that the settings describe. */
  readonly connectDevices?: () => Promise<readonly DeviceDriver[]>
  /** Authenticates in place of the one token, which it may ask. */
  readonly authenticator?: (token: Authenticator) => Authenticator
}

export interface App {
  readonly mooring: Mooring
  readonly http: FastifyInstance
  readonly server: FastifyInstance['server']
  readonly log: FastifyBaseLogger
  /** The pool; from the start on. */
  readonly leases: LeaseManager
  listen (address: { readonly host: string, readonly port: number }): Promise<string>
  startUp (): Promise<void>
  close (): Promise<void>
}

export async function buildApp (
  { config, clock, scheduler, ids, logDestination, connectDevices, offer, catalog, beforeRoutes, authenticator = (token) => token }: AppParts
): Promise<App> {
  const { server } = config
  const log = createLog({ level: config.log.level, destination: logDestination })
  const { token, services } = await findServerToken({
    origin: server.token, file: server.tokenFile, given: server.tokenFromVariable, ids, scheduler
  })

  function devicesOf (): Pick<MooringParts, 'sources' | 'virtualDevices'> {
    if (connectDevices !== undefined) return { sources: [connectedDevices(connectDevices)] }
    const virtual = createVirtualSource({ settings: config.devices.virtual, clock, scheduler, ids })
    return { sources: [virtual], virtualDevices: virtual }
  }

  const mooring = createMooring({
    config,
    clock,
    scheduler,
    ids,
    log,
    ...devicesOf(),
    ...(offer === undefined ? {} : { offer }),
    ...(catalog === undefined ? {} : { catalog }),
    services
  })
  const http = await buildHttp(mooring, {
    allowList: createHostAllowList(server),
    authenticator: authenticator(createTokenAuthenticator({ token, origin: server.token })),
    limits: server,
    clock,
    scheduler,
    log,
    ...(beforeRoutes === undefined ? {} : { beforeRoutes })
  })

  return {
    mooring,
    http,
    server: http.server,
    log,
    get leases () { return mooring.leases },
    listen: async (address) => await http.listen(address),
    startUp: async () => await mooring.start(),
    async close () {
      try {
        await http.close()
      } finally {
        await mooring.stop()
      }
    }
  }
}

/** A source of devices that are connected when it starts, and stay. */
function connectedDevices (connect: () => Promise<readonly DeviceDriver[]>): DeviceSource {
  return {
    start: async (sink) => await fixedDevices(await connect()).start(sink),
    async stop () {}
  }
}
