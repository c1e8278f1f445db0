import type { McpRequest } from '../protocol/mcp-request.ts'
import type { TraceContext } from '../protocol/trace-context.ts'

/** The two ends of the connection that a request came over. */
export interface Peer {
  /** Of HTTP: `1.1`. */
  readonly protocolVersion: string
  readonly serverAddress: string
  readonly serverPort: number | undefined
  readonly clientAddress: string | undefined
  readonly clientPort: number | undefined
}

/** One MCP request as far as it may be shown. */
export interface Operation {
  readonly request: Pick<McpRequest, 'era' | 'version' | 'id'>
  readonly principalKey: string
  readonly trace: TraceContext | undefined
  readonly peer: Peer | undefined
  /** Undefined where there is no such method: what a caller makes up becomes no name. */
  readonly method: string | undefined
  /** Of a tool that exists. */
  readonly tool?: string | undefined
  /** Of a prompt that exists. */
  readonly prompt?: string | undefined
  /** As the caller sent it; it is shown without what may be private. */
  readonly uri?: string | undefined
}

/** How a request failed: with the code of a JSON-RPC error, by what a tool said, or for a reason unknown. */
export type Failure = number | 'tool_error' | '_OTHER'
