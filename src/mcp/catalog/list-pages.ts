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
  readonly cache: CacheHint
  readonly pages: Map<number, Result>
  bytes: number
  /** Rises with every use of any list. */
  usedAt: number
}

export const defaultMaxBytes = 67_108_864

export function createListPages ({ encoder, pageSize = defaultPageSize, maxBytes = defaultMaxBytes }: {
  readonly encoder: Encoder
  readonly pageSize?: number
  readonly maxBytes?: number
}): ListPages {
  // By method and then by revision; one revision seldom comes with more than one hint.
  const known = new Map<string, Map<string, KnownList[]>>()
  let bytes = 0
  let uses = 0

  function listOf (method: string, revision: string, cache: CacheHint): KnownList {
    const { ttlMs, scope } = cache
    const ofMethod = known.get(method) ?? new Map<string, KnownList[]>()
    const ofRevision = ofMethod.get(revision) ?? []
    let list = ofRevision.find((one) => one.cache.ttlMs === ttlMs && one.cache.scope === scope)
    if (list === undefined) {
      list = { cache, pages: new Map(), bytes: 0, usedAt: 0 }
      known.set(method, ofMethod.set(revision, ofRevision))
      ofRevision.push(list)
    }
    list.usedAt = ++uses
    return list
  }

  function * everyList (): Generator<{ readonly list: KnownList, forget (): void }> {
    for (const ofMethod of known.values()) {
      for (const [revision, lists] of ofMethod) {
        for (const list of [...lists]) {
          yield {
            list,
            forget () {
              lists.splice(lists.indexOf(list), 1)
              if (lists.length === 0) ofMethod.delete(revision)
            }
          }
        }
      }
    }
  }

  function count (list: KnownList, made: number): void {
    list.bytes += made
    bytes += made
    if (bytes <= maxBytes) return
    // It can have been forgotten between being found and being sent: then it is sent, and not kept.
    const kept = [...everyList()].sort((one, other) => one.list.usedAt - other.list.usedAt)
    bytes = kept.reduce((sum, { list }) => sum + list.bytes, 0)
    for (const { list: oldest, forget } of kept) {
      if (bytes <= maxBytes || oldest === list) break
      forget()
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
