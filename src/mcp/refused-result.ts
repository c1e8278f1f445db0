import type { JsonObject } from '../protocol/message.ts'
import type { RefusalBody } from '../refusals/refusal.ts'
import { wellFormedJson } from '../text/well-formed.ts'
import { problemText, type ArgumentProblem } from './argument-problems.ts'

/** A "no" as the model reads it: in words, with whatever facts help, and as data. */
export function refusedResult (body: RefusalBody): JsonObject {
  const { code, message, retryable, retryAfterMs, nextAction, ...details } = body
  const retry = retryAfterMs === undefined ? '' : ` Retry after ${retryAfterMs} ms.`
  const facts = Object.keys(details).length === 0 ? '' : `\n${wellFormedJson(details)}`
  return {
    content: [{ type: 'text', text: `${message} ${nextAction}${retry} (${code})${facts}` }],
    structuredContent: body,
    isError: true
  }
}

export function invalidArguments (issues: readonly ArgumentProblem[]): RefusalBody {
  return {
    code: 'invalid_arguments',
    message: `The arguments do not fit the tool: ${problemText(issues)}.`.replace(/\?\.$/, '?'),
    retryable: false,
    nextAction: 'Correct the named arguments and call again.',
    issues
  }
}

export const toolFailed: RefusalBody = {
  code: 'internal_error',
  message: 'The tool failed because of an internal error of mooring.',
  retryable: false,
  nextAction: 'Observe the screen before going on; if it happens again, tell the operator the time of the call.'
}
