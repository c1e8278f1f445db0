import { errorCodeFor } from '../protocol/encode.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { Era } from '../protocol/versions.ts'
import type { Failure, Operation } from '../telemetry/operation.ts'
import type { Operations } from '../telemetry/operations.ts'
import { currentScope } from '../telemetry/request-scope.ts'
import type { Dispatcher, Outcome } from './dispatcher.ts'
import { textParam } from './method.ts'

/** What exists here and may therefore be named to others; whatever else callers name may be private. */
export interface KnownNames {
  readonly hasMethod: (method: string, era: Era) => boolean
  readonly tools: ReadonlySet<string>
  readonly prompts: ReadonlySet<string>
}

/** The same dispatcher, with a span and a duration for each request. */
export function observeDispatcher (dispatcher: Dispatcher, operations: Operations, names: KnownNames): Dispatcher {
  function observe<T> (request: McpRequest, work: () => Promise<T>, failureOf: (outcome: T) => Failure | undefined): Promise<T> {
    const scope = currentScope()
    const operation: Operation = {
      request,
      principalKey: request.principal.key,
      trace: request.trace,
      peer: scope?.peer,
      ...subjectOf(request, names)
    }
    return operations.run(operation, scope, work, failureOf)
  }

  return {
    ...dispatcher,
    dispatch: (request, context) => observe(request, () => dispatcher.dispatch(request, context), (outcome) => failureOf(outcome, request.era)),
    // What is measured of a stream is how long it took to open.
    open: (request, stream) => observe(request, () => dispatcher.open(request, stream), (rejection) => rejection && errorCodeFor(rejection, request.era))
  }
}

/** What a request asks for, as far as it exists. */
export function subjectOf (
  { method, era, params }: Pick<McpRequest, 'method' | 'era' | 'params'>, { hasMethod, tools, prompts }: KnownNames
): Pick<Operation, 'method' | 'tool' | 'prompt' | 'uri'> {
  if (!hasMethod(method, era)) return { method: undefined }
  switch (method) {
    case 'tools/call': return { method, tool: known(textParam(params, 'name'), tools) }
    case 'prompts/get': return { method, prompt: known(textParam(params, 'name'), prompts) }
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe': return { method, uri: textParam(params, 'uri') }
    default: return { method }
  }
}

function known (name: string | undefined, names: ReadonlySet<string>): string | undefined {
  return name !== undefined && names.has(name) ? name : undefined
}

function failureOf (outcome: Outcome, era: Era): Failure | undefined {
  if (!outcome.ok) return errorCodeFor(outcome.rejection, era)
  return outcome.result.kind === 'complete' && outcome.result.body['isError'] === true ? 'tool_error' : undefined
}
