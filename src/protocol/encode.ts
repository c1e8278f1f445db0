/**
 * Results and rejections to the bytes of one JSON-RPC message.
 *
 * One registry serves both eras; only here does a result take the shape of one (LEGACY-22). All
 * that leaves is well-formed: half of a surrogate pair becomes U+FFFD, wherever it came from.
 */
import { wellFormedJson } from '../text/well-formed.ts'
import { legacyResult } from './encode-legacy.ts'
import { createModernEncoder, inputRequired, type Implementation } from './encode-modern.ts'
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

/**
 * A message with a prepared result inside. It is sent in three pieces, since joining them would
 * copy the whole list for every answer.
 */
export class FramedResult {
  readonly head: string
  readonly bytes: Buffer
  readonly tail = '}'

  constructor (head: string, bytes: Buffer) {
    this.head = head
    this.bytes = bytes
  }

  get byteLength (): number {
    return Buffer.byteLength(this.head) + this.bytes.length + this.tail.length
  }

  toString (): string {
    return `${this.head}${this.bytes.toString()}${this.tail}`
  }
}

export interface Encoder {
  /** The whole response message. */
  result (to: Addressee, result: Result): string | FramedResult
  /**
   * A list result that is shaped and serialized once for each revision that asks for it.
   *
   * @param made told how many bytes were made, each time some are
   */
  prepare (method: string, body: JsonObject, cache: CacheHint, made?: (bytes: number) => void): PreparedResult
}

export function createEncoder (serverInfo: Implementation): Encoder {
  const modernText = createModernEncoder(serverInfo)

  function encode (method: string, version: string, body: JsonObject, cache?: CacheHint): string {
    return isLegacyVersion(version) ? wellFormedJson(legacyResult(method, body, version)) : modernText(body, cache)
  }

  return {
    result (to, result) {
      const head = `{"jsonrpc":"2.0","id":${JSON.stringify(to.id)},"result":`
      switch (result.kind) {
        case 'prepared': return new FramedResult(head, result.prepared.bytesFor(to.version))
        case 'complete': return `${head}${encode(to.method, to.version, result.body, result.cache)}}`
        case 'input_required': return `${head}${modernText(inputRequired(result))}}`
      }
    },

    prepare (method, body, cache, made) {
      const byVersion = new Map<string, Buffer>()
      return {
        bytesFor (version) {
          const known = byVersion.get(version)
          if (known !== undefined) return known
          const bytes = Buffer.from(encode(method, version, body, cache))
          byVersion.set(version, bytes)
          made?.(bytes.length)
          return bytes
        }
      }
    }
  }
}

/** An error message; without an id the member is left out, since the schema allows no null (RPC-05). */
export function encodeError (id: RequestId | undefined, rejection: Rejection, era: Era = 'modern'): string {
  const { message, data } = rejection
  return wellFormedJson({
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
  return wellFormedJson({ jsonrpc: '2.0', method, params })
}

/** A request of ours to a legacy caller (LEGACY-14); `params` are left out where there are none. */
export function encodeRequest (id: string, method: string, params: JsonObject): string {
  return wellFormedJson({ jsonrpc: '2.0', id, method, ...(Object.keys(params).length === 0 ? {} : { params }) })
}
