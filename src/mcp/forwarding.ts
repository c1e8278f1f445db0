/**
 * Calls of tools that are served elsewhere: they are passed on, and what comes back is passed on
 * to the caller as it is.
 *
 * Questions are passed on too. A modern caller gets them as the result, under their own keys. The
 * state that came with them goes out inside a sealed one, which opens for the same principal,
 * tool and arguments alone, and goes back byte for byte (GW-13). A legacy caller is asked on the
 * stream of its call, and the call is passed on again with the answers (GW-23). Either is asked
 * only what its client can answer: a server that asks for more has failed (GW-14).
 */
import { internalError, invalidParams } from '../protocol/error-table.ts'
import { legacyAskable } from '../protocol/legacy-question.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { allNeeds, isDeclared, readQuestion, type Question } from '../protocol/question.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type Result } from '../protocol/result.ts'
import type { SealedFor, Sealer } from '../protocol/sealed-string.ts'
import { isLegacyVersion, oldestLegacyVersion } from '../protocol/versions.ts'
import type { Ids } from '../runtime/ids.ts'
import { Refusal, type RefusalBody } from '../refusals/refusal.ts'
import type { ForwardedCall, ForwardedResult } from '../tools/tool-definition.ts'
import { AskedTooOftenRefusal, CannotAskRefusal } from './asking-refusals.ts'
import { maxRounds } from './asking.ts'
import type { RegisteredForwardingTool } from './catalog/registered-tool.ts'
import type { ErrorLog } from './dispatcher.ts'
import { legacyCaller } from './legacy-rounds.ts'
import type { MethodContext } from './method.ts'
import { refusedResult, toolFailed } from './refused-result.ts'
import type { ServerRequests } from './server-requests.ts'

export interface CallToForward {
  readonly tool: RegisteredForwardingTool
  readonly request: McpRequest
  readonly context: MethodContext
  readonly given: JsonObject
}

export interface Forwarding {
  /** @throws {ProtocolError} what came from an earlier round does not belong here (MRTR-06), or the other server broke the protocol */
  forward (call: CallToForward): Promise<Result>
}

type Answered = Pick<ForwardedCall, 'inputResponses' | 'requestState'>
type Asked = Extract<ForwardedResult, { kind: 'input_required' }>

/** What a modern caller carries from one round to the next. */
interface ForwardedState {
  readonly rounds: number
  /** The keys of the last round: answers to others answer nothing. */
  readonly asked: readonly string[]
  /** The state of the other server. */
  readonly requestState?: string
}

const nothingAnswered: Answered = { inputResponses: undefined, requestState: undefined }

