import fc from 'fast-check'
import t from 'tap'
import { createScreenMemory } from '../../src/devices/screen/screen-memory.ts'
import type { UiNode } from '../../src/devices/device-types.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { look, node } from '../support/ui-node.ts'

async function setup (t: Parameters<typeof startTestApp>[0]) {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})
  const run = (name: string, args: object = {}) => wire.call(name, { lease, ...args })
  return { run, refOf: (screen: Told, label: string) => screen.elements.find((element) => element.label === label)?.ref }
}

interface Told { readonly elements: ReadonlyArray<{ readonly ref: string, readonly role: string, readonly label: string, readonly flags?: readonly string[] }> }

const signedIn = [
  ['launchApp', { app: 'com.example.fieldnotes', observe: 'none' }],
  ['inputText', { text: 'ada@example.com', into: { id: 'email' }, observe: 'none' }],
  ['inputText', { text: 'lovelace', into: { id: 'password' }, submit: true, observe: 'none' }]
] as const

for (const observe of ['none', 'lines']) {
  t.test(`the Delete of one note never deletes another, with observe ${observe} on the way`, async (t) => {
    const { run, refOf } = await setup(t)
    for (const [name, args] of signedIn) await run(name, args)
    const heron = (await run('tapOn', { target: { text: 'Heron at the north pier' } })).structuredContent.screen
    await run('pressButton', { button: 'back', observe })
    await run('tapOn', { target: { text: 'Seal count' }, observe })

    const { isError, structuredContent } = await run('tapOn', { target: { ref: refOf(heron, 'Delete') } })

    t.ok(isError)
    t.match(structuredContent, { code: 'stale_ref', message: /looks like it, but may belong to something else/, alike: /^e\d+$/ })
  })
}

t.test('a dialog that is opened for another note is another dialog', async (t) => {
  const { run, refOf } = await setup(t)
  for (const [name, args] of signedIn) await run(name, args)
  await run('tapOn', { target: { text: 'Heron at the north pier' }, observe: 'none' })
  const dialog = (await run('tapOn', { target: { id: 'delete_note' } })).structuredContent.screen
  await run('tapOn', { target: { text: 'Cancel' }, observe: 'none' })
  await run('pressButton', { button: 'back', observe: 'none' })
  await run('tapOn', { target: { text: 'Seal count' }, observe: 'none' })
  await run('tapOn', { target: { id: 'delete_note' }, observe: 'none' })

  t.match((await run('tapOn', { target: { ref: refOf(dialog, 'Delete') } })).structuredContent, { code: 'stale_ref' })
})

t.test('the "Add to cart" of one product buys no other', async (t) => {
  const { run, refOf } = await setup(t)
  const first = (await run('openLink', { url: 'shop://product/p01' })).structuredContent.screen
  await run('openLink', { url: 'shop://product/p02', observe: 'none' })

  t.match((await run('tapOn', { target: { ref: refOf(first, 'Add to cart') } })).structuredContent, { code: 'stale_ref' })
})

t.test('a way back finds the refs of the same entering of the screen', async (t) => {
  const { run, refOf } = await setup(t)
  for (const [name, args] of signedIn) await run(name, args)
  const heron = (await run('tapOn', { target: { text: 'Heron at the north pier' } })).structuredContent.screen
  await run('tapOn', { target: { ref: refOf(heron, 'Edit') } })
  const again = (await run('pressButton', { button: 'back' })).structuredContent.screen

  t.same(again.elements, heron.elements)
})

const pager = `
id: com.example.pager
name: Pager
version: '1'
icon: P
color: '#123456'
firstScreen: page
state: { at: 0, pages: [{ name: Heron, done: false }, { name: Seal, done: false }] }
screens:
  page:
    title: Pages
    bar: [{ id: remove, icon: X, desc: Remove, tap: [toast: removed] }]
    content:
      - role: column
        repeat: { in: pages, as: page }
        visibleIf: at == index
        content:
          - { role: text, id: name, text: '\${page.name}' }
          - { role: button, id: tick, text: Tick, tap: [set: { page.done: true }] }
      - { role: button, id: next, text: Next, tap: [set: { at: 1 }] }
      - { role: list, content: [{ role: item, repeat: { in: pages, as: page }, text: "\${choose(page.done, '✓ ', '')}\${page.name}", tap: [toast: row] }] }
`

