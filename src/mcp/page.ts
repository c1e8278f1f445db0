/**
 * Pages of a list (LIST-01…05).
 *
 * A cursor names the last item of the page before, so it keeps its meaning while items come
 * and go; one whose item is gone, or that is not ours, is refused.
 */
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
  readonly cache: CacheHint
}

export interface ListItem {
  /** What tells items apart. */
  readonly name: string
  /** The item as the list shows it. */
  readonly published: JsonObject
}

/** Answers one page of items that were made for this request. */
export function pageOf (items: readonly ListItem[], cursor: unknown, shape: ListShape, pageSize = defaultPageSize): Result {
  return complete(pageBody(items, startOf(items, cursor), shape, pageSize), shape.cache)
}

export function pageBody (items: readonly ListItem[], start: number, { member }: ListShape, pageSize: number): JsonObject {
  const end = start + pageSize
  const page = items.slice(start, end)
  const last = page.at(-1)
  return {
    [member]: page.map(({ published }) => published),
    ...(last === undefined || end >= items.length ? {} : { nextCursor: cursorAfter(last.name) })
  }
}

/**
 * Where the page begins that a cursor asks for.
 *
 * @throws {ProtocolError} the cursor names no item
 */
export function startOf (items: readonly ListItem[], cursor: unknown): number {
  if (cursor === undefined) return 0
  const after = typeof cursor === 'string' ? readCursor(cursor) : undefined
  const index = after === undefined ? -1 : items.findIndex(({ name }) => name === after)
  if (index === -1) {
    // LIST-04: an empty cursor is no end of the list, and seldom one of ours.
    throw new ProtocolError(invalidParams(typeof cursor === 'string' && cursor !== ''
      ? 'The cursor is not one of this list, or the list has changed; start again without a cursor.'
      : 'params.cursor must be text that came as nextCursor; leave it out for the first page.'))
  }
  return index + 1
}

function cursorAfter (name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url')
}

function readCursor (cursor: string): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.toString('base64url') === cursor ? bytes.toString('utf8') : undefined
}
