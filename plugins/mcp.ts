import fp from 'fastify-plugin'
import { createCompletionMethods } from '../src/mcp/completion.ts'
import { createDispatcher, type Dispatcher } from '../src/mcp/dispatcher.ts'
import { createHandshakeMethods } from '../src/mcp/handshake.ts'
import { createHearing, type Hear } from '../src/mcp/hearing.ts'
import type { LegacySettings } from '../src/mcp/legacy-settings.ts'
import { createListenMethods } from '../src/mcp/listen.ts'
import { observeDispatcher, type KnownNames } from '../src/mcp/observed-dispatcher.ts'
import { createPromptMethods } from '../src/mcp/prompts.ts'
import { createResourceFinder, createResourceMethods, registerResources } from '../src/mcp/resources.ts'
import { createRounds } from '../src/mcp/rounds.ts'
import { createRunningRequests, type RunningRequests } from '../src/mcp/running-requests.ts'
import { serverInfo } from '../src/mcp/server-card.ts'
import { createServerRequests } from '../src/mcp/server-requests.ts'
import { createToolRegistry } from '../src/mcp/tool-registry.ts'
import { createToolMethods } from '../src/mcp/tools.ts'
import { createEncoder, type Encoder } from '../src/protocol/encode.ts'
import { createSealer } from '../src/protocol/sealed-string.ts'
import type { Clock } from '../src/runtime/clock.ts'
import type { Ids } from '../src/runtime/ids.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'
import type { Offer } from '../src/tools/offer.ts'
import type {} from './events.ts'
import type {} from './sealing-keys.ts'
import type {} from './telemetry.ts'

export interface Mcp {
  /** There once the start-up has made what it dispatches to. */
  readonly dispatcher: Dispatcher
  readonly encoder: Encoder
  readonly running: RunningRequests
  readonly hear: Hear
  /** What of requests may be named in telemetry. */
  readonly names: KnownNames
}

declare module 'fastify' {
  interface FastifyInstance {
    mcp: Mcp
  }
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
  const encoder = createEncoder(serverInfo)
  const running = createRunningRequests({ limitMs: callLimitMs, clock, scheduler })
  // Calls that wait for an answer leave room for the requests that bring it.
  const serverRequests = createServerRequests({ ids, maxWaiting: Math.floor(maxRequestsInFlight / 2) })

  let served: { readonly dispatcher: Dispatcher, readonly names: KnownNames } | undefined

  fastify.decorate('mcp', {
    encoder,
    running,
    hear: createHearing({ running, serverRequests }),
    get dispatcher () { return ready().dispatcher },
    get names () { return ready().names }
  })

  fastify.onStartUp(async () => {
    const offered = offer()
    const dispatcher = createMethods(offered)
    const names = {
      hasMethod: dispatcher.has,
      tools: new Set(offered.tools.map(({ name }) => name)),
      prompts: new Set(offered.prompts.map(({ name }) => name))
    }
    const { operations } = fastify.telemetry
    served = { names, dispatcher: operations === undefined ? dispatcher : observeDispatcher(dispatcher, operations, names) }
  })

  function ready (): NonNullable<typeof served> {
    if (served === undefined) throw new Error('there is nothing to dispatch to')
    return served
  }

  function createMethods ({ tools, resources, prompts }: Offer): Dispatcher {
    const registered = registerResources(resources)
    const rounds = createRounds({
      sealer: createSealer({ keys: fastify.sealingKeys, purpose: 'request state', clock, ids }),
      serverRequests: legacy.serverRequests === 'on' ? serverRequests : undefined,
      ids
    })
    return createDispatcher({
      log: fastify.log,
      families: [
        createHandshakeMethods(encoder),
        createToolMethods({ registry: createToolRegistry(tools), encoder, rounds, log: fastify.log }),
        createResourceMethods({ resources: registered, encoder, rounds }),
        createPromptMethods({ prompts, encoder, rounds }),
        createCompletionMethods({ prompts, resources: registered }),
        createListenMethods({ registry: fastify.listenStreams, findResource: createResourceFinder(registered) })
      ]
    })
  }

  fastify.addHook('onClose', async () => running.close())
}, { name: 'mcp', fastify: '5.x', dependencies: ['events', 'leases', 'sealing-keys', 'telemetry'] })
