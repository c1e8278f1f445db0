import t from 'tap'
import { createTestDatabase } from '../../../scripts/support/postgres-database.ts'
import { postgresTables } from './databases.ts'
import { histories } from './histories.ts'

/** Fewer of the same histories: the rules are the same ones, and each change takes three round trips here. */
const seed = 20260728
const secondsToTry = 20
const hangsAfterMs = 60_000
t.setTimeout(hangsAfterMs + 6 * secondsToTry * 1_000)

t.test('a pool keeps its promises over Postgres too', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.drop())

  await histories({ createDatabase: postgresTables(database) })
    .assert({ seed, numRuns: 200, timeout: hangsAfterMs, interruptAfterTimeLimit: secondsToTry * 1_000, markInterruptAsFailure: false })
  t.pass()
})
