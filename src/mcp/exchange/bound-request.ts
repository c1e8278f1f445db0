import type { Envelope } from '../../protocol/envelope.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { RunningRequest } from '../running-requests.ts'
import type { CallerIdentity } from './caller-identity.ts'
import type { Sender } from './channel.ts'

/**
 * An envelope together with what its sender adds to it.
 *
 * A class, and member by member, because one is made for every request: a literal that spreads
 * the envelope, or has a getter of its own, takes microseconds instead of nanoseconds. The
 * signal and the parameter headers are asked for only when a handler asks for them.
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
  readonly trace: McpRequest['trace']
  readonly principal: McpRequest['principal']
  readonly sessionKey: McpRequest['sessionKey']
  readonly legacySession: McpRequest['legacySession']
  readonly #sender: Sender
  readonly #running: RunningRequest

  constructor (envelope: Envelope, sender: Sender, { sessionKey, legacySession }: CallerIdentity, running: RunningRequest) {
    this.era = envelope.era
    this.version = envelope.version
    this.id = envelope.id
    this.method = envelope.method
    this.params = envelope.params
    this.meta = envelope.meta
    this.clientCapabilities = envelope.clientCapabilities
    this.progressToken = envelope.progressToken
    this.logLevel = envelope.logLevel
    this.trace = sender.trace
    this.principal = sender.principal
    this.sessionKey = sessionKey
    this.legacySession = legacySession
    this.#sender = sender
    this.#running = running
  }

  get parameterHeaders (): McpRequest['parameterHeaders'] {
    return this.#sender.parameterHeaders
  }

  get signal (): AbortSignal {
    return this.#running.signal
  }
}
