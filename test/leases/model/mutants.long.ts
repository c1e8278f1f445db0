import assert from 'node:assert/strict'
import t from 'tap'
import { histories } from './histories.ts'
import { mutants } from './mutants.ts'

/** More than any of them needs by far. */
const mostHistories = 2_000

t.setTimeout(600_000)

for (const { rule, fault } of mutants) {
  t.test(`noticed when broken: ${rule}`, { timeout: 120_000 }, async (t) => {
    const noticed: unknown = await Promise.resolve(histories({ fault }).assert({ seed: 1, numRuns: mostHistories, endOnFailure: true })).catch((failure: unknown) => failure)

    t.ok(noticed instanceof Error, `within ${mostHistories} histories`)
    if (!(noticed instanceof Error)) return
    t.ok(noticed.cause instanceof assert.AssertionError, 'by a rule, not by an accident')
    t.comment(`${/after \d+ tests/.exec(noticed.message)?.[0]}: ${noticed.cause instanceof Error ? noticed.cause.message.split('\n')[0] : ''}`)
  })
}
