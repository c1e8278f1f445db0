import t from 'tap'
import { createTestDatabase } from '../../../scripts/support/postgres-database.ts'
import { postgresTables } from './databases.ts'
import { histories } from './histories.ts'

/** Fewer histories: the rules are the same ones, and each change takes three round trips here. */
const firstSeed = 20260728
const mostHistories = 40
const msToTry = 10_000
const hangsAfterMs = 60_000
t.setTimeout(2 * hangsAfterMs + msToTry)

t.test('a pool keeps its promises over Postgres too', async (t) => {
  const database = await createTestDatabase()
  t.teardown(() => database.drop())

  // One by one: a time limit of fast-check's would leave the last one running while its database goes.
  const { assert } = histories({ createDatabase: postgresTables(database) })
  const untilMs = performance.now() + msToTry
  let played = 0
  do await assert({ seed: firstSeed + played++, numRuns: 1, timeout: hangsAfterMs })
  while (played < mostHistories && performance.now() < untilMs)
  t.comment(`${played} histories`)
  t.pass()
})
