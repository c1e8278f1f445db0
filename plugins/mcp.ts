import fp from 'fastify-plugin'
import { createLocalCatalog } from '../src/mcp/catalog/local-catalog.ts'
import { createMcp, type Mcp } from '../src/mcp/create-mcp.ts'
import type { LegacySettings } from '../src/mcp/legacy-settings.ts'
import { createRunningRequests, type RunningRequests } from '../src/mcp/running-requests.ts'
import type { Clock } from '../src/runtime/clock.ts'
import type { Ids } from '../src/runtime/ids.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'
import type { Offer } from '../src/tools/offer.ts'
import type {} from './events.ts'
import type {} from './sealing-keys.ts'
import type {} from './telemetry.ts'

declare module 'fastify' {
  interface FastifyInstance {
    mcp: ServedMcp
  }
}

/** What requests are answered from is there once the start-up has made it. */
export interface ServedMcp extends Pick<Mcp, 'exchange' | 'dispatcher'> {
  readonly running: RunningRequests
}

export interface McpOptions {
  /** Makes the offer, once the pool is there. */
  readonly offer: () => Offer
  /** How long one request may run. */
  readonly callLimitMs: number
  /** How many requests are worked on at a time. */
  readonly maxRequestsInFlight: number
  readonly legacy: LegacySettings
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
}

/** Owns what MCP requests are answered from: `fastify.mcp`. */
export default fp<McpOptions>(async function mcp (fastify, { offer, callLimitMs, maxRequestsInFlight, legacy, clock, scheduler, ids }) {
  const running = createRunningRequests({ limitMs: callLimitMs, clock, scheduler })
  let made: Mcp | undefined

  function ready (): Mcp {
    if (made === undefined) throw new Error('there is nothing to dispatch to')
    return made
  }

  fastify.decorate('mcp', {
    running,
    get exchange () { return ready().exchange },
    get dispatcher () { return ready().dispatcher }
  })

  fastify.onStartUp(async () => {
    made = createMcp({
      catalog: createLocalCatalog(offer()),
      running,
      sealingKeys: fastify.sealingKeys,
      listenStreams: fastify.listenStreams,
      bus: fastify.bus,
      operations: fastify.telemetry.operations,
      legacy,
      maxRequestsInFlight,
      log: fastify.log,
      clock,
      ids
    })
  })

  fastify.addHook('onClose', async () => {
    made?.close()
    running.close()
  })
}, { name: 'mcp', fastify: '5.x', dependencies: ['events', 'leases', 'sealing-keys', 'telemetry'] })
