import { type Column, type SQL, sql } from 'drizzle-orm'

/**
 * For a prepared statement: each column takes the value that is given under its own name when
 * the statement runs, and encodes it itself. So a column that is added to a table is written
 * from then on, and a row without a value for it is an error.
 */
export function boundColumns<Columns extends Readonly<Record<string, Column>>, Left extends keyof Columns = never> (
  columns: Columns, leftOut: readonly Left[] = []
): Record<Exclude<keyof Columns, Left>, SQL> {
  const left = new Set<unknown>(leftOut)
  const bound: Partial<Record<keyof Columns, SQL>> = {}
  for (const name of namesOf(columns)) if (!left.has(name)) bound[name] = given(String(name), columns[name])
  // Every name but those left out has got its value in the loop.
  return bound as Record<Exclude<keyof Columns, Left>, SQL>
}

/** The value that is given under a name when the statement runs; with a column, encoded by it. Null is NULL. */
export function given (name: string, column?: Column): SQL {
  const placeholder = sql.placeholder(name)
  if (column === undefined) return sql`${placeholder}`
  const encoder = { mapToDriverValue: (value: unknown) => value === null ? null : column.mapToDriverValue(value) }
  return sql`${sql.param(placeholder, encoder)}`
}

function namesOf<T extends object> (record: T): readonly (keyof T)[] {
  return Object.keys(record) as (keyof T)[]
}
