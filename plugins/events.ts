import fp from 'fastify-plugin'
import { createEventBus, type EventBus } from '../src/events/event-bus.ts'
import { createListenRegistry, type ListenRegistry } from '../src/events/listen-registry.ts'
import type { SubscriptionSettings } from '../src/events/subscription-settings.ts'
import { serverInfo } from '../src/mcp/server-card.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'
import { createSlices, type Slices } from '../src/runtime/slices.ts'
import { runOutsideScopes } from '../src/runtime/request-scope.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where changes are published, and told to those who subscribe. */
    readonly bus: EventBus
    readonly listenStreams: ListenRegistry
    /** For loops over streams, which can be thousands. */
    readonly slices: Slices
  }
}

export interface EventsOptions {
  readonly settings: SubscriptionSettings
  readonly scheduler: Scheduler
}

/** Owns what is told to clients without being asked for: `fastify.bus`, `fastify.listenStreams`. */
export default fp<EventsOptions>(async function events (fastify, { settings, scheduler }) {
  const bus = createEventBus({ log: fastify.log })
  const inTurn = createSlices()
  // Telling thousands is nobody's request, whoever sets it off.
  const slices: Slices = { run: (items, work) => runOutsideScopes(() => inTurn.run(items, work)) }

  fastify.decorate('bus', bus)
  fastify.decorate('slices', slices)
  fastify.decorate('listenStreams', createListenRegistry({ bus, settings, scheduler, slices, serverInfo, log: fastify.log }))
}, { name: 'events', fastify: '5.x' })
