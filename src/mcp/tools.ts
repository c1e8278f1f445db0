/**
 * `tools/list` and `tools/call` (CALL-01…07).
 *
 * A call that names no tool, or brings no object, is a protocol error; arguments that do not
 * fit, and everything that goes wrong inside a tool, come back as a result with `isError`,
 * which the model reads.
 */
import { invalidParams } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { checkMirroredParameters } from '../protocol/mirrored-parameters.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import type { Result } from '../protocol/result.ts'
import { withoutInternalArguments } from '../protocol/session-key.ts'
import type { Clock } from '../runtime/clock.ts'
import type { CallLog } from './call-log.ts'
import type { CatalogView } from './catalog/catalog.ts'
import type { ListPages } from './catalog/list-pages.ts'
import type { RegisteredTool } from './catalog/registered-tool.ts'
import type { ErrorLog } from './dispatcher.ts'
import type { Forwarding } from './forwarding.ts'
import { bothEras, textParam, type MethodContext, type MethodTable, type Work } from './method.ts'
import type { Rounds } from './rounds.ts'
import { runOwnTool } from './run-own-tool.ts'

export function createToolMethods ({ pages, rounds, forwarding, calls, log, clock }: {
  readonly pages: ListPages
  readonly rounds: Rounds
  readonly forwarding: Forwarding
  readonly calls: CallLog
  readonly log: ErrorLog
  readonly clock: Clock
}): MethodTable {
  function prepareCall (request: McpRequest, { tools }: CatalogView): Work {
    const { params } = request
    const name = textParam(params, 'name')
    const tool = name === undefined ? undefined : tools.find(name)
    if (tool === undefined) return { kind: 'json', maxWaitMs: 0, run: () => calls.run(undefined, () => { throw noSuchTool(name) }) }
    const { definition } = tool
    const maxWaitMs = definition.maxWaitMs === undefined ? 0 : wantedWaitMs(definition.maxWaitMs, params)
    const isReportedTo = request.progressToken !== undefined || request.logLevel !== undefined
    // A modern caller that states a level wants to read along; an old one states none and has a level all the same.
    const isLoggedTo = request.era === 'modern' && request.logLevel !== undefined
    const mayStream = isLoggedTo || (isReportedTo && definition.reports === true) || maxWaitMs > 0 || rounds.needsStream(request, definition.asks)
    return { kind: mayStream ? 'stream' : 'json', maxWaitMs, tool: tool.name, run: (context) => calls.run(tool.name, () => call(request, tool, context)) }
  }

  function call (request: McpRequest, tool: RegisteredTool, context: MethodContext): Result | Promise<Result> {
    // Some clients say by null that there are none.
    const sent = request.params['arguments'] ?? {}
    if (!isObject(sent)) throw new ProtocolError(invalidParams('params.arguments must be an object.'))
    // From here on, so that a state goes with the next round whatever a proxy has added to that one.
    const given = withoutInternalArguments(sent)
    if (request.era === 'modern' && tool.mirrored.length > 0) {
      const mismatch = checkMirroredParameters(tool.mirrored, request.parameterHeaders, given)
      if (mismatch !== undefined) throw new ProtocolError(mismatch)
    }
    return tool.kind === 'own'
      ? runOwnTool({ tool, request, context, sent, given, rounds, log, clock })
      : forwarding.forward({ tool, request, context, given })
  }

  return {
    'tools/list': {
      eras: bothEras,
      handle: ({ params }, { tools, cache }) => pages.page(tools, params['cursor'], { method: 'tools/list', member: 'tools', cache })
    },
    'tools/call': { eras: bothEras, prepare: prepareCall }
  }
}

function wantedWaitMs (maxWaitMs: (given: JsonObject) => number, { arguments: given }: JsonObject): number {
  return isObject(given) ? maxWaitMs(given) : 0
}

function noSuchTool (name: string | undefined): ProtocolError {
  return new ProtocolError(invalidParams(name === undefined
    ? 'params.name must be the name of a tool.'
    : `There is no tool ${JSON.stringify(name.slice(0, 128))}; tools/list shows what there is.`))
}
