import { integer, pgTable } from 'drizzle-orm/pg-core'
import { wholeNumber } from './column-types.ts'

/** One row: the term of the process that has the database. Each process that takes it begins the next one. */
export const claim = pgTable('claim', {
  id: integer('id').primaryKey(),
  term: wholeNumber('term').notNull()
})
