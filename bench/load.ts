/** What is asked of every contender, and how such a request looks on the wire. */
import type { Era } from '../src/protocol/versions.ts'

export interface Load {
  readonly method: (typeof benchedMethods)[number]
  readonly era: Era
  /** How many tools the contender has. */
  readonly toolCount: number
}

export const toolCounts = [5, 50, 200]

export const benchedMethods = ['tools/call', 'tools/list'] as const

export function loadsOf (toolCount: number, methods: ReadonlyArray<Load['method']> = benchedMethods): readonly Load[] {
  return methods.flatMap((method) =>
    (['modern', 'legacy'] as const).map((era) => ({ method, era, toolCount })))
}

export function loadName ({ method, era, toolCount }: Load): string {
  return `${method}, ${era}, ${toolCount} tools`
}

export interface LoadRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** For contenders that look at no token: as long as the ones of mooring, so that requests are equally long. */
export const unasked = 'x'.repeat(43)

/** Where a contender that only repeats bytes keeps the answer to a load. */
export function repeatedPath ({ method, era }: Load): string {
  return `/${era}/${method}`
}

/** Equal for all contenders, byte for byte but for path and token. */
export function requestOf ({ method, era }: Load, path: string, token: string): LoadRequest {
  const params = method === 'tools/call' ? { name: 'echo', arguments: { text: 'Hello from the other side of the wire.' } } : {}
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`
  }
  return era === 'modern'
    ? {
        path,
        headers: {
          ...headers,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(method === 'tools/call' ? { 'mcp-name': params.name ?? '' } : {})
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } })
      }
    : {
        path,
        headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      }
}

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' }
}

/** The whole request as it is written to the socket. */
export function requestBytes ({ path, headers, body }: LoadRequest, port: number): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
