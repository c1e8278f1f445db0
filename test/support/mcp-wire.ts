import type { Agent, OutgoingHttpHeaders } from 'node:http'
import { exchange, type Reply } from './http-exchange.ts'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' }
}

/** Arguments that go into a header as well. */
const mirrored: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  acquireDevice: { device: 'mcp-param-device', platform: 'mcp-param-platform' }
}

const nameMembers: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

export interface Wire {
  /** A well-formed modern request; `headers` and `params` change it, an undefined header leaves it out. */
  modern (method: string, params?: Record<string, unknown>, headers?: OutgoingHttpHeaders): Promise<Reply>
  legacy (method: string, params?: Record<string, unknown>, headers?: OutgoingHttpHeaders): Promise<Reply>
  /** Any body under the headers of an authenticated JSON POST. */
  post (body: string | Buffer, headers?: OutgoingHttpHeaders): Promise<Reply>
  /** Calls a tool and gives back its result. */
  call (tool: string, args?: Record<string, unknown>): Promise<any>
}

/** Speaks MCP by hand to a server on this machine; `agent` keeps its connections, `headers` go with every request. */
export function mcpWire ({ port, token, agent, headers: always = {} }: {
  readonly port: number
  readonly token: string
  readonly agent?: Agent
  readonly headers?: OutgoingHttpHeaders
}): Wire {
  let lastId = 0

  async function post (body: string | Buffer, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}`, ...always, ...headers }
    return await exchange({ port, body, headers: withoutUndefined(all), agent })
  }

  async function modern (method: string, params: Record<string, unknown> = {}, headers: OutgoingHttpHeaders = {}): Promise<Reply> {
    const member = nameMembers[method]
    const name = member === undefined ? undefined : params[member]
    const body = { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta: { ...meta, ...params['_meta'] as object } } }
    return await post(JSON.stringify(body), {
      'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': typeof name === 'string' ? name : undefined, ...parameterHeaders(params), ...headers
    })
  }

  return {
    modern,
    post,
    legacy: async (method, params = {}, headers = {}) => await post(
      JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }), { 'mcp-protocol-version': '2025-11-25', ...headers }
    ),
    call: async (tool, args = {}) => (await modern('tools/call', { name: tool, arguments: args })).json().result
  }
}

function parameterHeaders ({ name, arguments: args }: Record<string, unknown>): OutgoingHttpHeaders {
  const headers = typeof name === 'string' ? mirrored[name] : undefined
  if (headers === undefined || typeof args !== 'object' || args === null) return {}
  return Object.fromEntries(Object.entries(args).flatMap(([argument, value]) => {
    const header = headers[argument]
    return header !== undefined && typeof value === 'string' ? [[header, value]] : []
  }))
}

function withoutUndefined (headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
}

/** The messages of a server-sent event stream, in order; comments are left out. */
export function eventsOf (text: string): any[] {
  return text.split('\n\n').flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6))))
}
