import type { EventBus } from '../events/event-bus.ts'
import type { ListenRegistry } from '../events/listen-registry.ts'
import { createEncoder } from '../protocol/encode.ts'
import { createSealer, type Sealer, type SealingKeys } from '../protocol/sealed-string.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Operations } from '../telemetry/operations.ts'
import { createCallLog } from './call-log.ts'
import { announceChanges } from './catalog/announce-changes.ts'
import type { Catalog } from './catalog/catalog.ts'
import { createListPages } from './catalog/list-pages.ts'
import { createCompletionMethods } from './completion.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { createExchange, type Exchange } from './exchange/exchange.ts'
import { createForwarding } from './forwarding.ts'
import { createHandshakeMethods } from './handshake.ts'
import { createInboundNotifications } from './inbound-notifications.ts'
import { createLegacySessions } from './legacy-sessions.ts'
import type { LegacySettings } from './legacy-settings.ts'
import { createListenMethods } from './listen.ts'
import { observeDispatcher } from './observed-dispatcher.ts'
import { createPromptMethods } from './prompts.ts'
import { createResourceMethods } from './resources.ts'
import { createRounds } from './rounds.ts'
import type { RunningRequests } from './running-requests.ts'
import { serverInfo } from './server-card.ts'
import { createServerRequests } from './server-requests.ts'
import { createToolMethods } from './tools.ts'

export interface McpParts {
  /** What is offered. */
  readonly catalog: Catalog
  /** What is worked on. It has another owner, because it can be told to stop before the start has come this far. */
  readonly running: RunningRequests
  readonly sealingKeys: SealingKeys
  readonly listenStreams: ListenRegistry
  readonly bus: EventBus
  /** Undefined where nothing is measured. */
  readonly operations: Operations | undefined
  readonly legacy: LegacySettings
  /** How many requests are worked on at a time. */
  readonly maxRequestsInFlight: number
  readonly log: McpLog
  readonly clock: Clock
  readonly ids: Ids
}

export type McpLog = Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>

export interface Mcp {
  /** Answers what comes in, over any channel. */
  readonly exchange: Exchange
  readonly dispatcher: Dispatcher
  /** Stops telling of changed lists. What still runs is the business of `running`. */
  close (): void
}

/** All that MCP requests are answered from. */
export function createMcp (parts: McpParts): Mcp {
  const { catalog, running, sealingKeys, listenStreams, bus, operations, legacy, maxRequestsInFlight, log, clock, ids } = parts
  const encoder = createEncoder(serverInfo)
  const pages = createListPages({ encoder })
  // Calls that wait for an answer leave room for the requests that bring it.
  const serverRequests = createServerRequests({ ids, maxWaiting: Math.floor(maxRequestsInFlight / 2) })
  const asked = legacy.serverRequests === 'on' ? serverRequests : undefined
  const sealerFor = (purpose: string): Sealer => createSealer({ keys: sealingKeys, purpose, clock, ids })
  const rounds = createRounds({ sealer: sealerFor('request state'), serverRequests: asked, ids })
  const forwarding = createForwarding({ sealer: sealerFor('forwarded request state'), serverRequests: asked, ids, log })
  const legacySessions = legacy.sessionId === 'sealed' ? createLegacySessions({ keys: sealingKeys, clock, ids }) : undefined
  const plain = createDispatcher({
    catalog,
    log,
    families: [
      createHandshakeMethods({ pages, legacySessions }),
      createToolMethods({ pages, rounds, forwarding, calls: createCallLog({ log, clock }), log, clock }),
      createResourceMethods({ pages, rounds, log }),
      createPromptMethods({ pages, rounds }),
      createCompletionMethods(),
      createListenMethods({ registry: listenStreams })
    ]
  })
  const dispatcher = operations === undefined ? plain : observeDispatcher(plain, operations)
  const takeInbound = createInboundNotifications({ running, serverRequests })
  const exchange = createExchange({ dispatcher, encoder, running, takeInbound, legacySessions, log })
  return { exchange, dispatcher, close: announceChanges(catalog, bus) }
}
