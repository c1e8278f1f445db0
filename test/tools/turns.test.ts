import fc from 'fast-check'
import t from 'tap'
import { createKeyedTurns } from '../../src/tools/turns.ts'

const stays = new AbortController().signal

t.test('under one key there is never more than one at work, in the order they asked', async (t) => {
  const call = fc.record({ key: fc.constantFrom('a', 'b'), steps: fc.nat(3), fails: fc.boolean(), leaves: fc.boolean() })

  await fc.assert(fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
    const turns = createKeyedTurns()
    const atWork = new Map<string, number>()
    const begun: Record<string, number[]> = { a: [], b: [] }
    let overlaps = 0

    await Promise.allSettled(calls.map(({ key, steps, fails, leaves }, index) => {
      const caller = new AbortController()
      const turn = turns.take(key, caller.signal, async () => {
        begun[key]?.push(index)
        atWork.set(key, (atWork.get(key) ?? 0) + 1)
        if (atWork.get(key) !== 1) overlaps += 1
        for (let step = 0; step < steps; step++) await new Promise((resolve) => setImmediate(resolve))
        atWork.set(key, (atWork.get(key) ?? 0) - 1)
        if (fails) throw new Error('failed')
      })
      if (leaves) caller.abort()
      return turn
    }))

    const staying = (key: string) => calls.flatMap((call, index) => call.key === key && !call.leaves ? [index] : [])
    return overlaps === 0 && ['a', 'b'].every((key) => JSON.stringify(begun[key]) === JSON.stringify(staying(key)))
  }))
  t.pass()
})

t.test('a turn gives back what its work does', async (t) => {
  const turns = createKeyedTurns()

  t.equal(await turns.take('a', stays, async () => 7), 7)
  await t.rejects(turns.take('a', stays, async () => { throw new Error('no') }), { message: 'no' })
  await t.rejects(turns.take('a', AbortSignal.abort(), async () => 7), { code: 'cancelled' })
})

t.test('work that has begun is waited for, whether or not its caller has gone', async (t) => {
  const turns = createKeyedTurns()
  const caller = new AbortController()
  let finish = (_result: string) => {}
  const begun = new Promise<void>((resolve) => {
    turns.take('a', caller.signal, () => { resolve(); return new Promise<string>((resolve) => { finish = resolve }) }).then((result) => t.equal(result, 'done'))
  })
  await begun

  caller.abort()
  finish('done')

  t.equal(await turns.take('a', stays, async () => 'next'), 'next')
})
