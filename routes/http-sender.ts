import type { FastifyRequest } from 'fastify'
import type {} from '../plugins/session-key.ts'
import type {} from '../plugins/trace.ts'
import type { Sender } from '../src/mcp/exchange/channel.ts'
import type { Principal } from '../src/protocol/principal.ts'
import { headerText, type RequestHeaders } from '../src/protocol/request-headers.ts'

/** The sender of an HTTP request, with what its headers say beside the body. */
export class HttpSender implements Sender {
  readonly principal: Principal
  readonly sessionKey: string | undefined
  readonly trace: Sender['trace']
  readonly sessionId: string | undefined
  readonly #headers: RequestHeaders

  constructor ({ sessionKey, trace, headers }: FastifyRequest, principal: Principal) {
    this.principal = principal
    this.sessionKey = sessionKey ?? undefined
    this.trace = trace ?? undefined
    this.sessionId = headerText(headers, 'mcp-session-id')
    this.#headers = headers
  }

  /** Looked for when they are asked for: few tools mirror parameters. No other header is handed on. */
  get parameterHeaders (): RequestHeaders {
    const found: Record<string, string | string[] | undefined> = {}
    for (const name in this.#headers) {
      if (name.startsWith('mcp-param-')) found[name] = this.#headers[name]
    }
    return found
  }
}
