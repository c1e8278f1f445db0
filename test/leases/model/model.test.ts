import fc from 'fast-check'
import t from 'tap'
import { histories } from './histories.ts'

/** `npm run fuzz` tries for as long as it is told to. */
const secondsToTry = 20

t.test('a pool keeps its promises, whatever happens to it', async (t) => {
  const [seed] = fc.sample(fc.integer(), 1)
  if (seed === undefined) throw new Error('fast-check gave no seed')
  t.comment(`seed ${seed}`)
  await histories().assert({ seed, numRuns: 3_000, interruptAfterTimeLimit: secondsToTry * 1_000, markInterruptAsFailure: false })
  t.pass()
})
