/** Results in the shape of 2026-07-28 (RPC-06, RPC-07, CACHE-01). */
import { wellFormedJson } from '../text/well-formed.ts'
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
  return { ...modernMembers(body, cache), _meta: { ...meta, [serverInfoKey]: serverInfo } }
}

/** Encodes modern results of one server. */
export function createModernEncoder (serverInfo: Implementation): (body: JsonObject, cache?: CacheHint) => string {
  // Few results have members of these names. All others begin and end alike, and are not copied.
  const ending = `,"_meta":${JSON.stringify({ [serverInfoKey]: serverInfo })}}`

  return (body, cache) => {
    if (body['_meta'] !== undefined || body['resultType'] !== undefined) return wellFormedJson(modernResult(body, serverInfo, cache))
    const members = wellFormedJson(body).slice(1, -1)
    const hints = cache === undefined ? '' : `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.scope}"`
    return `{"resultType":"complete"${members === '' ? '' : ','}${members}${hints}${ending}`
  }
}

function modernMembers (body: JsonObject, cache: CacheHint | undefined): JsonObject {
  return { resultType: 'complete', ...body, ...(cache === undefined ? {} : { ttlMs: cache.ttlMs, cacheScope: cache.scope }) }
}

/** MRTR-01: the body of questions instead of a result. It is never cached. */
export function inputRequired ({ inputRequests, requestState }: Extract<Result, { kind: 'input_required' }>): JsonObject {
  return { resultType: 'input_required', ...(inputRequests === undefined ? {} : { inputRequests }), requestState }
}
