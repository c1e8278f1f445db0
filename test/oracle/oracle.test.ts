import fc from 'fast-check'
import t from 'tap'
import { bothSides } from './both-sides.ts'
import { changedCall, validCall } from './calls.ts'
import { compare } from './compare.ts'
import { differences, type Difference } from './differences.ts'

/** Fixed, so that what is listed can also be held to occur; `npm run fuzz` goes on with others. */
const seed = 20260728

t.test('mooring and the SDK\'s handler answer alike but for the reasoned differences, and each of those occurs', async (t) => {
  const put = await bothSides(t)
  const calls = [...fc.sample(validCall, { seed, numRuns: 200 }), ...fc.sample(changedCall, { seed, numRuns: 700 })]
  const occurred = new Set<Difference>()
  let alike = 0

  for (const call of calls) {
    const { ours, theirs } = await put(call)
    const verdict = compare(call, ours, theirs)
    if (!verdict.ok) t.same(ours, verdict.expected, `${call.era} ${call.message.method}, ${call.change}: ${call.body.slice(0, 300)}`)
    else if (verdict.used.length === 0) alike++
    else for (const difference of verdict.used) occurred.add(difference)
  }

  t.comment(`${calls.length} calls, ${alike} answered alike to the letter; seed ${seed}`)
  t.ok(alike > calls.length / 2)
  for (const difference of differences) t.ok(occurred.has(difference), `occurs: ${difference.rule} ${difference.reason}`)
})
