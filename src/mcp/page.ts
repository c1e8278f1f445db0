/**
 * Pages of a list (LIST-01…05).
 *
 * A cursor names the last item of the page before, so it keeps its meaning while items come
 * and go; one whose item is gone, or that is not ours, is refused.
 */
import type { Encoder } from '../protocol/encode.ts'
import { invalidParams } from '../protocol/error-table.ts'
import type { JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'

/** Large, because many clients read only the first page. */
export const defaultPageSize = 500

export interface ListShape {
  /** The method that answers with the list, e.g. `tools/list`. */
  readonly method: string
  /** The result member that holds the items, e.g. `tools`. */
  readonly member: string
  /** The item member that tells items apart, e.g. `name`. */
  readonly key: string
  readonly cache: CacheHint
  readonly pageSize?: number
}

/** Answers one page of items that were made for this request. */
export function pageOf (items: readonly JsonObject[], cursor: unknown, shape: ListShape): Result {
  return complete(pageBody(items, startOf(items, cursor, shape), shape), shape.cache)
}

/** A list that stays the same: each page is serialized once and sent as bytes. */
export function createPreparedList (items: readonly JsonObject[], shape: ListShape, encoder: Encoder): { page (cursor: unknown): Result } {
  const pages = new Map<number, Result>()
  return {
    page (cursor) {
      const start = startOf(items, cursor, shape)
      const known = pages.get(start)
      if (known !== undefined) return known
      const page: Result = { kind: 'prepared', prepared: encoder.prepare(shape.method, pageBody(items, start, shape), shape.cache) }
      pages.set(start, page)
      return page
    }
  }
}

function pageBody (items: readonly JsonObject[], start: number, { member, key, pageSize = defaultPageSize }: ListShape): JsonObject {
  const end = start + pageSize
  const page = items.slice(start, end)
  const last = page.at(-1)
  return {
    [member]: page,
    ...(last === undefined || end >= items.length ? {} : { nextCursor: cursorAfter(String(last[key])) })
  }
}

function startOf (items: readonly JsonObject[], cursor: unknown, { key }: ListShape): number {
  if (cursor === undefined) return 0
  const after = typeof cursor === 'string' ? readCursor(cursor) : undefined
  const index = after === undefined ? -1 : items.findIndex((item) => item[key] === after)
  if (index === -1) {
    throw new ProtocolError(invalidParams('The cursor is not one of this list, or the list has changed; start again without a cursor.'))
  }
  return index + 1
}

function cursorAfter (key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}

function readCursor (cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.toString('base64url') === cursor ? bytes.toString('utf8') : undefined
}
