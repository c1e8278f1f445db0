import t from 'tap'
import { createTestDatabase } from '../../../scripts/support/postgres-database.ts'
import { postgresTables } from './databases.ts'
import { histories } from './histories.ts'

/** The histories of `postgres-model.test.ts`, and more. */
const seed = 20260728
t.setTimeout(0)

t.test('a pool keeps its promises over Postgres too', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.drop())

  await histories({ createDatabase: postgresTables(database) }).assert({ seed, numRuns: 100, timeout: 120_000 })
  t.pass()
})
