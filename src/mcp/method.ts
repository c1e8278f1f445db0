import type { LogLevel } from '../protocol/log-level.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import type { JsonObject } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import type { Era } from '../protocol/versions.ts'
import type { CatalogView } from './catalog/catalog.ts'

/** One step of a request's progress (PROG-02). */
export interface ProgressStep {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** The way to the caller of a request while that runs. */
export interface CallerLine {
  /** Puts an encoded message on the request's own stream, and says whether the caller is there to read it. */
  write (message: string): boolean
  /** Fires when the caller is not there to read any more. */
  readonly gone: AbortSignal
}

/** What a method may do besides answering. */
export interface MethodContext {
  /** Sends progress on the request's own stream; does nothing without a token or a stream. */
  readonly progress: (step: ProgressStep) => void
  /** Sends a log message on the request's own stream, if the caller wants ones of this level. */
  readonly log: (level: LogLevel, data: JsonObject) => void
  /**
   * Absent where requests may not be sent to the caller: modern callers get none (HTTP-15), and a
   * legacy one only on a stream.
   */
  readonly line?: CallerLine
}

/** One request to a method, with all that it names already found. */
export interface Work {
  /** `stream` where something can be sent before the result (HTTP-05). */
  readonly kind: 'json' | 'stream'
  /** How long it may wait for something to come free before its work begins, as its caller wants it. */
  readonly maxWaitMs: number
  /** The tool that is called, if it exists; for telemetry. */
  readonly tool?: string | undefined
  /** The prompt that is asked for, if it exists; for telemetry. */
  readonly prompt?: string | undefined
  /** Answers with a result, or throws a `ProtocolError` or a `Refusal`. */
  readonly run: (context: MethodContext) => Result | Promise<Result>
}

interface OfEras {
  readonly eras: readonly Era[]
}

/** Answers without looking at what is offered, and so without waiting for it. */
interface PlainMethod extends OfEras {
  readonly answer: (request: McpRequest) => Result
}

/** Answers from what the caller is offered, with one message. */
interface ViewMethod extends OfEras {
  readonly handle: (request: McpRequest, view: CatalogView) => Result | Promise<Result>
}

/** Finds first what a request names, because that decides how it is answered. Does not throw. */
interface PreparingMethod extends OfEras {
  readonly prepare: (request: McpRequest, view: CatalogView) => Work
}

/**
 * A method whose answer goes on after it has been accepted. It throws a `ProtocolError` or a
 * `Refusal` before it sends anything, or takes the stream over, result included.
 */
interface StreamMethod extends OfEras {
  readonly open: (request: McpRequest, view: CatalogView, stream: MessageStream) => Promise<void>
}

export type Method = PlainMethod | ViewMethod | PreparingMethod | StreamMethod

/** Methods by name; each method family file makes one of these. */
export type MethodTable = Readonly<Record<string, Method>>

export const bothEras: readonly Era[] = ['modern', 'legacy']

/** A string member of `params`, or `undefined` when it is missing or something else. */
export function textParam (params: JsonObject, member: string): string | undefined {
  const value = params[member]
  return typeof value === 'string' ? value : undefined
}
