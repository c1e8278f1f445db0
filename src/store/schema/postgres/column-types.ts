/**
 * Types of columns for what Postgres has no exact type of its own, or keeps less of than SQLite.
 *
 * Text of Postgres cannot hold the character NUL, which joins the two parts of a principal and
 * may stand in whatever a caller or an operator has written.
 */
import { bigint, customType } from 'drizzle-orm/pg-core'

/** Any text: NUL is kept as `\0`, and so that this is not ambiguous, `\` as `\\`. */
export const anyText = customType<{ data: string, driverData: string }>({
  dataType: () => 'text',
  toDriver: (text) => text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0'),
  fromDriver: (stored) => stored.replaceAll(/\\([\\0])/g, (_, kept: string) => kept === '0' ? '\0' : kept)
})

/** JSON as text, in which NUL is written as an escape sequence that `jsonb` refuses. */
export const jsonText = customType<{ data: unknown, driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value),
  fromDriver: (stored): unknown => JSON.parse(stored)
})

/** Whole numbers as far as JavaScript counts them: instants, lengths of time, fencing tokens. */
export const wholeNumber = (name: string) => bigint(name, { mode: 'number' })
