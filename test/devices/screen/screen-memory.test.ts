import fc from 'fast-check'
import t from 'tap'
import type { Observation, UiNode } from '../../../src/devices/device-types.ts'
import { createScreenMemory } from '../../../src/devices/screen/screen-memory.ts'
import { column, look, node } from '../../support/ui-node.ts'

const lease = { handle: 'ls_1', deviceId: 'phone', fence: 1 }

function setup () {
  const memory = createScreenMemory()
  const screens = memory.of(lease)
  return { memory, screens, see: (root: UiNode, facts: Partial<Observation> = {}) => screens.record(look(root, facts)) }
}

function refs (elements: ReadonlyArray<{ readonly ref: string, readonly label: string }>): Record<string, string> {
  return Object.fromEntries(elements.map(({ ref, label }) => [label, ref]))
}

t.test('rev rises when anything on the screen has changed, and only then', (t) => {
  const { see } = setup()
  const root = node('text', { text: 'a' })

  t.equal(see(root).rev, 1)
  t.equal(see(root, { capturedAtMs: 99 }).rev, 1)
  t.equal(see(root, { keyboardShown: true }).rev, 2)
  t.equal(see(node('text', { text: 'b' })).rev, 3)
  t.equal(see(node('text', { text: 'b', rect: [0, 1, 1080, 100] })).rev, 4)
  t.equal(see(root).rev, 5, 'going back is a change too')
  t.end()
})

t.test('an equal screen is the newest look all the same', (t) => {
  const { screens, see } = setup()

  see(node('text', { text: 'a' }))
  see(node('text', { text: 'a' }), { capturedAtMs: 99, warnings: ['slow'] })

  t.match(screens.latest(), { rev: 1, capturedAtMs: 99, warnings: ['slow'] })
  t.end()
})

t.test('an element keeps its ref while others come and go', (t) => {
  const { see } = setup()
  const before = refs(see(column((rect) => node('button', { text: 'a', rect }), (rect) => node('button', { text: 'b', rect }))).elements)
  const after = refs(see(column((rect) => node('text', { text: 'new', rect }), (rect) => node('button', { text: 'b', rect }))).elements)

  t.same(before, { a: 'e1', b: 'e2' })
  t.same(after, { new: 'e3', b: 'e2' })
  t.end()
})

t.test('a way back finds the refs of the way there', (t) => {
  const { see } = setup()
  const home = node('group', {}, [node('item', { text: 'Wi-Fi' }), node('item', { text: 'Sound' })])
  const first = see(home).elements
  see(node('button', { text: 'Connect' }), { activity: 'wifi' })

  t.same(see(home).elements, first)
  t.end()
})

t.test('a ref is never given to another element of the same name elsewhere', (t) => {
  const { see } = setup()
  const dialog = (text: string) => node('dialog', { text }, [node('button', { text: 'OK' })])

  const first = refs(see(dialog('Save the file?')).elements)
  const other = refs(see(dialog('Delete everything?')).elements)
  const elsewhere = refs(see(dialog('Save the file?'), { activity: 'other' }).elements)

  t.equal(new Set([first['OK'], other['OK'], elsewhere['OK']]).size, 3)
  t.end()
})

t.test('of equal elements, one gone, nobody can say which are left', (t) => {
  const { see } = setup()
  const icons = (count: number) => node('group', {}, Array.from({ length: count }, (_, index) => node('img', { clickable: true, rect: [index, 0, 1, 1] })))
  const three = see(icons(3)).elements.map(({ ref }) => ref)

  t.same(see(icons(3)).elements.map(({ ref }) => ref), three)
  t.same(see(icons(2)).elements.map(({ ref }) => ref), ['e4', 'e5'])
  t.end()
})

