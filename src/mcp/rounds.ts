import type { Envelope } from '../protocol/envelope.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { JsonObject } from '../protocol/message.ts'
import type { Result } from '../protocol/result.ts'
import type { Sealer } from '../protocol/sealed-string.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Asking } from '../tools/asking.ts'
import { createAsking, unannounced } from './asking.ts'
import { legacyCaller } from './legacy-rounds.ts'
import type { MethodContext } from './method.ts'
import { openModernRounds } from './modern-rounds.ts'
import type { ServerRequests } from './server-requests.ts'

/** One request to a method that may be answered with questions: `tools/call`, `prompts/get`, `resources/read` (MRTR-01). */
export interface AskableCall {
  readonly request: McpRequest
  readonly context: MethodContext
  /** The tool or prompt by name, the resource by URI. */
  readonly target: string
  /** As they came. */
  readonly arguments: JsonObject
  /** Whether what is called says that it asks. */
  readonly asks: boolean | undefined
}

export type Work = (asking: Asking) => Result | Promise<Result>

export interface Rounds {
  /** Whether a request to something that `asks` needs a stream for its questions. */
  needsStream (request: Envelope, asks: boolean | undefined): boolean
  /**
   * Runs what is called, with a way to ask its caller; the result may be a question.
   *
   * @throws {ProtocolError} what came from an earlier round does not belong here (MRTR-06, MRTR-08)
   */
  run (call: AskableCall, work: Work): Result | Promise<Result>
}

export function createRounds ({ sealer, serverRequests, ids }: {
  readonly sealer: Sealer
  /** Undefined where legacy callers are not asked. */
  readonly serverRequests: ServerRequests | undefined
  readonly ids: Pick<Ids, 'bytes'>
}): Rounds {
  async function runAskingLegacy ({ request, context: { line } }: AskableCall, work: Work): Promise<Result> {
    const over = new AbortController()
    const signal = AbortSignal.any([request.signal, over.signal])
    try {
      return await work(createAsking(legacyCaller({ request, signal, line, serverRequests, ids })))
    } finally {
      // Work that stopped waiting for an answer leaves nothing behind.
      over.abort()
    }
  }

  function runModern ({ request, target, arguments: given, asks }: AskableCall, work: Work): Result | Promise<Result> {
    const { inputResponses, requestState } = request.params
    // Most calls neither ask nor were asked.
    if (asks !== true && inputResponses === undefined && requestState === undefined) return work(unannounced)
    const { principal, method } = request
    const rounds = openModernRounds({ request, belongsTo: { principal, method, target, arguments: given }, sealer })
    return asks === true ? rounds.run(work) : work(unannounced)
  }

  return {
    needsStream: ({ era }, asks) => asks === true && era === 'legacy' && serverRequests !== undefined,

    run (call, work) {
      if (call.request.era === 'modern') return runModern(call, work)
      return call.asks === true ? runAskingLegacy(call, work) : work(unannounced)
    }
  }
}
