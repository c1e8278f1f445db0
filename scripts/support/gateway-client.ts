import { Agent, request, type OutgoingHttpHeaders } from 'node:http'
import { callerHeader } from './named-callers.ts'

/** How a tool call went. */
export type Answer =
  | { readonly ok: true, readonly facts: Readonly<Record<string, unknown>> }
  | { readonly ok: false, readonly code: string, readonly facts: Readonly<Record<string, unknown>> }

export interface HttpAnswer {
  readonly status: number
  readonly body: unknown
}

export interface CallOptions {
  readonly sessionKey?: string
  /** Gives up on the answer and hangs up. */
  readonly signal?: AbortSignal
}

/** One caller of a gateway, over HTTP as any other. Its methods reject when the connection breaks. */
export interface GatewayClient {
  call (tool: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>
  http (method: 'GET' | 'POST', path: string, body?: unknown): Promise<HttpAnswer>
}

export interface GatewayAddress {
  readonly port: number
  readonly token: string
}

export function keepAliveAgent (): Agent {
  return new Agent({ keepAlive: true, maxSockets: Infinity })
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'mooring-scripts', version: '1' }
}

/** `name` names the caller to a gateway that takes its word for it (`named-callers.ts`). */
export function gatewayClient ({ port, token }: GatewayAddress, name: string, agent: Agent): GatewayClient {
  let lastId = 0

  async function send (method: 'GET' | 'POST', path: string, body: unknown, headers: OutgoingHttpHeaders = {}, signal?: AbortSignal): Promise<HttpAnswer> {
    return await new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          [callerHeader]: name,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers
        },
        ...(signal === undefined ? {} : { signal })
      }, (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          try {
            resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(lastMessage(Buffer.concat(chunks).toString(), incoming.headers['content-type'])) })
          } catch (error) {
            reject(error)
          }
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  return {
    http: async (method, path, body) => await send(method, path, body),

    async call (tool, args, { sessionKey, signal } = {}) {
      const message = { jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params: { name: tool, arguments: args, _meta: meta } }
      const { status, body } = await send('POST', '/mcp', message, {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': tool,
        ...(sessionKey === undefined ? {} : { 'x-mooring-session-id': sessionKey })
      }, signal)
      return answerOf(tool, status, body)
    }
  }
}

/** A call that takes its time is answered with a stream, whose last message is the answer. */
function lastMessage (text: string, contentType: string | undefined): string {
  if (contentType?.startsWith('text/event-stream') !== true) return text
  return text.split('\n').findLast((line) => line.startsWith('data: '))?.slice('data: '.length) ?? ''
}

function answerOf (tool: string, status: number, body: unknown): Answer {
  const result = member(body, 'result')
  const facts = member(result, 'structuredContent')
  if (!isRecord(facts)) throw new Error(`${tool} was answered with ${status} ${JSON.stringify(body).slice(0, 500)}`)
  if (member(result, 'isError') !== true) return { ok: true, facts }
  return { ok: false, code: String(facts['code']), facts }
}

export function member (value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

export function isRecord (value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
