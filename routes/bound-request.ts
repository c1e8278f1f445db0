import type { RunningRequest } from '../src/mcp/running-requests.ts'
import type { Envelope } from '../src/protocol/envelope.ts'
import type { McpRequest } from '../src/protocol/mcp-request.ts'

export interface Binding extends Pick<McpRequest, 'principal' | 'sessionKey' | 'parameterHeaders' | 'trace'> {
  readonly running: RunningRequest
}

/**
 * An envelope together with what HTTP request and caller add to it.
 *
 * A class, and member by member, because one is made for every request: a literal that spreads
 * the envelope, or has a getter of its own, takes microseconds instead of nanoseconds. The
 * signal is asked for only when a handler asks for it.
 */
export class BoundRequest implements McpRequest {
  readonly era: McpRequest['era']
  readonly version: McpRequest['version']
  readonly id: McpRequest['id']
  readonly method: McpRequest['method']
  readonly params: McpRequest['params']
  readonly meta: McpRequest['meta']
  readonly clientCapabilities: McpRequest['clientCapabilities']
  readonly progressToken: McpRequest['progressToken']
  readonly logLevel: McpRequest['logLevel']
  readonly parameterHeaders: McpRequest['parameterHeaders']
  readonly trace: McpRequest['trace']
  readonly principal: McpRequest['principal']
  readonly sessionKey: McpRequest['sessionKey']
  readonly #running: RunningRequest

  constructor (envelope: Envelope, { principal, sessionKey, parameterHeaders, trace, running }: Binding) {
    this.era = envelope.era
    this.version = envelope.version
    this.id = envelope.id
    this.method = envelope.method
    this.params = envelope.params
    this.meta = envelope.meta
    this.clientCapabilities = envelope.clientCapabilities
    this.progressToken = envelope.progressToken
    this.logLevel = envelope.logLevel
    this.parameterHeaders = parameterHeaders
    this.trace = trace
    this.principal = principal
    this.sessionKey = sessionKey
    this.#running = running
  }

  get signal (): AbortSignal {
    return this.#running.signal
  }
}
