import t from 'tap'
import { flattenTree } from '../../../src/devices/screen/flatten-tree.ts'
import type { UiNode } from '../../../src/devices/device-types.ts'
import { countNodes, settingsScreen } from '../../support/settings-screen.ts'
import { node } from '../../support/ui-node.ts'

function listed (...children: UiNode[]): string[] {
  return flattenTree(node('group', {}, children)).elements.map(({ role, label }) => `${role} ${label}`)
}

t.test('what only lays out is dropped', (t) => {
  const elements = listed(node('group', {}, [node('group', {}, [node('text', { text: 'Hello' }), node('img')])]), node('list'), node('text', { text: '  ' }))

  t.same(elements, ['text Hello'])
  t.end()
})

t.test('a row swallows the texts inside it', (t) => {
  const row = node('item', {}, [
    node('img', { description: 'Globe' }),
    node('group', {}, [node('text', { text: 'Network & internet' }), node('text', { text: 'Mobile, Wi-Fi' })])
  ])

  t.same(listed(row), ['item Globe · Network & internet · Mobile, Wi-Fi'])
  t.end()
})

t.test('what can be acted on inside a row stays by itself and keeps its texts', (t) => {
  const row = node('item', {}, [node('text', { text: 'Milk' }), node('button', { text: 'Delete' }, [node('text', { text: 'for ever' })])])

  t.same(listed(row), ['item Milk', 'button Delete · for ever'])
  t.end()
})

t.test('a switch that cannot be tapped by itself makes its row a switch', (t) => {
  const row = node('item', {}, [node('text', { text: 'Airplane mode' }), node('switch', { id: 'widget', clickable: false, checked: true })])
  const { elements } = flattenTree(row)

  t.equal(elements.length, 1)
  t.match(elements[0], { role: 'switch', label: 'Airplane mode', checked: true, clickable: true, innerIds: ['widget'] })
  t.end()
})

t.test('a switch that can be tapped stays beside its row, and so do two that cannot', (t) => {
  const passive = (text: string) => node('checkbox', { text, clickable: false, checked: false })

  t.same(listed(node('item', { text: 'Wi-Fi' }, [node('switch', { checked: true })])), ['item Wi-Fi', 'switch '])
  t.same(listed(node('item', { text: 'Days' }, [passive('Mon'), passive('Tue')])), ['item Days', 'checkbox Mon', 'checkbox Tue'])
  t.end()
})

t.test('a clickable container with many texts swallows none of them', (t) => {
  const texts = Array.from({ length: 9 }, (_, index) => node('text', { text: `line ${index}` }))

  t.same(listed(node('group', { clickable: true }, texts)), ['group ', ...texts.map(({ text }) => `text ${text}`)])
  t.same(listed(node('group', { clickable: true }, texts.slice(0, 2))), ['group line 0 · line 1'])
  t.end()
})

t.test('a list swallows nothing and shows when it scrolls', (t) => {
  t.same(listed(node('list', { scrollable: true, clickable: true }, [node('text', { text: 'a' })])), ['list ', 'text a'])
  t.end()
})

t.test('icons without a name stay when they can be tapped', (t) => {
  t.same(listed(node('img', { clickable: true }), node('group', { longClickable: true }), node('img')), ['img ', 'group '])
  t.end()
})

t.test('a field is named by description or hint, and its text is its value', (t) => {
  const { elements } = flattenTree(node('group', {}, [
    node('field', { hint: 'E-mail', text: 'ann@example.com' }),
    node('field', { description: 'Password', hint: 'secret', text: '•••', password: true }),
    node('field', { hint: 'Search', text: 'Search' })
  ]))

  t.same(elements.map(({ label, value }) => [label, value]), [['E-mail', 'ann@example.com'], ['Password', '•••'], ['Search', undefined]])
  t.end()
})

t.test('text and description are both told, once each', (t) => {
  t.same(listed(node('button', { text: '+', description: 'Add' }), node('button', { text: 'Save' }, [node('text', { text: 'Save' })])), ['button + · Add', 'button Save'])
  t.end()
})

t.test('what is out of sight is kept and marked', (t) => {
  const { elements } = flattenTree(node('list', {}, [node('item', { text: 'a' }), node('item', { text: 'b', rect: [0, 2400, 1080, 0] })]))

  t.same(elements.map(({ label, visible }) => [label, visible]), [['a', true], ['b', false]])
  t.end()
})

t.test('package prefixes of ids are stripped', (t) => {
  t.match(flattenTree(node('button', { id: 'com.example.app:id/sign_in' })).elements, [{ id: 'sign_in' }])
  t.end()
})

t.test('each element knows what is inside it and what shares its row', (t) => {
  const { elements } = flattenTree(node('group', {}, [
    node('text', { text: 'Shopping' }),
    node('group', {}, [node('text', { text: 'Milk' }), node('button', { text: 'Delete' })]),
    node('item', {}, [node('text', { text: 'Bread' }), node('button', { text: 'Delete' })])
  ]))

  t.same(elements.map(({ label, parent, insideEnd, row }) => [label, parent, insideEnd, row.start, row.end]), [
    ['Shopping', undefined, 1, 0, 5],
    ['Milk', undefined, 2, 1, 3],
    ['Delete', undefined, 3, 1, 3],
    ['Bread', undefined, 5, 3, 5],
    ['Delete', 3, 5, 3, 5]
  ])
  t.end()
})

t.test('a tree too deep, too long or too wordy is cut and says so', (t) => {
  let deep = node('text', { text: 'bottom' })
  for (let depth = 0; depth < 50_000; depth++) deep = node('group', { clickable: true }, [deep])
  const wide = node('group', {}, Array.from({ length: 5_000 }, () => node('button')))

  t.equal(flattenTree(deep).isCut, true)
  t.match(flattenTree(wide), { isCut: true, elements: { length: 2_000 } })
  t.match(flattenTree(node('text', { text: 'x'.repeat(20_001) })), { hasCutTexts: true, elements: [{ label: 'x'.repeat(20_000), wholeDigest: String }] })
  t.match(flattenTree(node('text', { text: 'x'.repeat(20_000) })), { hasCutTexts: false, elements: [{ label: 'x'.repeat(20_000), wholeDigest: undefined }] })
  const wordy = flattenTree(node('group', {}, Array.from({ length: 300 }, () => node('field', { hint: 'x'.repeat(1_000), text: 'y'.repeat(1_000) }))))
  t.equal(wordy.hasCutTexts, true)
  t.equal(wordy.elements.reduce((sum, { label, value = '' }) => sum + label.length + value.length, 0), 200_000)
  t.match(flattenTree(settingsScreen()), { isCut: false, hasCutTexts: false })
  t.end()
})

t.test('the sample screen of 60 nodes has 15 elements', (t) => {
  t.equal(countNodes(settingsScreen()), 60)
  t.equal(flattenTree(settingsScreen()).elements.length, 15)
  t.end()
})
