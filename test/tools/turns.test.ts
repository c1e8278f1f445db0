import fc from 'fast-check'
import t from 'tap'
import { createKeyedTurns } from '../../src/tools/turns.ts'
import { manualTime } from '../support/manual-time.ts'

const { clock, advance } = manualTime(0)
const stays = { signal: new AbortController().signal }

t.test('under one key there is never more than one at work, in the order they asked', async (t) => {
  const call = fc.record({ key: fc.constantFrom('a', 'b'), steps: fc.nat(3), fails: fc.boolean(), leaves: fc.boolean() })

  await fc.assert(fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
    const turns = createKeyedTurns(clock)
    const atWork = new Map<string, number>()
    const begun: Record<string, number[]> = { a: [], b: [] }
    let overlaps = 0

    await Promise.allSettled(calls.map(({ key, steps, fails, leaves }, index) => {
      const caller = new AbortController()
      const turn = turns.take(key, { signal: caller.signal }, async () => {
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
  const turns = createKeyedTurns(clock)

  t.equal(await turns.take('a', stays, async () => 7), 7)
  await t.rejects(turns.take('a', stays, async () => { throw new Error('no') }), { message: 'no' })
  await t.rejects(turns.take('a', { signal: AbortSignal.abort() }, async () => 7), { code: 'cancelled' })
})

t.test('work that has begun is waited for, whether or not its caller has gone', async (t) => {
  const turns = createKeyedTurns(clock)
  const caller = new AbortController()
  let finish = (_result: string) => {}
  const begun = new Promise<void>((resolve) => {
    turns.take('a', { signal: caller.signal }, () => { resolve(); return new Promise<string>((resolve) => { finish = resolve }) }).then((result) => t.equal(result, 'done'))
  })
  await begun

  caller.abort()
  finish('done')

  t.equal(await turns.take('a', stays, async () => 'next'), 'next')
})

t.test('a caller notes how long it waited for its turn, also when it left before its turn came', async (t) => {
  const turns = createKeyedTurns(clock)
  const waits: string[] = []
  const caller = (name: string, signal: AbortSignal = stays.signal) => ({ signal, noteWait: (ms: number) => { waits.push(`${name} ${ms}`) } })
  let finish = () => {}
  const first = turns.take('a', caller('first'), () => new Promise<void>((resolve) => { finish = resolve }))
  const second = turns.take('a', caller('second'), async () => { advance(40) })
  const leaving = new AbortController()
  const third = turns.take('a', caller('third', leaving.signal), async () => {})

  advance(300)
  leaving.abort()
  await t.rejects(third, { code: 'cancelled' })
  advance(700)
  finish()
  await Promise.all([first, second])

  t.strictSame(waits, ['third 300', 'second 1000'])
})
