import type { Envelope } from '../protocol/envelope.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import type { JsonObject } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import type { Era } from '../protocol/versions.ts'

/** One step of a request's progress (PROG-02). */
export interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** What a method may do besides answering. */
export interface MethodContext {
  /** Sends progress on the request's own stream; does nothing without a token or a stream. */
  readonly progress: (step: ProgressStep) => void
  /** Sends a log message on the request's own stream, if the caller wants ones of this level. */
  readonly log: (level: LogLevel, data: JsonObject) => void
  /**
   * Puts an encoded message on the request's own stream, and says whether anybody reads it.
   * Absent where requests may not be sent to the caller: modern callers get none (HTTP-15), and
   * a legacy one only on a stream.
   */
  readonly write?: (message: string) => boolean
}

/** One MCP method. Its handler answers with a result, or throws a `ProtocolError` or a `Refusal`. */
export interface Method {
  readonly eras: readonly Era[]
  /** Whether this request can send anything before its result, and so needs a stream (HTTP-05). */
  readonly mayStream?: (request: Envelope) => boolean
  /** How long this request may wait for something to come free, as its caller wants it. */
  readonly patienceMs?: (request: Envelope) => number
  readonly handle: (request: McpRequest, context: MethodContext) => Result | Promise<Result>
}

/**
 * A method whose answer goes on after it has been accepted. It throws a `ProtocolError` or a
 * `Refusal` before it sends anything, or takes the stream over, result included.
 */
export interface StreamMethod {
  readonly eras: readonly Era[]
  readonly open: (request: McpRequest, stream: MessageStream) => Promise<void>
}

/** Methods by name; each method family file makes one of these. */
export type MethodTable = Readonly<Record<string, Method | StreamMethod>>

export const bothEras: readonly Era[] = ['modern', 'legacy']

/** A string member of `params`, or `undefined` when it is missing or something else. */
export function textParam (params: JsonObject, member: string): string | undefined {
  const value = params[member]
  return typeof value === 'string' ? value : undefined
}
