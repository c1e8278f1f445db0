/**
 * Results and rejections to the bytes of one JSON-RPC message.
 *
 * One registry serves both eras; only here does a result take the shape of one (LEGACY-22).
 */
import { legacyResult } from './encode-legacy.ts'
import { inputRequired, modernResult, type Implementation } from './encode-modern.ts'
import { errorCodes } from './error-table.ts'
import type { JsonObject } from './message.ts'
import type { Rejection, RequestId } from './rejection.ts'
import type { CacheHint, PreparedResult, Result } from './result.ts'
import { isLegacyVersion, type Era } from './versions.ts'

/** The facts of a request that decide how its answer looks. */
export interface Addressee {
  readonly id: RequestId
  readonly method: string
  readonly era: Era
  readonly version: string
}

const tail = Buffer.from('}')

export interface Encoder {
  /** The whole response message. */
  result (to: Addressee, result: Result): string | Buffer
  /** A list result that is shaped and serialized once for each revision that asks for it. */
  prepare (method: string, body: JsonObject, cache: CacheHint): PreparedResult
}

export function createEncoder (serverInfo: Implementation): Encoder {
  function shape (method: string, version: string, body: JsonObject, cache?: CacheHint): JsonObject {
    return isLegacyVersion(version) ? legacyResult(method, body, version) : modernResult(body, serverInfo, cache)
  }

  return {
    result (to, result) {
      const head = `{"jsonrpc":"2.0","id":${JSON.stringify(to.id)},"result":`
      switch (result.kind) {
        case 'prepared': return Buffer.concat([Buffer.from(head), result.prepared.bytesFor(to.version), tail])
        case 'complete': return `${head}${JSON.stringify(shape(to.method, to.version, result.body, result.cache))}}`
        case 'input_required': return `${head}${JSON.stringify(inputRequired(result, serverInfo))}}`
      }
    },

    prepare (method, body, cache) {
      const bytes = new Map<string, Buffer>()
      return {
        bytesFor (version) {
          const known = bytes.get(version)
          if (known !== undefined) return known
          const made = Buffer.from(JSON.stringify(shape(method, version, body, cache)))
          bytes.set(version, made)
          return made
        }
      }
    }
  }
}

/** An error message; without an id the member is left out, since the schema allows no null (RPC-05). */
export function encodeError (id: RequestId | undefined, rejection: Rejection, era: Era = 'modern'): string {
  const { message, data } = rejection
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id === undefined ? {} : { id }),
    error: { code: errorCodeFor(rejection, era), message, ...(data === undefined ? {} : { data }) }
  })
}

/** The code under which callers of an era see a rejection. */
export function errorCodeFor ({ rule, code }: Rejection, era: Era): number {
  return era === 'legacy' && rule === 'ERR-09' ? errorCodes.legacyResourceNotFound : code
}

export function encodeNotification (method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

/** A request of ours to a legacy caller (LEGACY-14); `params` are left out where there are none. */
export function encodeRequest (id: string, method: string, params: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(Object.keys(params).length === 0 ? {} : { params }) })
}
