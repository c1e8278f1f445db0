import fc from 'fast-check'
import t from 'tap'
import { editDistance } from '../../src/refusals/edit-distance.ts'

t.test('a character added, dropped, changed or swapped with its neighbour is one edit', async (t) => {
  for (const [one, other, edits] of [
    ['save', 'saves', 1], ['save', 'sav', 1], ['save', 'safe', 1], ['save', 'svae', 1], ['save', 'vase', 2], ['', 'abc', 3], ['save', 'save', 0]
  ] as const) {
    t.equal(editDistance(one, other), edits, `${one} ${other}`)
  }
})

t.test('it is the same in both directions, and nothing only between equals', async (t) => {
  fc.assert(fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
    return editDistance(one, other) === editDistance(other, one) && (editDistance(one, other) === 0) === (one === other)
  }))
  t.pass()
})
