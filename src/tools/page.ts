import { InvalidCursorRefusal } from './tool-refusals.ts'

/**
 * One page of a list that is ordered by a key. The cursor is the last key of the page before,
 * so pages stay right when entries come and go, and nothing is kept between calls. It has to be
 * the key of something in the whole list, whatever is asked for of it.
 *
 * @throws {InvalidCursorRefusal} it is not
 */
export function page<T> (
  entries: readonly T[],
  { limit, cursor, keyOf, whole }: {
    readonly limit: number
    readonly cursor: string | undefined
    readonly keyOf: (entry: T) => string
    /** Everything there is, of which `entries` are what is asked for. */
    readonly whole: readonly T[]
  }
): { readonly items: readonly T[], readonly next: string | undefined } {
  if (cursor !== undefined && !whole.some((entry) => keyOf(entry) === cursor)) throw new InvalidCursorRefusal(cursor)
  const rest = cursor === undefined ? entries : entries.filter((entry) => keyOf(entry) > cursor)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return { items, next: items.length < rest.length && last !== undefined ? keyOf(last) : undefined }
}
