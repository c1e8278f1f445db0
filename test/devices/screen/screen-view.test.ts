import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import type { UiNode } from '../../../src/devices/device-types.ts'
import { createScreenMemory } from '../../../src/devices/screen/screen-memory.ts'
import { defaultView, viewChanges, viewScreen } from '../../../src/devices/screen/screen-view.ts'
import { settingsScreen } from '../../support/settings-screen.ts'
import { column, look, node } from '../../support/ui-node.ts'

function setup () {
  const screens = createScreenMemory().of({ handle: 'ls_1', deviceId: 'phone', fence: 1 })
  return { see: (root: UiNode, facts = {}) => screens.record(look(root, facts)) }
}

t.test('the data of lines has names and flags only, that of full also places and ids', (t) => {
  const screen = setup().see(
    node('field', { hint: 'Name', text: 'Ann', id: 'name', focused: true, rect: [1, 2, 3, 4] }), { capturedAtMs: 0, warnings: ['moving'] }
  )

  t.strictSame(viewScreen(screen, defaultView).data, {
    rev: 1,
    app: 'com.example.app',
    activity: 'main',
    size: [1080, 2400],
    orientation: 'portrait',
    keyboard: false,
    locked: false,
    focusedRef: 'e1',
    elements: [{ ref: 'e1', role: 'field', label: 'Name', value: 'Ann', flags: ['focused'] }],
    warnings: ['moving']
  })
  t.match(viewScreen(screen, { ...defaultView, detail: 'full' }).data, {
    at: '1970-01-01T00:00:00.000Z', elements: [{ id: 'name', rect: [1, 2, 3, 4] }]
  })
  t.end()
})

t.test('long texts are cut in the data of lines and whole in that of full', (t) => {
  const screen = setup().see(node('text', { text: 'x'.repeat(150) }))

  t.match(viewScreen(screen, defaultView).data, { elements: [{ label: `${'x'.repeat(100)}…` }] })
  t.match(viewScreen(screen, { ...defaultView, detail: 'full' }).data, { elements: [{ label: 'x'.repeat(150) }] })
  t.end()
})

t.test('no more than max elements are told, and how many there are', (t) => {
  const screen = setup().see(column(...Array.from({ length: 5 }, (_, index) => (rect: any) => node('button', { text: `${index}`, rect }))))
  const view = viewScreen(screen, { ...defaultView, max: 2 })

  t.match(view.data, { elements: { length: 2 }, truncated: { shown: 2, total: 5 } })
  t.match(view.lines.at(-1), /^\(2 of 5 elements shown/)
  t.end()
})

t.test('no more is told than a client takes, however long the texts', (t) => {
  const { see } = setup()
  const before = see(node('group', {}))
  const screen = see(node('group', {}, Array.from({ length: 150 }, (_, index) => node('text', { text: `${index} ${'x'.repeat(900)}` }))))

  for (const view of [viewScreen(screen, { ...defaultView, detail: 'full' }), viewChanges(before, screen, { ...defaultView, detail: 'full' })]) {
    t.match(view.data, { truncated: { shown: 64, total: 150 } })
    t.ok(view.lines.join('\n').length < 61_000)
  }
  t.match(viewScreen(screen, defaultView).data, { truncated: { shown: 120, total: 150 } })
  t.end()
})

t.test('what is out of sight is told only when asked for', (t) => {
  const screen = setup().see(node('list', { scrollable: true }, [node('item', { text: 'a' }), node('item', { text: 'b', rect: [0, 0, 0, 0] })]))

  t.same(viewScreen(screen, defaultView).lines.slice(1), ['e1 list (no label) scroll', 'e2 item "a"'])
  t.equal(viewScreen(screen, { ...defaultView, includeOffscreen: true }).lines.at(-1), 'e3 item "b" offscreen')
  t.end()
})

t.test('within tells an element and what is inside it', (t) => {
  const screen = setup().see(node('group', {}, [
    node('text', { text: 'before' }), node('dialog', { text: 'Sure?' }, [node('button', { text: 'Yes' })]), node('text', { text: 'after' })
  ]))

  t.same(viewScreen(screen, { ...defaultView, within: screen.elements[1]! }).lines.slice(1), ['e2 dialog "Sure?"', 'e3 button "Yes"'])
  t.end()
})

t.test('changes are what came, what changed and what went', (t) => {
  const { see } = setup()
  const before = see(node('group', {}, [node('text', { text: 'Hello' }), node('switch', { text: 'Wi-Fi', checked: false }), node('button', { text: 'Next' })]))
  const after = see(node('group', {}, [node('switch', { text: 'Wi-Fi', checked: true }), node('button', { text: 'Next' }), node('text', { text: 'Bye' })]))

  t.same(viewChanges(before, after, defaultView).lines, [
    'rev 2, app com.example.app, activity main, 1080x2400 portrait, changes since rev 1',
    '- e1',
    '~ e2 switch "Wi-Fi" checked',
    '+ e4 text "Bye"'
  ])
  t.match(viewChanges(before, after, defaultView).data, {
    since: 1,
    removed: ['e1'],
    changed: [{ ref: 'e2', flags: ['checked'] }],
    added: [{ ref: 'e4', role: 'text', label: 'Bye' }],
    elements: undefined
  })
  t.end()
})

t.test('a place is a change with full only', (t) => {
  const { see } = setup()
  const before = see(node('text', { text: 'a' }))
  const after = see(node('text', { text: 'a', rect: [0, 5, 1080, 100] }))

  t.match(viewChanges(before, after, defaultView).lines, [/changes since rev 1: none$/])
  t.match(viewChanges(before, after, { ...defaultView, detail: 'full' }).lines[1], /^~ e1 text "a" 0,5,1080,100/)
  t.end()
})

t.test('what scrolled out of sight counts as gone', (t) => {
  const { see } = setup()
  const before = see(node('list', {}, [node('item', { text: 'a' }), node('item', { text: 'b' })]))
  const after = see(node('list', {}, [node('item', { text: 'a', rect: [0, 0, 0, 0] }), node('item', { text: 'b' })]))

  t.same(viewChanges(before, after, defaultView).lines.slice(1), ['- e1'])
  t.end()
})

t.test('the sample screen costs less than 400 tokens as lines, and as data', (t) => {
  const { lines, data } = viewScreen(setup().see(settingsScreen(), { app: 'com.example.settings' }), defaultView)

  for (const encode of [encodeCl100k, encodeO200k]) {
    t.ok(encode(lines.join('\n')).length < 250)
    t.ok(encode(JSON.stringify(data)).length < 400)
  }
  t.end()
})
