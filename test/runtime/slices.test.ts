import t from 'tap'
import { createSlices } from '../../src/runtime/slices.ts'
import { idle } from '../support/idle.ts'

t.test('nothing runs before the next turn, then a slice a turn', async (t) => {
  const slices = createSlices(2)
  const seen: number[] = []

  const done = slices.run([1, 2, 3, 4, 5], (item) => { seen.push(item) })

  t.same(seen, [])
  await idle()
  t.same(seen, [1, 2])
  await idle()
  t.same(seen, [1, 2, 3, 4])
  await done
  t.same(seen, [1, 2, 3, 4, 5])
})

t.test('loops take turns in the order they came, and share a slice', async (t) => {
  const slices = createSlices(3)
  const seen: string[] = []

  const first = slices.run(['a1', 'a2'], (item) => { seen.push(item) })
  const second = slices.run(['b1', 'b2'], (item) => { seen.push(item) })

  await idle()
  t.same(seen, ['a1', 'a2', 'b1'])
  await Promise.all([first, second])
  t.same(seen, ['a1', 'a2', 'b1', 'b2'])
})

t.test('a loop that comes from within another begins on a later turn', async (t) => {
  const slices = createSlices()
  const seen: string[] = []
  let inner = Promise.resolve()

  await slices.run(['outer'], (item) => {
    seen.push(item)
    inner = slices.run(['inner'], (item) => { seen.push(item) })
    process.nextTick(() => seen.push('end of the turn'))
  })

  await inner
  t.same(seen, ['outer', 'end of the turn', 'inner'])
})

t.test('items that leave before their turn are not seen', async (t) => {
  const slices = createSlices(1)
  const items = new Set(['stays', 'leaves', 'stays too'])
  const seen: string[] = []

  const done = slices.run(items, (item) => { seen.push(item) })
  await idle()
  items.delete('leaves')

  await done
  t.same(seen, ['stays', 'stays too'])
})

t.test('a loop that fails ends alone', async (t) => {
  const slices = createSlices()
  const seen: number[] = []

  const failing = slices.run([1, 2], () => { throw new Error('no') })
  const going = slices.run([1, 2], (item) => { seen.push(item) })

  await t.rejects(failing, { message: 'no' })
  await going
  t.same(seen, [1, 2])
  await slices.run([3], (item) => { seen.push(item) })
  t.same(seen, [1, 2, 3], 'and later ones run')
})
