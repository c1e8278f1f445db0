/** Results in the shape of 2026-07-28 (RPC-06, RPC-07, CACHE-01). */
import { isObject, type JsonObject } from './message.ts'
import type { CacheHint, Result } from './result.ts'

export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

export function modernResult (body: JsonObject, serverInfo: Implementation, cache?: CacheHint): JsonObject {
  const meta = isObject(body['_meta']) ? body['_meta'] : {}
  return {
    resultType: 'complete',
    ...body,
    ...(cache === undefined ? {} : { ttlMs: cache.ttlMs, cacheScope: cache.scope }),
    _meta: { ...meta, [serverInfoKey]: serverInfo }
  }
}

/** MRTR-01: questions instead of a result. It is never cached. */
export function inputRequired (
  { inputRequests, requestState }: Extract<Result, { kind: 'input_required' }>, serverInfo: Implementation
): JsonObject {
  return modernResult({ resultType: 'input_required', inputRequests, requestState }, serverInfo)
}
