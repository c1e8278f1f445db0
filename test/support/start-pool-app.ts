import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { callerHeader } from '../../scripts/support/named-callers.ts'
import { exchange, type Reply } from './http-exchange.ts'
import { idle } from './idle.ts'
import { messagesOf } from './messages-of.ts'
import { startTestApp, type TestApp } from './start-test-app.ts'

export const eras = ['modern', 'legacy'] as const
export type Era = (typeof eras)[number]

export interface Caller {
  readonly era?: Era
  /** The name of the principal. */
  readonly who?: string
  readonly headers?: OutgoingHttpHeaders
  readonly progressToken?: string
}

/** An answer that is read while it comes. */
export interface OpenCall {
  readonly status: number | undefined
  readonly contentType: string | undefined
  /** The next message of the stream; undefined when it has ended. */
  next (): Promise<any>
  /** Goes away: politely, or with a reset. */
  leave (how: 'close' | 'reset'): void
}

export interface PoolApp extends TestApp {
  /** Calls a tool and gives back the whole reply. */
  send (tool: string, args?: Record<string, unknown>, caller?: Caller): Promise<Reply>
  /** Calls a tool and gives back its result. */
  call (tool: string, args?: Record<string, unknown>, caller?: Caller): Promise<any>
  /** Begins a call of a tool. */
  start (tool: string, args?: Record<string, unknown>, caller?: Caller): ClientRequest
  /** Calls a tool whose answer takes its time; resolves with the head of the response. */
  open (tool: string, args?: Record<string, unknown>, caller?: Caller): Promise<OpenCall>
  /** Resolves when that many requests wait in the queue. */
  waiting (count: number): Promise<void>
  /** Device and principal of each lease. */
  held (): Promise<readonly string[]>
}

const mirrored: Readonly<Record<string, string>> = { device: 'mcp-param-device', platform: 'mcp-param-platform' }

/** The whole server over virtual Android phones, with a principal for each name. */
export async function startPoolApp (t: Parameters<typeof startTestApp>[0], { phones }: { readonly phones: number }): Promise<PoolApp> {
  const test = await startTestApp(t, { phones, unnamed: 'ada' })
  const { app, port } = test
  const token = await test.token()
  let lastId = 0

  function post (tool: string, args: Record<string, unknown>, { era = 'modern', who = 'ada', headers = {}, progressToken }: Caller): { headers: OutgoingHttpHeaders, body: string } {
    const meta = {
      ...(era === 'legacy' ? {} : { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }),
      ...(progressToken === undefined ? {} : { progressToken })
    }
    const parameters = tool === 'acquireDevice' ? Object.entries(args).flatMap(([name, value]) => mirrored[name] === undefined ? [] : [[mirrored[name], value]]) : []
    return {
      body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params: { name: tool, arguments: args, _meta: meta } }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        [callerHeader]: who,
        ...(era === 'legacy'
          ? { 'mcp-protocol-version': '2025-11-25' }
          : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool, ...Object.fromEntries(parameters) }),
        ...headers
      }
    }
  }

  const start: PoolApp['start'] = (tool, args = {}, caller = {}) => {
    const { headers, body } = post(tool, args, caller)
    const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent: false, headers })
    outgoing.on('error', () => {})
    outgoing.end(body)
    return outgoing
  }

  const send: PoolApp['send'] = async (tool, args = {}, caller = {}) => await exchange({ port, ...post(tool, args, caller) })

  return {
    ...test,
    send,
    start,
    async call (tool, args, caller) {
      const { text, headers } = await send(tool, args, caller)
      const messages = headers['content-type']?.startsWith('text/event-stream') === true
        ? text.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6))
        : [text]
      return JSON.parse(messages.at(-1) ?? '').result
    },
    async open (tool, args, caller) {
      const outgoing = start(tool, args, caller)
      const [response] = await once(outgoing, 'response') as [IncomingMessage]
      const messages = messagesOf(response)
      return {
        status: response.statusCode,
        contentType: response.headers['content-type'],
        next: async () => (await messages.next()).value,
        leave: (how) => { how === 'close' ? outgoing.destroy() : response.socket.resetAndDestroy() }
      }
    },
    async waiting (count) {
      while (app.leases.waiting().length !== count) await idle()
    },
    held: async () => (await app.leases.list()).map(({ deviceId, holder }) => `${deviceId} ${holder.principal.split('\0')[1]}`).sort()
  }
}