t.test('the words of the row tell equal elements apart', (t) => {
  const { see } = setup()
  const list = (...names: string[]) => node('list', {}, names.map((name) => node('group', {}, [node('text', { text: name }), node('button', { text: 'Delete' })])))
  const before = see(list('Milk', 'Bread', 'Tea')).elements
  const after = see(list('Bread', 'Tea')).elements

  t.same(before.map(({ ref }) => ref), ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'])
  t.same(after.map(({ ref }) => ref), ['e3', 'e4', 'e5', 'e6'])
  t.end()
})

t.test('in a row that equal elements share, their neighbours tell them apart', (t) => {
  const { see } = setup()
  const list = (...names: string[]) => node('list', {}, names.flatMap((name) => [node('checkbox', { checked: false }), node('text', { text: name })]))
  const before = see(list('Milk', 'Bread', 'Tea', 'Rice')).elements
  const after = see(list('Bread', 'Tea', 'Rice', 'Jam')).elements

  const named = (elements: typeof before) => elements.filter(({ role }) => role === 'text').map(({ label }) => label)
  t.same(named(before), ['Milk', 'Bread', 'Tea', 'Rice'])
  const boxes = (elements: typeof before) => elements.filter(({ role }) => role === 'checkbox').map(({ ref }) => ref)
  const [milk, , tea, rice] = boxes(before)
  t.same(boxes(after).slice(1, 3), [tea, rice], 'those with the same neighbours are the same')
  t.notOk(boxes(after).includes(milk ?? ''), 'and none becomes another')
  t.end()
})

t.test('icons without names keep their refs while something else on the screen changes', (t) => {
  const { see } = setup()
  const icon = () => node('img', { clickable: true })
  const screen = (likes: number) => node('group', {}, [icon(), icon(), icon(), node('text', { text: 'Likes' }), node('text', { text: `${likes}` })])

  t.same(see(screen(2)).elements.slice(0, 3).map(({ ref }) => ref), see(screen(1)).elements.slice(0, 3).map(({ ref }) => ref))
  t.end()
})

t.test('an element with an id of its own keeps its ref when its label changes', (t) => {
  const { see } = setup()

  const [before] = see(node('button', { id: 'follow', text: 'Follow' })).elements
  const [after] = see(node('button', { id: 'follow', text: 'Following' })).elements
  const [twice] = see(node('group', {}, [node('button', { id: 'follow', text: '1' }), node('button', { id: 'follow', text: '2' })])).elements

  t.equal(after?.ref, before?.ref)
  t.not(twice?.ref, before?.ref)
  t.end()
})

t.test('the only item of a list is another item when its label changes', (t) => {
  const { see } = setup()
  const list = (name: string) => node('list', {}, [node('item', { id: 'row' }, [node('text', { text: name }), node('button', { id: 'delete', text: 'Delete' })])])
  const before = see(list('Milk')).elements.map(({ ref }) => ref)
  const after = see(list('Bread')).elements.map(({ ref }) => ref)

  t.same(before, ['e1', 'e2'])
  t.same(after, ['e3', 'e4'])
  t.end()
})

t.test('whatever happens, refs are unique on a screen and never reused for another role, id and label', (t) => {
  const element = fc.record({
    role: fc.constantFrom('button', 'text', 'item'),
    text: fc.constantFrom('a', 'b', 'c'),
    nested: fc.boolean()
  })
  const screen = fc.record({ activity: fc.constantFrom('x', 'y'), elements: fc.array(element, { maxLength: 7 }) })

  fc.assert(fc.property(fc.array(screen, { maxLength: 14 }), (looks) => {
    const { see } = setup()
    const meanings = new Map<string, string>()
    for (const { activity, elements } of looks) {
      const root = node('group', {}, elements.map(({ role, text, nested }) => {
        const leaf = node(role as 'button', { text })
        return nested ? node('group', {}, [leaf, node('text', { text: 'beside' })]) : leaf
      }))
      const { elements: seen, newestRef } = see(root, { activity })
      if (new Set(seen.map(({ ref }) => ref)).size !== seen.length) return false
      for (const { ref, role, label } of seen) {
        const meaning = `${activity} ${role} ${label}`
        if ((meanings.get(ref) ?? meaning) !== meaning || Number(ref.slice(1)) > newestRef) return false
        meanings.set(ref, meaning)
      }
    }
    return true
  }))
  t.end()
})

t.test('the last eight screens are remembered', (t) => {
  const { screens, see } = setup()

  for (let count = 1; count <= 10; count++) see(node('text', { text: `${count}` }))

  t.equal(screens.recall(2), undefined)
  t.match(screens.recall(3)?.elements, [{ label: '3' }])
  t.equal(screens.element('e2'), undefined)
  t.match(screens.element('e3'), { label: '3' })
  t.equal(screens.latest()?.newestRef, 10)
  t.end()
})

t.test('a device has the memory of its newest lease only', (t) => {
  const { memory, see } = setup()
  see(node('text', { text: 'secret' }))
  const next = { handle: 'ls_2', deviceId: 'phone', fence: 2 }

  t.equal(memory.of(next).latest(), undefined)
  memory.of(next).record(look(node('text', { text: 'theirs' })))

  t.equal(memory.of(lease).latest(), undefined, 'a straggler of the old lease starts from nothing')
  memory.of(lease).record(look(node('text', { text: 'late' })))
  t.match(memory.of(next).latest()?.elements, [{ label: 'theirs' }], 'and does not disturb the new one')
  t.end()
})

t.test('what is forgotten is gone, and only that', (t) => {
  const { memory, see } = setup()
  const other = { handle: 'ls_9', deviceId: 'tablet', fence: 1 }
  see(node('text', { text: 'a' }))
  memory.of(other).record(look(node('text', { text: 'b' })))

  memory.forget(lease.handle)

  t.equal(memory.of(lease).latest(), undefined)
  t.not(memory.of(other).latest(), undefined)
  t.end()
})

t.test('a screen that was cut says so', (t) => {
  const { see } = setup()

  t.match(see(node('group', {}, Array.from({ length: 2_001 }, () => node('button')))).warnings, [/more elements than are kept/])
  t.end()
})
