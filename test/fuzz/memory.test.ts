/** @alone It collects garbage and measures what is left. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { socketProperties } from './socket-properties.ts'
import { startSocketTarget } from './socket-target.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

t.test('hostile requests leave no memory behind', async (t) => {
  const target = await startSocketTarget(t)
  const properties = socketProperties(target)

  async function heapAfter (rounds: number): Promise<number> {
    for (let round = 0; round < rounds; round++) {
      const [seed] = fc.sample(fc.integer(), 1)
      for (const { assert } of properties) await assert({ seed: seed ?? 0, numRuns: 20 })
    }
    await target.assertSound()
    await new Promise(setImmediate)
    collectGarbage()
    return process.memoryUsage().heapUsed
  }

  // What is compiled, cached and pooled once has been by then.
  const before = await heapAfter(3)
  const after = await heapAfter(6)

  t.comment(`${Math.round((after - before) / 1024)} KiB more after a thousand further requests`)
  t.ok(after - before < 3 * 1024 * 1024, `${after - before} bytes`)
})
