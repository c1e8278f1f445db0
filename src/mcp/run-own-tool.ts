/** A call of a tool whose work is done here: its arguments are checked, its result too, and what it did on the side is told. */
import { LeaseEndedRefusal } from '../leases/contract/lease-refusals.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type Result } from '../protocol/result.ts'
import { inBandProblem } from '../protocol/session-key.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Asking } from '../tools/asking.ts'
import type { Aside, ToolCall } from '../tools/tool-definition.ts'
import type { RegisteredOwnTool } from './catalog/registered-tool.ts'
import type { ErrorLog } from './dispatcher.ts'
import type { ArgumentProblem } from './argument-problems.ts'
import type { MethodContext } from './method.ts'
import { QuestionsAsked } from './modern-rounds.ts'
import { invalidArguments, refusedResult, toolFailed } from './refused-result.ts'
import type { Rounds } from './rounds.ts'

export interface OwnCall {
  readonly tool: RegisteredOwnTool
  readonly request: McpRequest
  readonly context: MethodContext
  /** The arguments with what proxies have added to them. */
  readonly sent: JsonObject
  /** The arguments of the tool itself. */
  readonly given: JsonObject
  readonly rounds: Rounds
  readonly log: ErrorLog
  readonly clock: Clock
}

/** @throws {ProtocolError} what came from an earlier round does not belong here (MRTR-06, MRTR-08) */
export function runOwnTool ({ tool, request, context, sent, given, rounds, log, clock }: OwnCall): Result | Promise<Result> {
  const { name, asks } = tool.definition
  return rounds.run({ request, context, target: name, arguments: given, asks }, (asking) => {
    // A header outranks it, and then it does not matter.
    const misfit = request.sessionKey === undefined ? inBandProblem(sent) : undefined
    if (misfit !== undefined) return misfitting([misfit])
    const read = tool.check.read(given)
    if (!read.ok) return misfitting(read.problems)
    const call = new RunningCall(request, context, asking)
    if (asks === true) call.timeQuestions(clock)
    return run(tool, read.input, call, log)
  })
}

function misfitting (problems: readonly ArgumentProblem[]): Result {
  const body = invalidArguments(problems)
  return { ...complete(refusedResult(body)), noted: { refusal: body.code, waitedMs: 0 } }
}

async function run ({ definition, checkOutput }: RegisteredOwnTool, input: JsonObject, call: RunningCall, log: ErrorLog): Promise<Result> {
  let result: ToolResult
  try {
    const { content, structuredContent, undo } = await definition.run(input, call)
    // CALL-06: a client may rely on the published schema, so what breaks it never leaves.
    const misfit = checkOutput?.(structuredContent)[0]
    if (misfit !== undefined) throw new Error(`its structuredContent breaks its outputSchema: ${misfit.path} ${misfit.problem}`)
    const body = { content, structuredContent }
    result = undo === undefined ? { kind: 'complete', body, noted: call.noted } : { kind: 'complete', body, undo, noted: call.noted }
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof QuestionsAsked) {
      // What comes instead of a result has no room for what was done on the side.
      await call.aside?.undo()
      throw error
    }
    if (!(error instanceof Refusal)) log.error({ err: error, tool: definition.name }, 'a tool failed unexpectedly')
    const body = error instanceof Refusal ? error.toJSON() : toolFailed
    call.noted.refusal = body.code
    if (error instanceof LeaseEndedRefusal) call.noteDevice(error.device)
    result = { kind: 'complete', body: refusedResult(body), noted: call.noted }
  }
  return call.aside === undefined ? result : withAside(result, call.aside)
}

/** Passes the signal on only to a tool that asks for it: a signal that is not asked for is never made. */
class RunningCall implements ToolCall {
  readonly principal: ToolCall['principal']
  readonly sessionKey: ToolCall['sessionKey']
  readonly progress: ToolCall['progress']
  readonly log: ToolCall['log']
  ask: ToolCall['ask']
  askAll: ToolCall['askAll']
  tryAsk: ToolCall['tryAsk']
  tryAskAll: ToolCall['tryAskAll']
  readonly noted: { refusal?: string, device?: string, waitedMs: number } = { waitedMs: 0 }
  aside: Aside | undefined
  readonly #request: McpRequest

  constructor (request: McpRequest, { progress, log }: MethodContext, { ask, askAll, tryAsk, tryAskAll }: Asking) {
    this.principal = request.principal
    this.sessionKey = request.sessionKey
    this.progress = progress
    this.log = log
    this.ask = ask
    this.askAll = askAll
    this.tryAsk = tryAsk
    this.tryAskAll = tryAskAll
    this.#request = request
  }

  get signal (): AbortSignal {
    return this.#request.signal
  }

  /** From here on, the time in which the caller is asked counts as waiting. */
  timeQuestions (clock: Clock): void {
    const timed = <Given extends unknown[], T>(ask: (...given: Given) => Promise<T>) => async (...given: Given): Promise<T> => {
      const sinceMs = clock.monotonicMs()
      try {
        return await ask(...given)
      } finally {
        this.noteWait(clock.monotonicMs() - sinceMs)
      }
    }
    this.ask = timed(this.ask) as ToolCall['ask']
    this.askAll = timed(this.askAll) as ToolCall['askAll']
    this.tryAsk = timed(this.tryAsk) as ToolCall['tryAsk']
    this.tryAskAll = timed(this.tryAskAll) as ToolCall['tryAskAll']
  }

  noteDevice (deviceId: string): void {
    const { device } = this.noted
    if (device === undefined) this.noted.device = deviceId
    else if (!device.split(',').includes(deviceId)) this.noted.device = `${device},${deviceId}`
  }

  noteWait (waitedMs: number): void {
    this.noted.waitedMs += waitedMs
  }

  addAside (aside: Aside): void {
    if (this.aside !== undefined) throw new Error('a call has one aside')
    this.aside = aside
  }
}

type ToolResult = Extract<Result, { kind: 'complete' }>

/** Before everything else, because the reader of the rest should know it. */
function withAside (result: ToolResult, aside: Aside): ToolResult {
  const { content, structuredContent } = result.body
  return {
    ...result,
    body: {
      ...result.body,
      content: [{ type: 'text', text: aside.text }, ...Array.isArray(content) ? content : []],
      structuredContent: { ...aside.facts, ...isObject(structuredContent) ? structuredContent : {} }
    },
    undo: async () => {
      await result.undo?.()
      await aside.undo()
    }
  }
}
