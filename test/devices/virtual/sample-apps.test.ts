import { encode } from 'gpt-tokenizer'
import t from 'tap'
import type { UiNode } from '../../../src/devices/device-types.ts'
import { allNodes, asItWas, command, phoneBench, signIn } from './phone-bench.ts'

t.test('signing in says what is wrong with what was typed', async (t) => {
  const bench = phoneBench()
  await bench.launch('fieldnotes')

  await bench.tapOn('sign_in')
  t.equal((await bench.find('email_error')).text, 'Enter your e-mail address.')
  t.equal((await bench.find('password_error')).text, 'Enter your password.')

  await bench.tapOn('email')
  await bench.type('ada at example')
  await bench.press('back')
  await bench.tapOn('sign_in')
  t.equal((await bench.find('email_error')).text, 'This is not an e-mail address.')

  await bench.tapOn('email')
  await bench.driver.clearText(command)
  await bench.type('ada@example.com\n')
  await bench.type('wrong\n')
  t.equal(await bench.isShown('email_error'), false)
  t.equal((await bench.find('password_error')).text, 'E-mail or password is wrong.')
  t.equal((await bench.find('password')).text, undefined, 'the wrong password is gone')
})

t.test('the account that the sign-in screen names leads to the notes, and stays signed in', async (t) => {
  const bench = phoneBench()
  await bench.launch('fieldnotes')
  t.match(await bench.texts(), ['Field Notes', 'Sign in', /ada@example\.com, password lovelace/])

  await signIn(bench)
  t.equal((await bench.observe()).activity, 'notes')
  t.equal((await bench.observe()).keyboardShown, false)

  await bench.driver.launchApp('com.example.fieldnotes', { ...asItWas, restart: true }, command)
  t.equal((await bench.observe()).activity, 'notes')

  await bench.driver.launchApp('com.example.fieldnotes', { ...asItWas, clearData: true }, command)
  t.equal((await bench.observe()).activity, 'signIn')
})

t.test('a note can be written, changed and deleted, down to the empty list', async (t) => {
  const bench = phoneBench()
  await signIn(bench)

  await bench.tapOn('new_note')
  await bench.tapOn('save_note')
  t.equal((await bench.find('title_error')).text, 'A note needs a title.')
  await bench.tapOn('note_title_field')
  await bench.type('Gull\n')
  await bench.type('Roof\n')
  await bench.type('Loud.\nVery loud.')
  await bench.press('back')
  await bench.tapOn('save_note')
  t.equal((await bench.find('toast')).text, 'Note saved')

  await bench.tapOn('Gull')
  t.equal((await bench.find('note_text')).text, 'Loud.\nVery loud.')
  await bench.tapOn('edit_note')
  await bench.tapOn('note_title_field')
  await bench.type(' again')
  await bench.press('back')
  await bench.tapOn('save_note')
  t.equal((await bench.find('note_title')).text, 'Gull again')

  await bench.tapOn('delete_note')
  await bench.tapOn('Cancel')
  t.equal((await bench.observe()).activity, 'detail')
  await bench.tapOn('delete_note')
  await bench.tapOn('confirm_delete')
  t.equal((await bench.observe()).activity, 'notes')
  t.equal(await bench.isShown('Gull again'), false)

  for (const title of ['Heron at the north pier', 'Seal count', 'Samphire in bloom']) {
    await bench.tapOn(title, { holdMs: 600 })
    await bench.tapOn('confirm_delete')
  }
  t.equal(await bench.isShown('No notes yet'), true)
})

t.test('settings keep what was switched, find by name, and switch off what depends on something', async (t) => {
  const bench = phoneBench()
  await bench.launch('settings')
  await bench.tapOn('network')
  t.equal((await bench.find('wifi')).checked, true)

  await bench.tapOn('airplane')
  t.match(await bench.find('wifi'), { checked: false, enabled: false })
  await bench.tapOn('wifi')
  t.equal((await bench.find('wifi')).checked, false, 'a disabled switch stays as it is')

  await bench.driver.terminateApp('com.example.settings', command)
  await bench.launch('settings')
  await bench.tapOn('search')
  await bench.type('airpl')
  t.equal(await bench.isShown('Network & internet'), false)
  await bench.tapOn('Airplane mode')
  t.equal((await bench.find('airplane')).checked, true)
})

t.test('the first screen of the settings has about 60 nodes and reads in less than 400 tokens', async (t) => {
  const bench = phoneBench()
  await bench.launch('settings')
  const { root, app, activity, size } = await bench.observe()

  const lines = [`app ${app}, activity ${activity}, ${size.width}x${size.height} portrait`, ...compactLines(root)]

  const nodes = allNodes(root).length
  t.ok(nodes >= 55 && nodes <= 70, `${nodes} nodes`)
  t.equal(lines.length, 16)
  t.equal(lines[3], 'e3 item "Network & internet · Wi-Fi, mobile, hotspot" 48,498,984,180')
  const tokens = encode(lines.join('\n')).length
  t.ok(tokens <= 400, `${tokens} tokens`)
})