export function createForwarding ({ sealer, serverRequests, ids, log }: {
  readonly sealer: Sealer
  /** Undefined where legacy callers are not asked. */
  readonly serverRequests: ServerRequests | undefined
  readonly ids: Pick<Ids, 'bytes'>
  readonly log: ErrorLog
}): Forwarding {
  async function forModern (call: CallToForward): Promise<Result> {
    const { tool: { name }, request: { principal, method, params, clientCapabilities }, given } = call
    const belongsTo = { principal, method, target: name, arguments: given }
    const { rounds, answered } = readState(params, belongsTo, sealer)
    const result = await passOn(call, clientCapabilities, answered)
    if (result.kind === 'complete') return result
    const questions = questionsOf(call, result, clientCapabilities)
    if (rounds >= maxRounds) throw new AskedTooOftenRefusal(maxRounds)
    const { inputRequests, requestState } = result
    const asked = [...questions.keys()]
    const state: ForwardedState = { rounds: rounds + 1, asked, ...(requestState === undefined ? {} : { requestState }) }
    const sealed = sealer.seal(state, belongsTo)
    return { kind: 'input_required', ...(inputRequests === undefined ? {} : { inputRequests }), requestState: sealed }
  }

  async function forLegacy (call: CallToForward): Promise<Result> {
    const { request, context: { line } } = call
    const over = new AbortController()
    const signal = AbortSignal.any([request.signal, over.signal])
    const capabilities = line === undefined || serverRequests === undefined ? {} : askableOf(request)
    let answered = nothingAnswered
    try {
      for (let rounds = 0; ; rounds++) {
        const result = await passOn(call, capabilities, answered)
        if (result.kind === 'complete') return result
        const questions = questionsOf(call, result, capabilities)
        if (rounds >= maxRounds) throw new AskedTooOftenRefusal(maxRounds)
        // Its answers are those of this round alone.
        const caller = legacyCaller({ request, signal, line, serverRequests, ids })
        await caller.ask(questions, true)
        answered = { inputResponses: Object.fromEntries(caller.answers), requestState: result.requestState }
      }
    } finally {
      over.abort()
    }
  }

  /**
   * What another server asks, where the caller can answer all of it.
   *
   * @throws {ProtocolError} a question is none, or a modern caller has not declared that it answers such (GW-14)
   * @throws {CannotAskRefusal} a legacy caller cannot be asked (GW-23)
   */
  function questionsOf (
    { tool: { name }, request: { era } }: CallToForward, { inputRequests, requestState }: Asked, capabilities: JsonObject
  ): ReadonlyMap<string, Question> {
    const read = Object.entries(inputRequests ?? {}).map(([key, sent]) => [key, readQuestion(sent)] as const)
    const questions = new Map(read.flatMap(([key, question]) => question === undefined ? [] : [[key, question] as const]))
    const unaskable = [...questions.values()].filter(({ needs }) => !isDeclared(needs, capabilities))
    const isInvalid = questions.size < read.length || (inputRequests === undefined && requestState === undefined)
    if (!isInvalid && unaskable.length === 0) return questions
    if (!isInvalid && era === 'legacy') throw new CannotAskRefusal(allNeeds(unaskable))
    const facts = { tool: name, asked: read.length, unaskable: unaskable.length }
    log.error(facts, 'a tool that is served elsewhere asked for what its caller cannot answer')
    throw new ProtocolError(internalError)
  }

  return {
    async forward (call) {
      try {
        return call.request.era === 'modern' ? await forModern(call) : await forLegacy(call)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        if (error instanceof Refusal) return refusedBy(error.toJSON())
        log.error({ err: error, tool: call.tool.name }, 'a call could not be passed on')
        return refusedBy(toolFailed)
      }
    }
  }
}

function refusedBy (body: RefusalBody): Result {
  return { ...complete(refusedResult(body)), noted: { refusal: body.code, waitedMs: 0 } }
}

async function passOn (
  { tool: { definition }, request, context: { progress, log }, given }: CallToForward, capabilities: JsonObject, answered: Answered
): Promise<ForwardedResult> {
  const { principal, sessionKey } = request
  return await definition.forward(given, {
    principal,
    sessionKey,
    // A signal that is not asked for is never made.
    get signal () { return request.signal },
    progress,
    log,
    capabilities,
    ...answered
  })
}

function readState (
  { inputResponses = {}, requestState }: JsonObject, belongsTo: SealedFor, sealer: Sealer
): { readonly rounds: number, readonly answered: Answered } {
  if (!isObject(inputResponses)) throw new ProtocolError(invalidParams('params.inputResponses must be an object of answers by key.'))
  if (requestState === undefined) return { rounds: 0, answered: nothingAnswered }
  const opened = typeof requestState === 'string' ? sealer.open(requestState, belongsTo) : undefined
  if (opened === undefined) {
    throw new ProtocolError(invalidParams('params.requestState is not, or no longer, a state of this request; call again without it.'))
  }
  // Only we seal with this purpose.
  const state = opened.content as ForwardedState
  const answers = state.asked.filter((key) => Object.hasOwn(inputResponses, key)).map((key) => [key, inputResponses[key]] as const)
  return { rounds: state.rounds, answered: { inputResponses: Object.fromEntries(answers), requestState: state.requestState } }
}

/** What a legacy caller can be asked at its revision, as far as a session id does not say that it cannot. */
function askableOf (request: McpRequest): JsonObject {
  const askable = legacyAskable(versionOf(request))
  const declared = request.legacySession?.capabilities
  return declared === undefined ? askable : Object.fromEntries(Object.entries(askable).filter(([name]) => isObject(declared[name])))
}

function versionOf ({ version }: McpRequest) {
  return isLegacyVersion(version) ? version : oldestLegacyVersion
}
