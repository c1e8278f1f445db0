/**
 * Asking a modern caller (MRTR-01…10): the result is the question, and the state that comes
 * back with the answer carries everything. Nothing is kept here between rounds, so any
 * instance can go on.
 *
 * The state holds the answers so far, the keys that were asked and the number of rounds. It is
 * sealed for the principal, the method, its target and its arguments, and lives ten minutes.
 * Only keys that were asked are looked for among the answers: others are ignored, and so are
 * answers that come without a state.
 */
import { invalidParams, missingClientCapability } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { allNeeds, isDeclared, type Question } from '../protocol/question.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import type { Result } from '../protocol/result.ts'
import type { SealedFor, Sealer } from '../protocol/sealed-string.ts'
import type { Asking } from '../tools/asking.ts'
import { createAsking, type AskedCaller } from './asking.ts'

interface RoundsState {
  readonly rounds: number
  readonly answers: ReadonlyArray<readonly [key: string, answer: unknown]>
  /** The keys of the last round. */
  readonly asked: readonly string[]
}

/** The answers travel twice, so they are kept well below the size of a request. */
const maxAnswersLength = 1_048_576

/** Ends a run whose questions have no answers yet. Not an error: what catches it throws it on. */
export class QuestionsAsked extends Error {
  constructor () {
    super('the caller has been asked, and calls again')
    this.name = 'QuestionsAsked'
  }
}

export interface ModernRounds {
  /** Runs `work`, which may ask. */
  run (work: (asking: Asking) => Result | Promise<Result>): Promise<Result>
}

/**
 * The rounds of one request, with what it brought along from the round before.
 *
 * @throws {ProtocolError} `inputResponses` is no object; the state is not ours or not for this request (MRTR-06)
 */
export function openModernRounds ({ request, belongsTo, sealer }: {
  readonly request: McpRequest
  readonly belongsTo: SealedFor
  readonly sealer: Sealer
}): ModernRounds {
  const { rounds, answers } = readAnswers(request.params, belongsTo, sealer)
  const asked = new Map<string, Question>()

  const caller: AskedCaller = {
    answers,
    rounds,
    canBeAsked: (_key, { needs }) => isDeclared(needs, request.clientCapabilities),
    async ask (open) {
      for (const [key, question] of open) asked.set(key, question)
      throw new QuestionsAsked()
    },
    cannotBeAsked: (questions) => new ProtocolError(missingClientCapability(allNeeds(questions)))
  }

  function inputRequired (): Result {
    const state: RoundsState = {
      rounds: rounds + 1,
      answers: [...answers].filter(([key]) => !asked.has(key)),
      asked: [...asked.keys()]
    }
    if (JSON.stringify(state.answers).length > maxAnswersLength) {
      throw new ProtocolError(invalidParams(`The answers of all rounds together must stay below ${maxAnswersLength} characters.`))
    }
    return {
      kind: 'input_required',
      inputRequests: Object.fromEntries([...asked].map(
        ([key, { method, params }]) => [key, { method, ...(params === undefined ? {} : { params }) }]
      )),
      requestState: sealer.seal(state, belongsTo)
    }
  }

  return {
    async run (work) {
      try {
        const result = await work(createAsking(caller))
        // Work that went on without its answer has not done what was called for.
        return asked.size === 0 ? result : inputRequired()
      } catch (error) {
        if (error instanceof QuestionsAsked) return inputRequired()
        throw error
      }
    }
  }
}

function readAnswers (
  { inputResponses = {}, requestState }: JsonObject, belongsTo: SealedFor, sealer: Sealer
): { readonly rounds: number, readonly answers: ReadonlyMap<string, unknown> } {
  if (!isObject(inputResponses)) throw new ProtocolError(invalidParams('params.inputResponses must be an object of answers by key.'))
  if (requestState === undefined) return { rounds: 0, answers: new Map() }
  const opened = typeof requestState === 'string' ? sealer.open(requestState, belongsTo) : undefined
  if (opened === undefined) {
    throw new ProtocolError(invalidParams('params.requestState is not, or no longer, a state of this request; call again without it.'))
  }
  // Only we seal with this purpose.
  const { rounds, answers, asked } = opened.content as RoundsState
  return {
    rounds,
    answers: new Map([
      ...answers,
      ...asked.filter((key) => Object.hasOwn(inputResponses, key)).map((key) => [key, inputResponses[key]] as const)
    ])
  }
}
