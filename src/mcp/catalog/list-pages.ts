/**
 * Lists as bytes: each page is serialized once for each revision of the protocol that asks for
 * it, and then sent as the same bytes to every caller whose view publishes the same.
 *
 * Bounded in bytes: the lists that were not asked for the longest are forgotten first. The bytes
 * of an answer that is under way stay with the answer.
 */
import type { Encoder } from '../../protocol/encode.ts'
import type { JsonObject } from '../../protocol/message.ts'
import type { CacheHint, Result } from '../../protocol/result.ts'
import { defaultPageSize, pageBody, pageOf, startOf, type ListShape } from '../page.ts'
import type { ListedEntry, ListedSet } from './listed-set.ts'

export interface ListPages {
  /**
   * One page of a set, as its method answers.
   *
   * @throws {ProtocolError} the cursor names no entry of the set
   */
  page (set: ListedSet<ListedEntry>, cursor: unknown, shape: ListShape): Result
  /** A result that is the same as long as `revision` is. */
  whole (method: string, revision: string, cache: CacheHint, body: () => JsonObject): Result
}

interface KnownList {
  readonly key: string
  readonly pages: Map<number, Result>
  bytes: number
}

export const defaultMaxBytes = 67_108_864

export function createListPages ({ encoder, pageSize = defaultPageSize, maxBytes = defaultMaxBytes }: {
  readonly encoder: Encoder
  readonly pageSize?: number
  readonly maxBytes?: number
}): ListPages {
  // In the order in which they were last asked for.
  const known = new Map<string, KnownList>()
  let bytes = 0

  function listOf (method: string, revision: string, { ttlMs, scope }: CacheHint): KnownList {
    const key = `${method} ${revision} ${scope} ${ttlMs}`
    const list = known.get(key) ?? { key, pages: new Map<number, Result>(), bytes: 0 }
    known.delete(key)
    known.set(key, list)
    return list
  }

  function count (list: KnownList, made: number): void {
    // It can have been forgotten between being found and being sent.
    if (known.get(list.key) !== list) return
    list.bytes += made
    bytes += made
    for (const [key, oldest] of known) {
      if (bytes <= maxBytes || oldest === list) break
      known.delete(key)
      bytes -= oldest.bytes
    }
  }

  function prepare (list: KnownList, start: number, method: string, body: JsonObject, cache: CacheHint): Result {
    const page: Result = { kind: 'prepared', prepared: encoder.prepare(method, body, cache, (made) => count(list, made)) }
    list.pages.set(start, page)
    return page
  }

  return {
    page (set, cursor, shape) {
      const { method, cache } = shape
      const start = startOf(set.entries, cursor)
      // A cursor can name any entry, but only these pages follow each other from the beginning.
      if (start % pageSize !== 0) return pageOf(set.entries, cursor, shape, pageSize)
      const list = listOf(method, set.revision, cache)
      return list.pages.get(start) ?? prepare(list, start, method, pageBody(set.entries, start, shape, pageSize), cache)
    },

    whole (method, revision, cache, body) {
      const list = listOf(method, revision, cache)
      return list.pages.get(0) ?? prepare(list, 0, method, body(), cache)
    }
  }
}
