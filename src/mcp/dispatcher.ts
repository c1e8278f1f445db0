/**
 * From a request to its outcome: a table from method to handler, for both eras.
 *
 * `prepare` finds the method, the caller's view of what is offered, and what the request names
 * in it, once. What it returns says how the request is answered and how long it may wait, and
 * runs it. Nothing is built or registered per request, and there is no object per connection.
 *
 * Whatever a handler throws becomes a rejection (`rejectionOf`); only refusals and protocol
 * errors keep their text, anything else is a bug and is answered without its insides.
 */
import { internalError, isPassingLimit, limited, methodNotFound, refused } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { MessageStream } from '../protocol/message-stream.ts'
import { checkProgressToken } from '../protocol/progress-token.ts'
import { ProtocolError, type Rejection } from '../protocol/rejection.ts'
import type { Result } from '../protocol/result.ts'
import type { Era } from '../protocol/versions.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Catalog, CatalogView } from './catalog/catalog.ts'
import { isPromise } from './is-promise.ts'
import type { Method, MethodContext, MethodTable, Work } from './method.ts'
import { subjectOf, type AskedRequest, type Subject } from './subject.ts'

/** A result, or why there is none. */
export type Outcome = Result | { readonly kind: 'rejected', readonly rejection: Rejection }

export interface ErrorLog {
  error (facts: object, message: string): void
}

export type Prepared = PreparedCall | PreparedStream

/** A request that is answered with one message, which others may precede. */
export interface PreparedCall extends Omit<Work, 'run'> {
  /** Undefined where there is no such method. */
  readonly method: string | undefined
  /** Answers, or throws what `rejectionOf` makes a rejection of: at once where it can, since each wait costs time. */
  readonly run: (context: MethodContext) => Outcome | Promise<Outcome>
}

/** A request whose answer is a stream that goes on. */
export interface PreparedStream {
  readonly kind: 'open'
  readonly method: string
  /**
   * Hands the stream over. Never rejects.
   *
   * @returns why not; nothing has been sent then
   */
  readonly open: (stream: MessageStream) => Promise<Rejection | undefined>
}

export interface Dispatcher {
  /** Whether the era has the method (VAL-12). */
  has (method: string, era: Era): boolean
  /**
   * Finds all that the request is about, with the view of this moment, which it keeps. At once
   * where the view is at hand. Never throws or rejects.
   */
  prepare (request: McpRequest): Prepared | Promise<Prepared>
  /** What the caller is told in place of a result, when a method has thrown. A bug goes to the log, and nowhere else. */
  rejectionOf (error: unknown, method: string): Rejection
  /** What a request asks for, as far as it exists and the caller's view is at hand. */
  subjectOf (request: AskedRequest): Subject
}

interface Entry {
  readonly eras: readonly Era[]
  readonly needsView: boolean
  readonly prepare: (request: McpRequest, view: CatalogView | undefined) => Prepared
}

export function createDispatcher ({ families, catalog, log }: {
  readonly families: readonly MethodTable[]
  readonly catalog: Catalog
  readonly log: ErrorLog
}): Dispatcher {
  const methods = new Map(families.flatMap((family) => Object.entries(family)).map(([name, method]) => [name, entryOf(method)]))

  function find (name: string, era: Era): Entry | undefined {
    const entry = methods.get(name)
    return entry?.eras.includes(era) === true ? entry : undefined
  }

  function rejectionOf (error: unknown, method: string): Rejection {
    if (error instanceof ProtocolError) return error.rejection
    if (error instanceof Refusal) return isPassingLimit(error) ? limited(error) : refused(error)
    log.error({ err: error, method }, 'a method failed unexpectedly')
    return internalError
  }

  function entryOf (method: Method): Entry {
    const { eras } = method
    if ('answer' in method) {
      return { eras, needsView: false, prepare: (request) => plainCall(request.method, () => method.answer(request)) }
    }
    return {
      eras,
      needsView: true,
      prepare (request, view) {
        if (view === undefined) throw new Error('a method was not given the view it needs')
        if ('prepare' in method) return callOf(request, method.prepare(request, view))
        if ('handle' in method) return plainCall(request.method, () => method.handle(request, view))
        return streamOf(request, (stream) => method.open(request, view, stream))
      }
    }
  }

  function callOf ({ method }: McpRequest, { kind, maxWaitMs, tool, prompt, run }: Work): PreparedCall {
    return { kind, maxWaitMs, method, tool, prompt, run }
  }

  function streamOf ({ method }: McpRequest, open: (stream: MessageStream) => Promise<void>): PreparedStream {
    return {
      kind: 'open',
      method,
      async open (stream) {
        try {
          await open(stream)
          return undefined
        } catch (error) {
          return rejectionOf(error, method)
        }
      }
    }
  }

  function prepareWith (entry: Entry, request: McpRequest, view: CatalogView | undefined): Prepared {
    try {
      return entry.prepare(request, view)
    } catch (error) {
      return failing(request, error)
    }
  }

  function failing ({ method }: McpRequest, error: unknown): PreparedCall {
    return plainCall(method, () => { throw error })
  }

  function unknown ({ method, era }: McpRequest): PreparedCall {
    const rejection = methodNotFound(method, era === 'modern' ? 404 : 200)
    return plainCall(undefined, () => ({ kind: 'rejected', rejection }))
  }

  return {
    rejectionOf,

    has: (name, era) => find(name, era) !== undefined,

    prepare (request) {
      const entry = find(request.method, request.era)
      if (entry === undefined) return unknown(request)
      const rejection = checkProgressToken(request)
      if (rejection !== undefined) return plainCall(request.method, () => ({ kind: 'rejected', rejection }))
      if (!entry.needsView) return prepareWith(entry, request, undefined)
      let view: CatalogView | Promise<CatalogView>
      try {
        view = catalog.view(request)
      } catch (error) {
        return failing(request, error)
      }
      if (!isPromise(view)) return prepareWith(entry, request, view)
      return view.then((view) => prepareWith(entry, request, view), (error: unknown) => failing(request, error))
    },

    subjectOf (request) {
      if (find(request.method, request.era) === undefined) return { method: undefined }
      return subjectOf(request, viewAtHand(request))
    }
  }

  function viewAtHand (request: AskedRequest): CatalogView | undefined {
    try {
      const view = catalog.view(request)
      if (!isPromise(view)) return view
      // Only what is at hand is asked for here; the request that failed is not this one.
      view.catch(() => {})
    } catch {}
    return undefined
  }
}

/** Runs a prepared call. Never rejects. */
export async function outcomeOf (
  { rejectionOf }: Pick<Dispatcher, 'rejectionOf'>, { method = '', run }: PreparedCall, context: MethodContext
): Promise<Outcome> {
  try {
    return await run(context)
  } catch (error) {
    return { kind: 'rejected', rejection: rejectionOf(error, method) }
  }
}

/** A call that is answered with one message and does not wait. */
function plainCall (method: string | undefined, run: PreparedCall['run']): PreparedCall {
  return { kind: 'json', maxWaitMs: 0, method, tool: undefined, prompt: undefined, run }
}
