import type { Catalog } from '../../src/mcp/catalog/catalog.ts'
import { createMcp, type Mcp } from '../../src/mcp/create-mcp.ts'
import { createRunningRequests, type RunningRequests } from '../../src/mcp/running-requests.ts'
import { readIncoming } from '../../src/protocol/envelope.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import type { Offer } from '../../src/tools/offer.ts'
import { listenBench, type ListenBench } from './listen-bench.ts'
import { localCatalog } from './mcp-bench.ts'
import { memoryChannel, senderOf, type MemoryChannel } from './memory-channel.ts'

export interface ExchangeBench extends Pick<ListenBench, 'bus' | 'registry' | 'time' | 'pass'> {
  readonly mcp: Mcp
  readonly running: RunningRequests
  /** What was logged, as text. */
  readonly lines: readonly string[]
  /** Sends a message; gives back its channel at once. */
  send (body: unknown, options?: { readonly who?: string, readonly header?: string, readonly channel?: MemoryChannel }): MemoryChannel & { readonly over: Promise<void> }
  /** Sends a modern request. */
  modern (method: string, params?: object, options?: { readonly id?: number, readonly who?: string, readonly channel?: MemoryChannel, readonly meta?: object }): ReturnType<ExchangeBench['send']>
  /** Sends a legacy request. */
  legacy (method: string, params?: object, options?: { readonly id?: number, readonly who?: string, readonly channel?: MemoryChannel, readonly version?: string }): ReturnType<ExchangeBench['send']>
}

/** Everything that MCP requests are answered from, without HTTP. */
export function exchangeBench ({ offer = {}, catalog = localCatalog(offer), maxStreams }: {
  readonly offer?: Partial<Offer>
  readonly catalog?: Catalog
  readonly maxStreams?: number
} = {}): ExchangeBench {
  const { registry, bus, time, pass } = listenBench(maxStreams === undefined ? {} : { settings: { maxStreams } })
  const lines: string[] = []
  const write = (facts: object, message: string): void => { lines.push(`${message} ${JSON.stringify(facts)}`) }
  const running = createRunningRequests({ limitMs: 60_000, ...time })
  const mcp = createMcp({
    catalog,
    running,
    sealingKeys: [randomIds.bytes(32)],
    listenStreams: registry,
    bus,
    operations: undefined,
    legacy: { serverRequests: 'on', sessionId: 'none' },
    maxRequestsInFlight: 20,
    log: { info: () => {}, warn: write, error: write },
    clock: time.clock,
    ids: randomIds
  })
  let lastId = 0

  function send (body: unknown, { who = 'ada', header, channel = memoryChannel() }: Parameters<ExchangeBench['send']>[1] = {}) {
    const over = mcp.exchange.answer(readIncoming(body, header), senderOf(who), channel)
    return Object.defineProperty(channel, 'over', { value: over, configurable: true }) as MemoryChannel & { readonly over: Promise<void> }
  }

  return {
    mcp,
    running,
    bus,
    registry,
    time,
    pass,
    lines,
    send,
    modern (method, params = {}, { id = ++lastId, meta = {}, ...options } = {}) {
      const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...meta }
      return send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, { header: '2026-07-28', ...options })
    },
    legacy: (method, params = {}, { id = ++lastId, version = '2025-11-25', ...options } = {}) =>
      send({ jsonrpc: '2.0', id, method, params }, { header: version, ...options })
  }
}
