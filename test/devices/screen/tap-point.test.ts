import t from 'tap'
import type { UiNode } from '../../../src/devices/device-types.ts'
import { createScreenMemory } from '../../../src/devices/screen/screen-memory.ts'
import { tapPoint } from '../../../src/devices/screen/tap-point.ts'
import { look, node } from '../../support/ui-node.ts'

function firstPoint (root: UiNode) {
  const screen = createScreenMemory().of({ handle: 'ls_1', deviceId: 'phone', fence: 1 }).record(look(root))
  return tapPoint(screen, screen.elements[0]!)
}

t.test('an element is touched in its middle', (t) => {
  t.same(firstPoint(node('button', { text: 'OK', rect: [100, 200, 51, 21] })), { x: 125, y: 210 })
  t.end()
})

t.test('a middle that belongs to something on top is avoided', (t) => {
  const card = (button: readonly [number, number, number, number]) => node('item', { text: 'Card', rect: [0, 0, 1000, 100] }, [
    node('button', { text: 'Buy', rect: button })
  ])

  t.same(firstPoint(card([400, 0, 200, 100])), { x: 200, y: 50 })
  t.same(firstPoint(card([0, 0, 700, 100])), { x: 800, y: 50 })
  t.same(firstPoint(card([0, 0, 1000, 100])), { x: 500, y: 50 }, 'with no spot free, the middle after all')
  t.end()
})

t.test('what cannot be tapped covers nothing', (t) => {
  t.same(firstPoint(node('dialog', { text: 'Hi', rect: [0, 0, 100, 100] }, [node('text', { text: 'there', rect: [0, 0, 100, 100] })])), { x: 50, y: 50 })
  t.end()
})

t.test('the point is always inside the element', (t) => {
  t.same(firstPoint(node('button', { rect: [5, 6, 1, 1] })), { x: 5, y: 6 })
  t.end()
})
