/**
 * From a request to its outcome: a table from method to handler, for both eras.
 *
 * Nothing is built or registered per request, and there is no object per connection. Whatever
 * a handler throws becomes a rejection here; only refusals and protocol errors keep their
 * text, anything else is a bug and is answered without its insides.
 */
import { internalError, methodNotFound, refused } from '../protocol/error-table.ts'
import type { Envelope } from '../protocol/envelope.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import { ProtocolError, type Rejection } from '../protocol/rejection.ts'
import type { Result } from '../protocol/result.ts'
import type { Era } from '../protocol/versions.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Method, MethodContext, MethodTable, StreamMethod } from './method.ts'

export type Outcome =
  | { readonly ok: true, readonly result: Result }
  | { readonly ok: false, readonly rejection: Rejection }

export interface ErrorLog {
  error (facts: object, message: string): void
}

export interface Dispatcher {
  /** Whether the era has the method (VAL-12). */
  has (method: string, era: Era): boolean
  /** Whether anything can be sent before the result. */
  mayStream (request: Envelope): boolean
  /**
   * How long the request may wait for something to come free before its work begins, 0 for most.
   * What waits is no work: it has its own time and its own limits, and ends with its connection.
   */
  patienceMs (request: Envelope): number
  /** Never rejects. */
  dispatch (request: McpRequest, context: MethodContext): Promise<Outcome>
  /** Whether the request is for `open`: its answer is a stream that goes on. */
  opensStream (request: Envelope): boolean
  /**
   * Hands the stream over. Never rejects.
   *
   * @returns why not; nothing has been sent then
   */
  open (request: McpRequest, stream: MessageStream): Promise<Rejection | undefined>
}

export function createDispatcher ({ families, log }: { families: readonly MethodTable[], log: ErrorLog }): Dispatcher {
  const methods = new Map<string, Method | StreamMethod>(families.flatMap((family) => Object.entries(family)))

  function find (name: string, era: Era): Method | StreamMethod | undefined {
    const method = methods.get(name)
    return method?.eras.includes(era) === true ? method : undefined
  }

  function answering ({ method: name, era }: Envelope): Method | undefined {
    const method = find(name, era)
    return method !== undefined && 'handle' in method ? method : undefined
  }

  function streaming ({ method: name, era }: Envelope): StreamMethod | undefined {
    const method = find(name, era)
    return method !== undefined && 'open' in method ? method : undefined
  }

  const unknown = ({ method, era }: McpRequest): Rejection => methodNotFound(method, era === 'modern' ? 404 : 200)

  function rejectionOf (error: unknown, method: string): Rejection {
    if (error instanceof ProtocolError) return error.rejection
    if (error instanceof Refusal) return refused(error)
    log.error({ err: error, method }, 'a method failed unexpectedly')
    return internalError
  }

  return {
    has: (name, era) => find(name, era) !== undefined,

    mayStream: (request) => answering(request)?.mayStream?.(request) === true,

    patienceMs: (request) => answering(request)?.patienceMs?.(request) ?? 0,

    async dispatch (request, context) {
      const method = answering(request)
      if (method === undefined) return { ok: false, rejection: unknown(request) }
      try {
        return { ok: true, result: await method.handle(request, context) }
      } catch (error) {
        return { ok: false, rejection: rejectionOf(error, request.method) }
      }
    },

    opensStream: (request) => streaming(request) !== undefined,

    async open (request, stream) {
      const method = streaming(request)
      if (method === undefined) return unknown(request)
      try {
        await method.open(request, stream)
        return undefined
      } catch (error) {
        return rejectionOf(error, request.method)
      }
    }
  }
}
