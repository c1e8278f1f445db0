import type { LogLevel } from './log-level.ts'
import type { JsonObject } from './message.ts'
import type { Principal } from './principal.ts'
import type { RequestId } from './rejection.ts'
import type { RequestHeaders } from './request-headers.ts'
import type { TraceContext } from './trace-context.ts'
import type { Era } from './versions.ts'

/** What the session id of a legacy request says, where ids are given out (LEGACY-02). */
export interface LegacySession {
  /** What the client declared at `initialize`, as far as it decides about questions. */
  readonly capabilities: JsonObject
}

/**
 * One request as everything behind the ingress sees it. Immutable, and complete: nothing
 * later reads the HTTP request, an earlier request, or the connection (RPC-09).
 */
export interface McpRequest {
  readonly era: Era
  /** The revision the request is served at. */
  readonly version: string
  readonly id: RequestId
  readonly method: string
  /** `{}` where a legacy request left them out. */
  readonly params: JsonObject
  /** `params._meta`, `{}` where there is none. */
  readonly meta: JsonObject
  /** What this request declared (CAP-03); `{}` in the legacy era, where only `initialize` says. */
  readonly clientCapabilities: JsonObject
  readonly progressToken: string | number | undefined
  /** The least severe log message the caller wants on this request's stream; `undefined`: none at all (LOG-01). */
  readonly logLevel: LogLevel | undefined
  /** The `Mcp-Param-*` headers of the request, by lower-case name. */
  readonly parameterHeaders: RequestHeaders
  readonly trace: TraceContext | undefined
  readonly principal: Principal
  /** The hash of the session key that the request came with, in a header or in its arguments (POOL-04). */
  readonly sessionKey: string | undefined
  /** `undefined` in the modern era, and where the request came with no session id that opens. */
  readonly legacySession: LegacySession | undefined
  /** Fires when the caller has gone or cancelled, and when the server gives up on the request. */
  readonly signal: AbortSignal
}
