import { errorCodeFor } from '../protocol/encode.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { Era } from '../protocol/versions.ts'
import type { Rejection } from '../protocol/rejection.ts'
import type { Ending } from '../telemetry/operation.ts'
import type { Operations } from '../telemetry/operations.ts'
import { currentScope } from '../runtime/request-scope.ts'
import { outcomeOf, type Dispatcher, type Outcome, type Prepared } from './dispatcher.ts'
import { isPromise } from './is-promise.ts'
import { uriOf, type Subject } from './subject.ts'

/** The same dispatcher, with a span and a duration for each request. */
export function observeDispatcher (dispatcher: Dispatcher, operations: Operations): Dispatcher {
  function observe<T> (
    request: McpRequest, subject: Subject, work: () => Promise<T>, endingOf: (outcome: T) => Ending
  ): Promise<T> {
    const scope = currentScope()
    return operations.run({
      request, principalKey: request.principal.key, trace: request.trace, peer: scope?.peer, ...subject
    }, scope, work, endingOf)
  }

  function observed (request: McpRequest, prepared: Prepared): Prepared {
    const { method } = prepared
    if (prepared.kind === 'open') {
      return {
        ...prepared,
        // What is measured of a stream is how long it took to open.
        open: (stream) => observe(
          request, { method }, () => prepared.open(stream), (rejection) => rejection === undefined ? {} : endingOfRejection(rejection, request.era)
        )
      }
    }
    const { tool, prompt } = prepared
    const uri = method === undefined ? undefined : uriOf(method, request.params)
    return {
      ...prepared,
      run: (context) => observe(
        request,
        { method, tool, prompt, uri },
        async () => await outcomeOf(dispatcher, prepared, context),
        (outcome) => endingOf(outcome, request.era)
      )
    }
  }

  return {
    ...dispatcher,
    prepare (request) {
      const prepared = dispatcher.prepare(request)
      return isPromise(prepared) ? prepared.then((prepared) => observed(request, prepared)) : observed(request, prepared)
    }
  }
}

function endingOf (outcome: Outcome, era: Era): Ending {
  if (outcome.kind === 'rejected') return endingOfRejection(outcome.rejection, era)
  const { refusal, waitedMs } = outcome.noted ?? {}
  const failure = outcome.kind === 'complete' && outcome.body['isError'] === true ? 'tool_error' : undefined
  return { failure, refusal, waitedMs }
}

function endingOfRejection (rejection: Rejection, era: Era): Ending {
  const refusal = rejection.data?.['code']
  return { failure: errorCodeFor(rejection, era), refusal: typeof refusal === 'string' ? refusal : undefined }
}
