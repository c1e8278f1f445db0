/**
 * `tools/list` and `tools/call` (CALL-01…07).
 *
 * A call that names no tool, or brings no object, is a protocol error; arguments that do not
 * fit, and everything that goes wrong inside a tool, come back as a result with `isError`,
 * which the model reads.
 */
import type { Encoder } from '../protocol/encode.ts'
import { invalidParams } from '../protocol/error-table.ts'
import type { Envelope } from '../protocol/envelope.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { checkMirroredParameters } from '../protocol/mirrored-parameters.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import { inBandProblem, withoutInternalArguments } from '../protocol/session-key.ts'
import { Refusal, type RefusalBody } from '../refusals/refusal.ts'
import type { Asking } from '../tools/asking.ts'
import type { Aside, OfferedTool, ToolCall } from '../tools/tool-definition.ts'
import { problemText, type ArgumentProblem } from './argument-problems.ts'
import type { ErrorLog } from './dispatcher.ts'
import { bothEras, textParam, type MethodContext, type MethodTable } from './method.ts'
import { QuestionsAsked } from './modern-rounds.ts'
import { createPreparedList } from './page.ts'
import type { Rounds } from './rounds.ts'
import type { RegisteredTool, ToolRegistry } from './tool-registry.ts'

/** The same tools for everybody, whatever leases there are (LIST-02, POOL-02). */
const cache: CacheHint = { ttlMs: 300_000, scope: 'public' }

export function createToolMethods ({ registry, encoder, rounds, log, pageSize }: {
  readonly registry: ToolRegistry
  readonly encoder: Encoder
  readonly rounds: Rounds
  readonly log: ErrorLog
  readonly pageSize?: number
}): MethodTable {
  const shape = { method: 'tools/list', member: 'tools', key: 'name', cache, ...(pageSize === undefined ? {} : { pageSize }) }
  const list = createPreparedList(registry.tools.map((tool) => tool.published), shape, encoder)

  function call (request: McpRequest, context: MethodContext): Result | Promise<Result> {
    const tool = calledTool(request)
    const { arguments: sent = {} } = request.params
    if (!isObject(sent)) throw new ProtocolError(invalidParams('params.arguments must be an object.'))
    // From here on, so that a state goes with the next round whatever a proxy has added to that one.
    const given = withoutInternalArguments(sent)
    if (request.era === 'modern') {
      const mismatch = checkMirroredParameters(tool.mirrored, request.parameterHeaders, given)
      if (mismatch !== undefined) throw new ProtocolError(mismatch)
    }

    const { name, asks } = tool.definition
    return rounds.run({ request, context, target: name, arguments: given, asks }, (asking) => {
      // A header outranks it, and then it does not matter.
      const misfit = request.sessionKey === undefined ? inBandProblem(sent) : undefined
      if (misfit !== undefined) return complete(refusedResult(invalidArguments([misfit])))
      const read = tool.check.read(given)
      if (!read.ok) return complete(refusedResult(invalidArguments(read.problems)))
      return run(tool, read.input, new RunningCall(request, context, asking))
    })
  }

  function calledTool ({ params }: McpRequest): RegisteredTool {
    const name = textParam(params, 'name')
    if (name === undefined) throw new ProtocolError(invalidParams('params.name must be the name of a tool.'))
    const tool = registry.find(name)
    if (tool === undefined) {
      throw new ProtocolError(invalidParams(`There is no tool ${JSON.stringify(name.slice(0, 128))}; tools/list shows what there is.`))
    }
    return tool
  }

  async function run (tool: RegisteredTool, input: JsonObject, call: RunningCall): Promise<Result> {
    try {
      return withAside(await answer(tool, input, call), call.aside)
    } catch (error) {
      // What comes instead of a result has no room for it.
      await call.aside?.undo()
      throw error
    }
  }

  async function answer ({ definition, checkOutput }: RegisteredTool, input: JsonObject, call: ToolCall): Promise<ToolResult> {
    try {
      const { content, structuredContent, undo } = await definition.run(input, call)
      // CALL-06: a client may rely on the published schema, so what breaks it never leaves.
      const [misfit] = checkOutput?.(structuredContent) ?? []
      if (misfit !== undefined) throw new Error(`its structuredContent breaks its outputSchema: ${misfit.path} ${misfit.problem}`)
      return { kind: 'complete', body: { content, structuredContent }, ...(undo === undefined ? {} : { undo }) }
    } catch (error) {
      if (error instanceof ProtocolError || error instanceof QuestionsAsked) throw error
      if (error instanceof Refusal) return { kind: 'complete', body: refusedResult(error.toJSON()) }
      log.error({ err: error, tool: definition.name }, 'a tool failed unexpectedly')
      return { kind: 'complete', body: refusedResult(toolFailed) }
    }
  }

  function definitionOf ({ params }: Envelope): OfferedTool | undefined {
    return registry.find(textParam(params, 'name') ?? '')?.definition
  }

  function patienceMs (request: Envelope): number {
    const { arguments: given } = request.params
    return isObject(given) ? definitionOf(request)?.patienceMs?.(given) ?? 0 : 0
  }

  return {
    'tools/list': { eras: bothEras, handle: ({ params }) => list.page(params['cursor']) },
    'tools/call': {
      eras: bothEras,
      handle: call,
      mayStream (request) {
        const tool = definitionOf(request)
        const isReportedTo = request.progressToken !== undefined || request.logLevel !== undefined
        return (isReportedTo && tool?.reports === true) || rounds.needsStream(request, tool?.asks) || patienceMs(request) > 0
      },
      patienceMs
    }
  }
}

/** Passes the signal on only to a tool that asks for it: one that nobody asks for is never made. */
class RunningCall implements ToolCall {
  readonly principal: ToolCall['principal']
  readonly sessionKey: ToolCall['sessionKey']
  readonly progress: ToolCall['progress']
  readonly log: ToolCall['log']
  readonly ask: ToolCall['ask']
  readonly askAll: ToolCall['askAll']
  readonly tryAsk: ToolCall['tryAsk']
  readonly tryAskAll: ToolCall['tryAskAll']
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

  addAside (aside: Aside): void {
    if (this.aside !== undefined) throw new Error('a call has one aside')
    this.aside = aside
  }
}

type ToolResult = Extract<Result, { kind: 'complete' }>

/** Before everything else, because whoever reads the rest should know it. */
function withAside (result: ToolResult, aside: Aside | undefined): ToolResult {
  if (aside === undefined) return result
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

/** A "no" as the model reads it: in words, with whatever facts help, and as data. */
function refusedResult (body: RefusalBody): JsonObject {
  const { code, message, retryable, retryAfterMs, nextAction, ...details } = body
  const retry = retryAfterMs === undefined ? '' : ` Retry after ${retryAfterMs} ms.`
  const facts = Object.keys(details).length === 0 ? '' : `\n${JSON.stringify(details)}`
  return {
    content: [{ type: 'text', text: `${message} ${nextAction}${retry} (${code})${facts}` }],
    structuredContent: body,
    isError: true
  }
}

function invalidArguments (issues: readonly ArgumentProblem[]): RefusalBody {
  return {
    code: 'invalid_arguments',
    message: `The arguments do not fit the tool: ${problemText(issues)}.`.replace(/\?\.$/, '?'),
    retryable: false,
    nextAction: 'Correct the named arguments and call again.',
    issues
  }
}

const toolFailed: RefusalBody = {
  code: 'internal_error',
  message: 'The tool failed because of an internal error of mooring.',
  retryable: false,
  nextAction: 'Observe the screen before going on; if it happens again, tell the operator the time of the call.'
}
