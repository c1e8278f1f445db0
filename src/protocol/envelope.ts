/**
 * From a parsed body to what it asks for: one request, a batch of an old client, something that
 * wants no answer, or a rejection (VAL-05…08). The era is decided on the way; mirrored headers are
 * checked afterwards (`request-headers.ts`).
 */
import { missingMeta } from './error-table.ts'
import { decideBatch, decideEra, versionKey } from './era.ts'
import { isLogLevel, legacyLogLevel, logLevelKey } from './log-level.ts'
import type { McpRequest } from './mcp-request.ts'
import { isObject, readMessage, type JsonObject, type Message } from './message.ts'
import { readProgressToken } from './progress-token.ts'
import type { Rejection, RequestId } from './rejection.ts'
import type { Era } from './versions.ts'

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

/** A request as far as its body alone describes it. */
export type Envelope = Omit<McpRequest, 'parameterHeaders' | 'principal' | 'sessionKey' | 'legacySession' | 'trace' | 'signal'>

export interface Rejected {
  readonly kind: 'rejected'
  readonly rejection: Rejection
  /** Absent when no id could be read (RPC-05). */
  readonly id: RequestId | undefined
}

/** What is answered with 202 and nothing else (HTTP-06, HTTP-07, ERA-10). */
export type Inbound =
  | { readonly kind: 'notification', readonly era: Era, readonly method: string, readonly params: JsonObject }
  /** An answer to a request of ours; only legacy callers post one (ERA-09). */
  | { readonly kind: 'response', readonly id: RequestId | undefined, readonly body: JsonObject }

export type Incoming =
  | { readonly kind: 'request', readonly envelope: Envelope }
  | Inbound
  | { readonly kind: 'batch', readonly elements: readonly Incoming[] }
  | Rejected

/** Whether something is answered with more than 202: a request, or a batch in which anything is. */
export function wantsAnswer (incoming: Incoming): boolean {
  switch (incoming.kind) {
    case 'request':
    case 'rejected': return true
    case 'notification':
    case 'response': return false
    case 'batch': return incoming.elements.some(wantsAnswer)
  }
}

/** `header` is `MCP-Protocol-Version`, `undefined` when the request has none. */
export function readIncoming (body: unknown, header: string | undefined): Incoming {
  if (!Array.isArray(body)) return readOne(body, header)
  const decision = decideBatch(body, header)
  if (decision.era === undefined) return rejected(decision.rejection, undefined)
  return { kind: 'batch', elements: body.map((element) => readOne(element, header)) }
}

function readOne (body: unknown, header: string | undefined): Incoming {
  const message = readMessage(body)
  if (message.kind === 'invalid') return rejected(message.rejection, message.id)
  const decision = decideEra(message, header?.trim())
  if (decision.era === undefined) {
    // A posted response is not answered by its id: that id is one of ours, not the sender's.
    return rejected(decision.rejection, message.kind === 'request' ? message.id : undefined)
  }
  switch (message.kind) {
    case 'response': return message
    case 'notification': return { kind: 'notification', era: decision.era, method: message.method, params: message.params ?? {} }
    case 'request': return decision.era === 'modern' ? readModern(message) : { kind: 'request', envelope: legacyEnvelope(message, decision.version) }
  }
}

function readModern ({ id, method, params = {} }: Extract<Message, { kind: 'request' }>): Incoming {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const version = meta[versionKey]
  const clientCapabilities = meta[capabilitiesKey]
  if (typeof version !== 'string' || !isObject(clientCapabilities)) {
    return rejected(missingMeta([
      ...(typeof version === 'string' ? [] : [versionKey]),
      ...(isObject(clientCapabilities) ? [] : [capabilitiesKey])
    ]), id)
  }
  const logLevel = meta[logLevelKey]
  return {
    kind: 'request',
    envelope: {
      era: 'modern',
      version,
      id,
      method,
      params,
      meta,
      clientCapabilities,
      progressToken: readProgressToken(meta),
      // One that is not a level is refused after the headers have been checked (VAL-14).
      logLevel: isLogLevel(logLevel) ? logLevel : undefined
    }
  }
}

function legacyEnvelope ({ id, method, params = {} }: Extract<Message, { kind: 'request' }>, version: string): Envelope {
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  return {
    era: 'legacy', version, id, method, params, meta, clientCapabilities: {}, progressToken: readProgressToken(meta), logLevel: legacyLogLevel
  }
}

function rejected (rejection: Rejection, id: RequestId | undefined): Rejected {
  return { kind: 'rejected', rejection, id }
}
