import fc from 'fast-check'
import t from 'tap'
import type { UiNode } from '../../../src/devices/device-types.ts'
import { createScreenMemory } from '../../../src/devices/screen/screen-memory.ts'
import { findElements, selectElement, type Purpose } from '../../../src/devices/screen/select-element.ts'
import type { Selector } from '../../../src/devices/screen/selector.ts'
import { settingsScreen } from '../../support/settings-screen.ts'
import { look, node } from '../../support/ui-node.ts'

function setup (root: UiNode) {
  const memory = createScreenMemory().of({ handle: 'ls_1', deviceId: 'phone', fence: 1 })
  let screen = memory.record(look(root))
  return {
    see: (next: UiNode) => { screen = memory.record(look(next)) },
    select: (selector: Selector, purpose: Purpose = 'tap') => selectElement(screen, selector, { purpose, memory }),
    find: (selector: Selector) => findElements(screen, selector, memory).map(({ ref }) => ref),
    elements: () => screen.elements
  }
}

function shop (): UiNode {
  return node('group', {}, [
    node('text', { text: 'Sign in', id: 'headline' }), // e1
    node('field', { hint: 'E-mail', text: 'ann@example.com', id: 'email' }), // e2
    node('button', { text: 'Sign in' }), // e3
    node('button', { text: 'Save as…', description: 'Save a copy' }), // e4
    node('button', { text: 'SAVE' }), // e5
    node('list', { scrollable: true, id: 'cart' }, [ // e6
      node('item', { id: 'row' }, [node('text', { text: 'Milk' }), node('text', { text: '2 litres', id: 'amount' }), node('button', { text: 'Remove' })]), // e7, e8
      node('item', { id: 'row' }, [node('text', { text: 'Bread' }), node('button', { text: 'Remove' })]) // e9, e10
    ]),
    node('group', {}, [node('text', { text: 'Gift wrap' }), node('switch', { checked: false })]), // e11, e12
    node('img', { clickable: true, description: 'Cart' }), // e13
    node('item', { text: 'Below the fold', rect: [0, 0, 0, 0] }) // e14
  ])
}

const table: ReadonlyArray<readonly [Selector, string, Purpose?]> = [
  [{ ref: 'e3' }, 'e3'],
  [{ text: 'Sign in' }, 'e3', 'tap'],
  [{ text: 'Sign in', role: 'text' }, 'e1'],
  [{ text: 'Sign in', index: 0 }, 'e1'],
  [{ text: 'Sign in', index: 1 }, 'e3'],
  [{ text: 'SAVE' }, 'e5'],
  [{ text: 'save' }, 'e5'],
  [{ text: 'save as' }, 'e4'],
  [{ text: '  sign\n IN ', role: 'button' }, 'e3'],
  [{ text: 'Milk' }, 'e7'],
  [{ text: '2 litres' }, 'e7'],
  [{ text: 'Milk · 2 litres' }, 'e7'],
  [{ text: 'ann@example' }, 'e2'],
  [{ text: 'E-mail' }, 'e2', 'type'],
  [{ textMatches: '^save$' }, 'e5'],
  [{ textMatches: '\\d+ lit' }, 'e7'],
  [{ id: 'email' }, 'e2'],
  [{ id: 'com.example.shop:id/email' }, 'e2'],
  [{ id: 'amount' }, 'e7'],
  [{ id: 'row', text: 'Bread' }, 'e9'],
  [{ id: 'row', index: 1 }, 'e9'],
  [{ desc: 'save a copy' }, 'e4'],
  [{ desc: 'Cart' }, 'e13'],
  [{ role: 'field' }, 'e2'],
  [{ role: 'switch' }, 'e12'],
  [{ text: 'Remove', within: { text: 'Bread' } }, 'e10'],
  [{ role: 'button', within: { id: 'row', index: 0 } }, 'e8'],
  [{ role: 'button', index: 1, within: { id: 'cart' } }, 'e10'],
  [{ text: 'Remove', within: { text: 'Milk', within: { role: 'list' } } }, 'e8'],
  [{ role: 'switch', within: { text: 'Gift wrap' } }, 'e12'],
  [{ text: 'Remove', within: { ref: 'e9' } }, 'e10']
]

for (const [selector, ref, purpose] of table) {
  t.test(`${JSON.stringify(selector)} is ${ref}`, (t) => {
    t.equal(setup(shop()).select(selector, purpose ?? 'read').ref, ref)
    t.end()
  })
}

