import type { McpRequest } from '../protocol/mcp-request.ts'
import type { TraceContext } from '../protocol/trace-context.ts'
import type { Peer } from '../runtime/request-scope.ts'

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

/** How a request ended. */
export interface Ending {
  /** Undefined where it did not fail. */
  readonly failure?: Failure | undefined
  /** The code of the refusal that it was answered with: `docs/errors.md` lists them. */
  readonly refusal?: string | undefined
  /** How long it only waited, in milliseconds. */
  readonly waitedMs?: number | undefined
}

/** How a request failed: with the code of a JSON-RPC error, by what a tool said, or for a reason unknown. */
export type Failure = number | 'tool_error' | '_OTHER'
