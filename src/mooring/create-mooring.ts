/**
 * The engine: what mooring is, without any way to reach it.
 *
 * It owns what there is once in a process: the database, the sealing keys, telemetry, the bus
 * and the listen streams, the devices with their leases, and MCP. An ingress (an HTTP listener,
 * say) is put before it, hands requests to `mcp` and `leases`, and belongs to the code that made it;
 * several ingresses share one engine.
 *
 *   new       nothing has been opened; an ingress may exist already and holds its requests
 *   starting  the services start, in order
 *   started   requests are answered
 *   failed    a service did not start; what had started has been stopped
 *   stopped   final
 *
 * Making it opens nothing. What a service opens at its start is there from then on; asking for it
 * earlier throws, so an ingress must not let a request through before the engine has started.
 */
import { join } from 'node:path'
import { openSealingKeys } from '../auth/sealing-key-file.ts'
import type { Config } from '../config/load-config.ts'
import type { DeviceSource } from '../devices/device-source.ts'
import type { VirtualDevices } from '../devices/virtual-devices.ts'
import { createEventBus, type EventBus } from '../events/event-bus.ts'
import { createListenRegistry, type ListenRegistry } from '../events/listen-registry.ts'
import type { LeaseManager } from '../leases/contract/lease-manager.ts'
import { createLeaseManager } from '../leases/create-lease-manager.ts'
import type { Catalog } from '../mcp/catalog/catalog.ts'
import { createLocalCatalog } from '../mcp/catalog/local-catalog.ts'
import { createMcp, type Mcp } from '../mcp/create-mcp.ts'
import { createRunningRequests, type RunningRequests } from '../mcp/running-requests.ts'
import { serverInfo } from '../mcp/server-card.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { outsideScopes, runOutsideScopes } from '../runtime/request-scope.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import { createServices, opening, type Service } from '../runtime/services.ts'
import { createSlices, type Slices } from '../runtime/slices.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { createTelemetry, type Telemetry } from '../telemetry/create-telemetry.ts'
import { createOffer, type Offer } from '../tools/offer.ts'
import { createPoolChanges } from '../tools/pool-changes.ts'

export type MooringState = 'new' | 'starting' | 'started' | 'failed' | 'stopped'

export interface Mooring {
  readonly state: MooringState
  /** Resolves when the start is over, however it ended; never rejects. */
  readonly settled: Promise<'started' | 'failed'>
  /** Where changes are published, and told to the listen streams. */
  readonly bus: EventBus
  readonly listenStreams: ListenRegistry
  /** For loops over streams, which can be thousands. */
  readonly slices: Slices
  readonly telemetry: Telemetry
  readonly mcp: ServedMcp
  /** What outlives the process; from the start on. */
  readonly store: Store
  /** The pool; from the start on. */
  readonly leases: LeaseManager
  /** Virtual devices that operators add and remove, where there is a source of them. */
  readonly virtualDevices: VirtualDevices | undefined
  /**
   * Starts everything; called once, when the ingresses have their ports.
   *
   * @throws what a service throws; everything is stopped by then
   */
  start (): Promise<void>
  /** Stops everything in the reverse order; called when the ingresses have closed. */
  stop (): Promise<void>
}

/** What MCP requests are answered from, and those that are worked on. */
export interface ServedMcp extends Pick<Mcp, 'exchange' | 'dispatcher'> {
  readonly running: RunningRequests
}

export interface MooringLog {
  info (facts: object, message: string): void
  warn (facts: object, message: string): void
  error (facts: object, message: string): void
}

export interface MooringParts {
  readonly config: Config
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly log: MooringLog
  /** Where the devices of the pool come from. */
  readonly sources: readonly DeviceSource[]
  /** The one of them, if there is, whose devices operators add and remove. */
  readonly virtualDevices?: VirtualDevices
  /** What is offered in place of what the pool offers. */
  readonly offer?: (pool: Offer) => Offer
  /** The catalog in place of the one of this server, which may be part of it. */
  readonly catalog?: (local: Catalog) => Catalog
  /** What starts when everything else has, in order, such as the publication of a token. */
  readonly services?: readonly Service[]
}

export function createMooring (
  {
    config, clock, scheduler: timers, ids, log, sources, virtualDevices, offer = (pool) => pool, catalog = (local) => local, services: further = []
  }: MooringParts
): Mooring {
  const { server, stateDir } = config
  const scheduler = outsideScopes(timers)

  const inTurn = createSlices()
  // Telling thousands of streams belongs to no request, whichever sets it off.
  const slices: Slices = { run: (items, work) => runOutsideScopes(() => inTurn.run(items, work)) }
  const bus = createEventBus({ log })
  const listenStreams = createListenRegistry({ bus, settings: config.subscriptions, scheduler, slices, serverInfo, log })

  const telemetry = createTelemetry({ settings: config.telemetry, flushMs: server.shutdownMs / 5, clock, scheduler, ids, log })
  const store = opening({
    name: 'store',
    open: async () => await openStore({ settings: config.store, stateDir, isOwnStateDir: config.isOwnStateDir, scheduler, log }),
    close: async (opened) => await opened.close()
  })
  // After the database, whose lock makes the state directory ours.
  const sealingKeys = opening({
    name: 'sealing keys',
    open: async () => await openSealingKeys({ file: join(stateDir, 'sealing-key'), ids })
  })
  const poolChanges = createPoolChanges(bus)
  const leases = opening<LeaseManager>({
    name: 'leases',
    open: async () => {
      const manager = createLeaseManager({
        store: store.opened.leases,
        ledger: store.opened.changes,
        sources,
        clock,
        scheduler,
        ids,
        settings: config.leases,
        log,
        onChange: (change) => poolChanges.tell(change)
      })
      try {
        await manager.start()
        await poolChanges.watch(manager)
      } catch (error) {
        await manager.stop()
        throw error
      }
      return manager
    },
    close: async (manager) => await manager.stop()
  })
  // Before the start as well: an ingress that closes asks what came through it, however far the start came.
  const running = createRunningRequests({ limitMs: server.callLimitMs, clock, scheduler })
  const mcp = opening({
    name: 'mcp',
    open: () => createMcp({
      catalog: catalog(createLocalCatalog(offer(createOffer({ leases: leases.opened, bus, clock, scheduler })))),
      running,
      sealingKeys: sealingKeys.opened,
      listenStreams,
      bus,
      operations: telemetry.operations,
      legacy: config.legacy,
      maxRequestsInFlight: server.maxRequestsInFlight,
      log,
      clock,
      ids
    }),
    close: async (opened) => opened.close()
  })
  const services = createServices([telemetry, store, sealingKeys, leases, mcp, ...further], log)

  let state: MooringState = 'new'
  let settle: (outcome: 'started' | 'failed') => void = () => {}
  const settled = new Promise<'started' | 'failed'>((resolve) => { settle = resolve })

  return {
    get state () { return state },
    settled,
    bus,
    listenStreams,
    slices,
    telemetry,
    mcp: {
      running,
      get exchange () { return mcp.opened.exchange },
      get dispatcher () { return mcp.opened.dispatcher }
    },
    get store () { return store.opened },
    get leases () { return leases.opened },
    virtualDevices,

    async start () {
      state = 'starting'
      try {
        await services.start()
        state = 'started'
        settle('started')
      } catch (error) {
        state = 'failed'
        settle('failed')
        throw error
      }
    },

    async stop () {
      running.abortAll()
      try {
        await services.stop()
      } finally {
        running.close()
        state = 'stopped'
      }
    }
  }
}
