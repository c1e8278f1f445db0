import t from 'tap'
import { histories } from './histories.ts'

/** The histories of `model.test.ts`, and ten times as many. */
const seed = 20260728
t.setTimeout(0)

t.test('a pool keeps its promises, whatever happens to it, for long', async (t) => {
  await histories().assert({ seed, numRuns: 3_000 })
  t.pass()
})
