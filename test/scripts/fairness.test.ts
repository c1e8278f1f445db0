import fc from 'fast-check'
import t from 'tap'
import { jainIndex, overlaps, type Turn } from '../../scripts/contention/fairness.ts'

function turn (fence: number, fromMs: number, untilMs: number, device = 'phone-1'): Turn {
  return { device, client: `client-${fence}`, fence, fromMs, untilMs }
}

t.test('the index is 1 for equal waits and falls to 1/n for one that has them all', (t) => {
  t.equal(jainIndex([7, 7, 7, 7]), 1)
  t.equal(jainIndex([0, 0, 0, 8]), 0.25)
  t.ok(jainIndex([100, 100, 100, 400]) < 0.95)
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1 }), (waits) => {
    const index = jainIndex(waits)
    return index <= 1 + 1e-9 && index >= 1 / waits.length - 1e-9
  }))
  t.end()
})

t.test('turns that follow each other do not overlap, whatever other devices do', (t) => {
  t.same(overlaps([turn(3, 20, 30), turn(1, 0, 10), turn(1, 5, 25, 'phone-2')]), [])
  t.end()
})

t.test('a turn that begins before the one before it is over is told, and so is a fence that falls', (t) => {
  t.match(overlaps([turn(1, 0, 10), turn(3, 9, 20)]), [/phone-1: client-1 .* client-3/])
  t.match(overlaps([turn(5, 0, 10), turn(3, 20, 30)]), [/fence 5 .* fence 3/])
  t.end()
})