t.test('the shop scrolls, fills a cart and takes an order', async (t) => {
  const bench = phoneBench({ platform: 'ios' })
  await bench.launch('shop')
  await bench.tapOn('Compass')
  await bench.tapOn('add_to_cart')
  await bench.tapOn('back')
  await bench.tapOn('Books')
  t.equal((await bench.find('Books')).selected, true)
  t.equal(await bench.isShown('Compass'), false)
  await bench.tapOn('Tide tables')
  await bench.tapOn('add_to_cart')
  await bench.tapOn('cart')
  t.equal((await bench.find('total')).text, 'Total € 45.40')

  await bench.tapOn('Remove Compass')
  t.equal((await bench.find('total')).text, 'Total € 12.90')
  await bench.tapOn('order')
  t.equal((await bench.find('name_error')).text, 'We need a name.')
  await bench.tapOn('name')
  await bench.type('Ada\n')
  await bench.tapOn('order')
  await bench.tapOn('confirm_order')
  t.equal((await bench.find('thanks')).text, 'Your order is on its way')
})

t.test('a slow network answers after its time, not before, and one screen can fail', async (t) => {
  const bench = phoneBench()
  await bench.launch('shop')
  await bench.tapOn('Compass')
  await bench.tapOn('reviews')
  t.equal(await bench.isShown('loading'), true)

  bench.time.advance(2_499)
  t.equal(await bench.isShown('loading'), true)
  bench.time.advance(1)
  t.equal(await bench.isShown('loading'), false)
  t.equal(await bench.isShown('Does what it says.'), true)

  await bench.press('back')
  await bench.tapOn('reviews')
  bench.time.advance(2_500)
  t.equal((await bench.find('failed')).text, 'The network did not answer.')
  await bench.tapOn('retry')
  bench.time.advance(2_500)
  t.equal(await bench.isShown('Does what it says.'), true)
})

t.test('the crash button ends the app, on Android with a dialog of the phone', async (t) => {
  for (const platform of ['android', 'ios'] as const) {
    const bench = phoneBench({ platform })
    await bench.launch('shop')
    await bench.tapOn('service')
    await bench.tapOn('crash')

    t.equal((await bench.observe()).app, null)
    t.equal((await bench.driver.listApps(command)).find(({ id }) => id === 'com.example.shop')?.running, false)
    t.equal(await bench.isShown('Shop has stopped'), platform === 'android')
    if (platform === 'android') await bench.tapOn('Close app')
    t.equal(await bench.isShown('Field Notes'), true)
    t.same(bench.phone.log().map(({ line }) => line), ['started Shop 5.1.2', 'about to crash', 'FATAL Shop has stopped unexpectedly'])
  }
})

t.test('the kitchen sink has scripts from both directions, nameless icons, and things that are off', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('scripts')
  for (const text of ['Ξεσκεπάζω', 'Съешь', 'Zwölf', 'نص', 'דג', '⛵']) {
    t.ok((await bench.texts()).some((shown) => shown.startsWith(text)), text)
  }

  await bench.press('back')
  await bench.tapOn('icons')
  const nameless = allNodes((await bench.observe()).root).filter((node) => node.role === 'button' && node.text === undefined && node.description === undefined)
  t.equal(nameless.length, 3)

  await bench.press('back')
  await bench.tapOn('controls')
  await bench.tapOn('disabled')
  await bench.tapOn('needs_agreement')
  t.equal((await bench.find('answer')).text, 'Last: nothing yet')
  await bench.tapOn('agreed')
  await bench.tapOn('needs_agreement')
  t.equal((await bench.find('answer')).text, 'Last: went on')
  await bench.tapOn('inner')
  t.equal((await bench.find('answer')).text, 'Last: inner button')
  await bench.tapOn('Tap or hold this card.', { holdMs: 500 })
  t.equal((await bench.find('answer')).text, 'Last: card held')
  await bench.tapOn('Tap or hold this card.', { holdMs: 300 })
  t.equal((await bench.find('answer')).text, 'Last: card')

  await bench.press('back')
  await bench.tapOn('web')
  t.match(await bench.find('page'), { role: 'web', description: 'Terms of service' })
})

// What an agent is shown of a tree: names of what can be used, texts that stand alone.
function compactLines (root: UiNode): string[] {
  return visit(root).map((line, index) => `e${index + 1} ${line}`)
}

function visit (node: UiNode): string[] {
  const { x, y, width, height } = node.rect
  const place = width > 0 ? ` ${x},${y},${width},${height}` : ''
  if (node.clickable) return [`${node.role} "${textsOf(node).join(' · ')}"${place}`]
  const own = node.text === undefined ? [] : [`${node.role} "${node.text}"${place}`]
  return [...own, ...node.children.flatMap(visit)]
}

function textsOf (node: UiNode): string[] {
  const own = node.text ?? node.description ?? node.hint
  return [...(own === undefined ? [] : [own]), ...node.children.flatMap(textsOf)]
}
