import type { ListenRegistry } from '../../src/events/listen-registry.ts'
import type { Catalog } from '../../src/mcp/catalog/catalog.ts'
import { createListPages } from '../../src/mcp/catalog/list-pages.ts'
import { createLocalCatalog } from '../../src/mcp/catalog/local-catalog.ts'
import { createCompletionMethods } from '../../src/mcp/completion.ts'
import { createDispatcher, outcomeOf, type Dispatcher, type Outcome } from '../../src/mcp/dispatcher.ts'
import { silent } from '../../src/mcp/exchange/stream-context.ts'
import { createForwarding } from '../../src/mcp/forwarding.ts'
import { createHandshakeMethods } from '../../src/mcp/handshake.ts'
import { createListenMethods } from '../../src/mcp/listen.ts'
import type { MethodContext } from '../../src/mcp/method.ts'
import { createPromptMethods } from '../../src/mcp/prompts.ts'
import { createResourceMethods } from '../../src/mcp/resources.ts'
import { createToolMethods } from '../../src/mcp/tools.ts'
import { createEncoder, encodeError, type Encoder } from '../../src/protocol/encode.ts'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import type { MessageStream } from '../../src/protocol/message-stream.ts'
import type { Rejection } from '../../src/protocol/rejection.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import type { Offer } from '../../src/tools/offer.ts'
import { collectingLog } from './collecting-log.ts'
import type { ManualTime } from './manual-time.ts'
import { roundsBench } from './rounds.ts'

export interface McpBench {
  readonly dispatcher: Dispatcher
  readonly encoder: Encoder
  readonly log: ReturnType<typeof collectingLog>
  readonly time: ManualTime
  dispatch (request: McpRequest, context?: MethodContext): Promise<Outcome>
  /** The result as its caller gets it, or the rejection. */
  answer (request: McpRequest, context?: MethodContext): Promise<any>
  /** Hands a stream over; @returns why not */
  open (request: McpRequest, stream: MessageStream): Promise<Rejection | undefined>
}

export interface McpBenchParts {
  readonly offer?: Partial<Offer>
  /** In place of one that offers `offer`. */
  readonly catalog?: Catalog
  readonly listenStreams?: ListenRegistry
  readonly pageSize?: number
}

/** Every method, over an offer of the test's. */
export function mcpBench ({ offer = {}, catalog = localCatalog(offer), listenStreams, pageSize }: McpBenchParts = {}): McpBench {
  const log = collectingLog()
  const encoder = createEncoder({ name: 'mooring', version: '1', title: 'mooring' })
  const { rounds, sealer, serverRequests, time } = roundsBench()
  const pages = createListPages({ encoder, ...(pageSize === undefined ? {} : { pageSize }) })
  const dispatcher = createDispatcher({
    log,
    catalog,
    families: [
      createHandshakeMethods({ pages, legacySessions: undefined }),
      createToolMethods({ pages, rounds, forwarding: createForwarding({ sealer, serverRequests, ids: randomIds, log }), calls: { run: (_tool, call) => call() }, log, clock: time.clock }),
      createResourceMethods({ pages, rounds, log }),
      createPromptMethods({ pages, rounds }),
      createCompletionMethods(),
      ...(listenStreams === undefined ? [] : [createListenMethods({ registry: listenStreams })])
    ]
  })

  async function dispatch (request: McpRequest, context: MethodContext = silent): Promise<Outcome> {
    const prepared = await dispatcher.prepare(request)
    if (prepared.kind === 'open') throw new Error('it opens a stream')
    return await outcomeOf(dispatcher, prepared, context)
  }

  return {
    dispatcher,
    encoder,
    log,
    time,
    dispatch,
    async answer (request, context) {
      const outcome = await dispatch(request, context)
      return outcome.kind === 'rejected' ? outcome.rejection : JSON.parse(encoder.result(request, outcome).toString()).result
    },
    async open (request, stream) {
      const prepared = await dispatcher.prepare(request)
      if (prepared.kind !== 'open') throw new Error('it opens no stream')
      return await prepared.open(stream)
    }
  }
}

export function localCatalog (offer: Partial<Offer>): Catalog {
  return createLocalCatalog({ tools: [], resources: [], prompts: [], ...offer })
}

/** A rejection as its caller gets it, with its status. */
export function errorOf ({ id, era }: McpRequest, rejection: Rejection): { readonly status: number } & Record<string, any> {
  return { status: rejection.status, ...JSON.parse(encodeError(id, rejection, era)).error }
}