t.test('a screen that goes on to the next thing without being left makes its refs stale', async (t) => {
  const { run, refOf } = await setup(t)
  await run('installApp', { definition: pager, observe: 'none' })
  const first = (await run('launchApp', { app: 'com.example.pager' })).structuredContent.screen
  await run('tapOn', { target: { id: 'next' }, observe: 'none' })

  for (const label of ['Remove', 'Tick']) {
    t.match((await run('tapOn', { target: { ref: refOf(first, label) } })).structuredContent, { code: 'stale_ref' }, label)
  }
})

t.test('a row keeps its ref when it gains a tick, and so do the others', async (t) => {
  const { run, refOf } = await setup(t)
  await run('installApp', { definition: pager, observe: 'none' })
  const before = (await run('launchApp', { app: 'com.example.pager' })).structuredContent.screen
  const after = (await run('tapOn', { target: { text: 'Tick' } })).structuredContent.screen as Told

  t.equal(refOf(after, '✓ Heron'), before.elements.findLast(({ label }: { label: string }) => label === 'Heron').ref)
  t.same(after.elements.filter(({ role }) => role === 'button').map(({ ref }) => ref), before.elements.filter(({ role }: { role: string }) => role === 'button').map(({ ref }: { ref: string }) => ref))
})

const lease = { handle: 'ls_1', deviceId: 'phone', fence: 1 }
const word = fc.constantFrom('Heron', 'Seal', 'Samphire', 'Page 1', 'Page 2', 'Order 1042 of May', '+49 30 1234567')

/** A screen about one thing: its name stands somewhere among texts and buttons that never change. */
const things = fc.record({ name: word, place: fc.nat({ max: 3 }), body: fc.constantFrom('', 'The same for all') })

function screenAbout ({ name, place, body }: { name: string, place: number, body: string }, { notes, ticks, clock }: { notes: readonly string[], ticks: boolean, clock: string }): UiNode {
  const fixed = [
    node('text', { text: 'Thing' }), node('button', { id: 'edit', text: 'Edit' }), node('text', { text: clock }),
    node('button', { id: 'delete', text: 'Delete' }), ...(body === '' ? [] : [node('text', { text: body })])
  ]
  const rows = ['Milk', 'Bread'].map((row) => node('item', { text: ticks ? `${row} ✓` : row }))
  const after = notes.map((text) => node('text', { text, id: 'toast' }))
  return node('group', {}, [...fixed.slice(0, place), node('text', { text: name }), ...fixed.slice(place), node('list', {}, rows), ...after])
}

const moods = fc.record({ notes: fc.subarray(['Saved', 'Copied']), ticks: fc.boolean(), clock: fc.constantFrom('9:41', '9:42', '12 €') })

t.test('of two screens that look alike, no ref of what can be pressed is on both', (t) => {
  const looks = fc.array(fc.record({ isSecond: fc.boolean(), mood: moods, isElsewhere: fc.boolean() }), { minLength: 2, maxLength: 12 })
  const other = fc.tuple(things, word, fc.boolean()).filter(([{ name }, second]) => name !== second)

  fc.assert(fc.property(other, looks, ([thing, second, knowsVisits], steps) => {
    const screens = createScreenMemory().of(lease)
    const seen: [Set<string>, Set<string>] = [new Set(), new Set()]
    for (const { isSecond, mood, isElsewhere } of steps) {
      if (isElsewhere) screens.record(look(node('list', {}, [node('item', { text: 'Heron' }), node('item', { text: 'Seal' })]), { activity: 'list' }))
      const shown = isSecond ? { ...thing, name: knowsVisits ? thing.name : second } : thing
      const { elements } = screens.record(look(screenAbout(shown, mood), knowsVisits ? { visit: isSecond ? '2' : '1' } : {}))
      for (const { ref, clickable } of elements) if (clickable) seen[isSecond ? 1 : 0].add(ref)
    }
    return ![...seen[0]].some((ref) => seen[1].has(ref))
  }), { numRuns: 150 })
  t.end()
})

t.test('while a screen is about one thing, what can be pressed keeps its ref, whatever else goes on', (t) => {
  fc.assert(fc.property(things, fc.array(moods, { minLength: 2, maxLength: 7 }), (thing, steps) => {
    const screens = createScreenMemory().of(lease)
    const told = steps.map((mood) => screens.record(look(screenAbout(thing, mood), { visit: '1' })).elements)
    const [first, ...others] = told.map((elements) => JSON.stringify(elements.filter(({ clickable }) => clickable).map(({ ref }) => ref)))
    return others.every((refs) => refs === first)
  }), { numRuns: 150 })
  t.end()
})