t.test('every element listed can be selected by its ref', (t) => {
  const leaf = fc.record({ role: fc.constantFrom('button', 'text', 'item', 'img', 'field', 'switch'), text: fc.constantFrom('', 'a', 'b'), clickable: fc.boolean() })
    .map(({ role, ...facts }) => node(role as 'button', facts))
  const tree = fc.array(fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }).map((children) => node('item', { clickable: true }, children))), { maxLength: 10 })
    .map((children) => node('group', {}, children))

  fc.assert(fc.property(fc.oneof(tree, fc.constant(settingsScreen())), (root) => {
    const { select, elements, find } = setup(root)
    return elements().every((element) => select({ ref: element.ref }) === element && find({ ref: element.ref })[0] === element.ref)
  }))
  t.end()
})

t.test('several matches are refused with the first five and their number', (t) => {
  const { select } = setup(node('group', {}, Array.from({ length: 7 }, (_, index) => node('button', { text: `Item ${index}` }))))

  t.throws(() => select({ text: 'item' }), {
    code: 'ambiguous',
    retryable: false,
    message: '7 elements match text "item".',
    nextAction: /index.*within/,
    details: { count: 7, candidates: [{ ref: 'e1', role: 'button', label: 'Item 0' }, {}, {}, {}, { ref: 'e5' }] }
  })
  t.end()
})

t.test('nothing is refused with the nearest names', (t) => {
  const { select } = setup(shop())

  t.throws(() => select({ text: 'Sing in' }), { code: 'no_match', message: 'Nothing on the screen matches text "Sing in".', details: { nearest: { 0: 'Sign in', length: 5 } } })
  t.throws(() => select({ id: 'emial' }), { code: 'no_match', details: { nearest: ['email'] } })
  t.throws(() => select({ role: 'tab' }), { code: 'no_match', details: { nearest: Array } })
  t.throws(() => select({ textMatches: 'total: \\d+' }), { code: 'no_match' })
  t.throws(() => select({ text: 'Remove', within: { text: 'Butter' } }), { code: 'no_match', message: /text "Butter"/ })
  t.end()
})

t.test('an index past the matches says how many there are', (t) => {
  t.throws(() => setup(shop()).select({ text: 'Remove', index: 2 }), { code: 'no_match', message: /2 match/, nextAction: /0 to 1/ })
  t.end()
})

t.test('what is scrolled out of sight is refused with the way to it', (t) => {
  const { select } = setup(shop())

  t.throws(() => select({ text: 'Below the fold' }), { code: 'no_match', message: /out of sight/, nextAction: /untilVisible/ })
  t.throws(() => select({ ref: 'e14' }), { code: 'offscreen', nextAction: /untilVisible/ })
  t.end()
})

t.test('a ref of an earlier screen is stale, one never given out matches nothing', (t) => {
  const { select, see } = setup(shop())

  see(node('text', { text: 'Thank you' }))

  t.throws(() => select({ ref: 'e3' }), { code: 'stale_ref', message: 'e3 button "Sign in" is no longer on the screen.', nextAction: /observe/ })
  for (const ref of ['e99', 'e0', 'x', 'e1e', '__proto__']) t.throws(() => select({ ref }), { code: 'no_match' }, ref)
  t.end()
})

t.test('a ref of a screen long ago is stale without its name', (t) => {
  const { select, see } = setup(shop())

  for (let count = 0; count < 9; count++) see(node('text', { text: `${count}` }))

  t.throws(() => select({ ref: 'e3' }), { code: 'stale_ref', message: /too long ago/ })
  t.end()
})

t.test('finding tells all matches, and none while their surroundings are missing', (t) => {
  const { find, see } = setup(shop())

  t.same(find({ text: 'Remove' }), ['e8', 'e10'])
  t.same(find({ text: 'Remove', within: { text: 'Butter' } }), [])
  t.same(find({ text: 'Remove', within: { id: 'row', index: 5 } }), [])
  t.same(find({ ref: 'e14' }), [])
  t.throws(() => find({ ref: 'e99' }), { code: 'no_match' })
  see(node('text', { text: 'Thank you' }))
  t.same(find({ ref: 'e3' }), [])
  t.end()
})

t.test('two equal buttons stay ambiguous for a tap, a text beside one does not', (t) => {
  const twice = setup(node('group', {}, [node('button', { text: 'OK' }), node('button', { text: 'OK' })]))

  t.throws(() => twice.select({ text: 'OK' }, 'tap'), { code: 'ambiguous' })
  t.throws(() => setup(shop()).select({ text: 'Sign in' }, 'read'), { code: 'ambiguous' })
  t.equal(setup(node('group', {}, [node('text', { text: 'Name' }), node('field', { hint: 'Name' })])).select({ text: 'Name' }, 'type').role, 'field')
  t.end()
})
