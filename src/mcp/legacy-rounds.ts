/**
 * Asking a legacy caller (LEGACY-14): the questions of a round go out on the stream of its
 * call, and the work waits for the answers. A session id says what its
 * client can be asked. Without one that is not known before; it is asked, and a client that cannot
 * answer says so.
 */
import { CancelledRefusal } from '../refusals/cancellation.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { legacyQuestionParams } from '../protocol/legacy-question.ts'
import { allNeeds, isDeclared, type Question } from '../protocol/question.ts'
import { isLegacyVersion, oldestLegacyVersion } from '../protocol/versions.ts'
import type { Ids } from '../runtime/ids.ts'
import type { AskedCaller } from './asking.ts'
import { AnswerFailedRefusal, CannotAskRefusal, NoAnswerRefusal } from './asking-refusals.ts'
import type { MethodContext } from './method.ts'
import type { ServerRequests } from './server-requests.ts'

/** `serverRequests` and a line to the caller, or it cannot be asked at all. */
export function legacyCaller ({ request, signal, line, serverRequests, ids }: {
  readonly request: McpRequest
  /** Fires when answers do not matter any more. */
  readonly signal: AbortSignal
  readonly line: MethodContext['line']
  readonly serverRequests: ServerRequests | undefined
  readonly ids: Pick<Ids, 'bytes'>
}): AskedCaller {
  const { principal, legacySession } = request
  const version = isLegacyVersion(request.version) ? request.version : oldestLegacyVersion
  const answers = new Map<string, unknown>()
  const unsupported = new Set<string>()
  let rounds = 0

  async function askOne (key: string, question: Question, needed: boolean, signal: AbortSignal): Promise<void> {
    const params = legacyQuestionParams(question, version, ids.bytes(16).toString('base64url'))
    if (params === undefined || line === undefined || serverRequests === undefined) throw new CannotAskRefusal(question.needs)
    const { method } = question
    const reply = await serverRequests.send({ method, params, principal, signal, write: line.write }).catch((cause: unknown) => {
      throw isTimeUp(cause) ? new NoAnswerRefusal(method) : cause
    })
    switch (reply.kind) {
      case 'answer':
        answers.set(key, reply.result)
        return
      case 'unsupported':
        if (needed) throw new CannotAskRefusal(question.needs)
        unsupported.add(key)
        return
      case 'failed': throw new AnswerFailedRefusal(method)
    }
  }

  return {
    answers,
    get rounds () { return rounds },
    canBeAsked: (key, question) => line !== undefined && serverRequests !== undefined && !unsupported.has(key) &&
      (legacySession === undefined || isDeclared(question.needs, legacySession.capabilities)) &&
      legacyQuestionParams(question, version, '') !== undefined,

    async ask (open, needed) {
      rounds++
      const round = new AbortController()
      // A question whose caller has gone would wait for the time limit of calls.
      const over = AbortSignal.any([signal, round.signal, ...(line === undefined ? [] : [line.gone])])
      try {
        await Promise.all([...open].map(([key, question]) => askOne(key, question, needed, over)))
      } finally {
        // When one of them fails, the answers to the others are of no use.
        round.abort()
      }
    },

    cannotBeAsked: (questions) => new CannotAskRefusal(allNeeds(questions))
  }
}

function isTimeUp (cause: unknown): boolean {
  return cause instanceof CancelledRefusal && cause.details.reason === 'time_limit'
}
