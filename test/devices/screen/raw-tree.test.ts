import t from 'tap'
import { rawTree } from '../../../src/devices/screen/raw-tree.ts'
import { countNodes, settingsScreen } from '../../support/settings-screen.ts'
import { node } from '../../support/ui-node.ts'

t.test('a node is told without what is false or absent', (t) => {
  const tree = node('group', { rect: [1, 2, 3, 4] }, [node('checkbox', { text: 'a', hint: 'h', description: 'd', id: 'i', checked: false, enabled: false })])

  t.strictSame(rawTree(tree, 10), {
    tree: {
      role: 'group',
      rect: [1, 2, 3, 4],
      children: [{ role: 'checkbox', text: 'a', description: 'd', hint: 'h', id: 'i', rect: [0, 0, 1080, 100], clickable: true, checked: false, enabled: false }]
    },
    shown: 2,
    total: 2,
    isCut: false
  })
  t.end()
})

t.test('no more nodes than asked for are told, and how many there are', (t) => {
  t.match(rawTree(settingsScreen(), 10), { shown: 10, total: countNodes(settingsScreen()) })
  t.ok(JSON.stringify(rawTree(settingsScreen(), 10).tree).split('"role"').length - 1 === 10)
  t.end()
})

t.test('a text is cut, and so is a tree without end', (t) => {
  let deep = node('text', { text: 'bottom' })
  for (let depth = 0; depth < 50_000; depth++) deep = node('group', {}, [deep])

  t.strictSame(rawTree(node('text', { text: 'x'.repeat(9_000) }), 1), { tree: { role: 'text', text: 'x'.repeat(9_000), rect: [0, 0, 1080, 100] }, shown: 1, total: 1, isCut: false })
  t.strictSame(rawTree(node('text', { text: 'x'.repeat(90_000) }), 1), { tree: { role: 'text', text: 'x'.repeat(20_000), cut: true, rect: [0, 0, 1080, 100] }, shown: 1, total: 1, isCut: true })
  t.equal(rawTree(deep, 1_000).shown, 201)
  t.ok(JSON.stringify(rawTree(node('group', {}, Array.from({ length: 100 }, () => node('text', { text: 'x'.repeat(1_000) }))), 1_000).tree).length < 60_000)
  t.end()
})
