import t from 'tap'
import { histories } from './histories.ts'

/** The same histories in every run, so that a change is judged by what it changes; `npm run fuzz` tries others for as long as it is told to. */
const seed = 20260728
const secondsToTry = 40
t.setTimeout(3 * secondsToTry * 1_000)

t.test('a pool keeps its promises, whatever happens to it', async (t) => {
  await histories().assert({ seed, numRuns: 3_000, interruptAfterTimeLimit: secondsToTry * 1_000, markInterruptAsFailure: false })
  t.pass()
})
