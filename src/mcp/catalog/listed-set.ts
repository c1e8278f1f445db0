import { createHash } from 'node:crypto'
import type { JsonObject } from '../../protocol/message.ts'

/** What is listed by one method, in a fixed order (LIST-03). */
export interface ListedSet<Entry extends ListedEntry> {
  /** Equal exactly when what is listed is. */
  readonly revision: string
  readonly entries: readonly Entry[]
  find (name: string): Entry | undefined
}

export interface ListedEntry {
  /** What tells entries of one set apart. */
  readonly name: string
  /** The entry as its list shows it. */
  readonly published: JsonObject
  /** Of `published`. */
  readonly digest: string
}

/** @throws {Error} when two entries have the same name */
export function createListedSet<Entry extends ListedEntry> (entries: readonly Entry[], what: string): ListedSet<Entry> {
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  if (byName.size !== entries.length) throw new Error(`two ${what} have the same name`)
  return Object.freeze({
    revision: digestOf(entries.map(({ digest }) => digest)),
    entries: Object.freeze([...entries]),
    find: (name: string) => byName.get(name)
  })
}

export function digestOf (value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}
