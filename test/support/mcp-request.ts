import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import type { Principal } from '../../src/protocol/principal.ts'

export function principal (subject = 'ada'): Principal {
  return { issuer: 'test', subject, key: `test\0${subject}` }
}

/** A modern request, as the ingress would hand it on. */
export function mcpRequest (method: string, params: Readonly<Record<string, unknown>> = {}, overrides: Partial<McpRequest> = {}): McpRequest {
  return {
    era: 'modern',
    version: '2026-07-28',
    id: 1,
    method,
    params,
    meta: {},
    clientCapabilities: {},
    progressToken: undefined,
    logLevel: undefined,
    parameterHeaders: {},
    trace: undefined,
    principal: principal(),
    sessionKey: undefined,
    legacySession: undefined,
    signal: new AbortController().signal,
    ...overrides
  }
}
