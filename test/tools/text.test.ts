import t from 'tap'
import { NoFocusedFieldRefusal } from '../../src/devices/device-refusals.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

function form (focused?: 'Name' | 'PIN', name?: string) {
  return node('group', {}, [
    node('text', { text: 'Name', rect: [0, 0, 100, 100] }),
    node('field', { hint: 'Name', rect: [0, 100, 100, 100], focused: focused === 'Name', ...(name === undefined ? {} : { text: name }) }),
    node('field', { hint: 'PIN', password: true, rect: [0, 200, 100, 100], focused: focused === 'PIN' })
  ])
}

async function setup () {
  const bench = await toolBench({ shows: form() })
  const lease = await bench.acquire()
  bench.phone.on('tap', (did) => bench.phone.show(form(did === 'tap 50,150' ? 'Name' : 'PIN')))
  bench.phone.on('typeText', (did) => bench.phone.show(form('Name', JSON.parse(did.slice(5)))))
  return { ...bench, lease, type: (args: object) => bench.call('inputText', { lease, ...args }) }
}

t.test('inputText taps the field, types, and shows what came of it', async (t) => {
  const { phone, type } = await setup()
  const { text, structuredContent } = await type({ text: 'Zoë 👩‍💻\n\tשלום', into: { text: 'Name' } })

  t.same(phone.did, ['tap 50,150', 'type "Zoë 👩‍💻\\n\\tשלום"'])
  t.match(text, /^Typed 13 characters into e2 field "Name"\.\nrev 3, .*\n/)
  t.match(text, 'e2 field "Name" = "Zoë')
  t.match(structuredContent, { characters: 13, ref: 'e2', changed: true, screen: { focusedRef: 'e2' } })
})

t.test('inputText clears before and submits after', async (t) => {
  const { phone, type } = await setup()

  t.match((await type({ text: 'Ann', into: { ref: 'e2' }, clear: true, submit: true, observe: 'none' })).text,
    'Cleared and typed 3 characters into e2 field "Name" and pressed enter.')
  t.same(phone.did, ['tap 50,150', 'clear', 'type "Ann"', 'press enter x1'])
})

t.test('without a field it types where the focus is', async (t) => {
  const { phone, type } = await setup()

  t.strictSame((await type({ text: 'x', observe: 'none' })).structuredContent, { characters: 1 })
  t.same(phone.did, ['type "x"'])
})

t.test('the text typed is not repeated: it may be a secret', async (t) => {
  const { type } = await setup()

  t.notMatch(JSON.stringify(await type({ text: 'hunter2', into: { text: 'PIN' }, observe: 'none' })), 'hunter2')
})

t.test('inputText waits until the field has the focus, and never types into another', async (t) => {
  const { phone, type } = await setup()
  phone.show(form('PIN'))
  phone.on('tap', () => {})
  phone.on('observe', () => { if (phone.looks === 3) phone.show(form('Name')) })

  await type({ text: 'Ann', into: { text: 'Name' }, observe: 'none' })
  t.same(phone.did, ['tap 50,150', 'type "Ann"'])
  t.equal(phone.looks, 4, 'the last one is for what the field took')

  phone.show(form('PIN'))
  await t.rejects(type({ text: 'secret', into: { text: 'Name' } }), { code: 'no_focused_field' })
  t.equal(phone.did.at(-1), 'tap 50,150')
})

t.test('what is no field may bring one up', async (t) => {
  const { phone, type } = await setup()
  phone.show(node('item', { text: 'Search' }))
  phone.on('tap', () => phone.show(node('field', { hint: 'Search', focused: true })))

  t.match((await type({ text: 'tea', into: { text: 'Search' } })).structuredContent, { ref: 'e2' })
  t.same(phone.did, ['tap 540,50', 'type "tea"'])
})

t.test('what took no focus is named, with why', async (t) => {
  const { phone, type, call, lease } = await setup()
  phone.on('tap', () => {})
  phone.show(node('group', {}, [
    node('field', { hint: 'Off', enabled: false, rect: [0, 0, 100, 100] }),
    node('button', { text: 'Send', rect: [0, 100, 100, 100] }),
    node('field', { hint: 'Slow', rect: [0, 200, 100, 100] })
  ]))

  await t.rejects(type({ text: 'x', into: { text: 'Off' } }), { code: 'no_focused_field', message: /^e1 field "Off" was tapped .*: it is disabled\.$/, nextAction: /enables/ })
  await t.rejects(call('clearText', { lease, target: { text: 'Send' } }), { code: 'no_focused_field', message: 'e2 button "Send" is no field; it was not touched.', nextAction: /role field/ })
  t.equal(phone.did.length, 1, 'a button is not touched')
  await t.rejects(type({ text: 'x', into: { text: 'Slow' } }), { code: 'no_focused_field', message: /^e3 field "Slow" was tapped and no text field took the focus\.$/ })
})

t.test('an empty text is refused where there is nothing else to do, and told as what was done', async (t) => {
  const { phone, type } = await setup()

  await t.rejects(type({ text: '' }), { name: 'ZodError', message: /nothing to do/ })
  await t.rejects(type({ text: '', into: { text: 'Name' } }), { name: 'ZodError' })
  t.same(phone.did, [])
  t.equal((await type({ text: '', clear: true, observe: 'none' })).text, 'Cleared the focused field.')
  t.equal((await type({ text: '', submit: true, observe: 'none' })).text, 'Pressed enter.')
  t.equal((await type({ text: '', submit: true, into: { text: 'Name' }, observe: 'none' })).text, 'Tapped e2 field "Name" and pressed enter.')
})

t.test('what the phone refuses is passed on', async (t) => {
  const { phone, type } = await setup()
  phone.on('typeText', () => { throw new NoFocusedFieldRefusal() })

  await t.rejects(type({ text: 'x' }), { code: 'no_focused_field', nextAction: /into/ })
})

t.test('text no keyboard types is refused before anything is touched', async (t) => {
  const { phone, type } = await setup()

  for (const [text, position] of [['a\u0000', 1], ['\u001b[2J', 0], ['ab\r\n', 2], ['\u0085', 0], ['\u007f', 0], ['ok\ud83d', 2], ['\ude00', 0]] as const) {
    await t.rejects(type({ text, into: { text: 'Name' } }), { code: 'invalid_text', retryable: false, nextAction: String, details: { position } }, JSON.stringify(text))
  }
  await t.rejects(type({ text: 'x'.repeat(10_001) }), { name: 'ZodError' })
  t.same(phone.did, [])
  t.equal(phone.looks, 0)
})

t.test('a caller that goes between two steps stops them', async (t) => {
  const { phone, call, lease } = await setup()
  const caller = new AbortController()
  phone.on('clearText', () => caller.abort())

  await t.rejects(call('inputText', { lease, text: 'x', into: { text: 'Name' }, clear: true }, { signal: caller.signal }), { code: 'cancelled' })

  t.same(phone.did, ['tap 50,150', 'clear'])
})

t.test('clearText empties the field it is told, or the focused one', async (t) => {
  const { phone, call, lease } = await setup()

  t.match((await call('clearText', { lease, target: { text: 'PIN' } })).text, /^Cleared e3 field "PIN"\.\nrev 2/, 'the focus has moved, at least')
  t.match((await call('clearText', { lease, target: { text: 'PIN' } })).text, /^Cleared e3 field "PIN"\. Nothing on the screen changed\.\nrev 2/)
  t.strictSame((await call('clearText', { lease, observe: 'none' })).structuredContent, {})
  t.same(phone.did, ['tap 50,250', 'clear', 'tap 50,250', 'clear', 'clear'])
})
