import t from 'tap'
import { histories } from './histories.ts'

/** The same histories in every run, so that a change is judged by what it changes; `model.long.ts` tries more, and `npm run fuzz` others. */
const seed = 20260728
t.setTimeout(300_000)

t.test('a pool keeps its promises, whatever happens to it', async (t) => {
  await histories().assert({ seed, numRuns: 100 })
  t.pass()
})
