import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { PNG } from 'pngjs'
import t, { type Test } from 'tap'
import { createVirtualPhones } from '../../src/devices/virtual/virtual-phones.ts'
import { virtualSettings } from '../../src/devices/virtual/virtual-settings.ts'
import { hastyTime } from '../support/hasty-time.ts'
import { sequenceIds } from '../support/sequence-ids.ts'
import { bob, benchOver } from '../support/tool-bench.ts'

async function setup (t: Test, platform: 'android' | 'ios' = 'android') {
  const time = hastyTime()
  const phones = createVirtualPhones({ settings: virtualSettings.parse({}), ids: sequenceIds(), ...time })
  const bench = await benchOver(phones, time)
  t.teardown(async () => {
    await bench.leases.stop()
    await Promise.all(phones.map((phone) => phone.close()))
  })
  const { structuredContent: { lease } } = await bench.call('acquireDevice', { platform })
  return { ...bench, lease, run: (name: string, args: object = {}) => bench.call(name, { lease, ...args }) }
}

t.test('every sample app\'s first screen costs less than 400 tokens as lines, and the settings also as data', async (t) => {
  const { run } = await setup(t)
  const { structuredContent: { apps } } = await run('listApps')

  t.ok(apps.length >= 4)
  for (const { id } of apps) {
    await run('launchApp', { app: id, observe: 'none' })
    const { text, structuredContent } = await run('observe')
    for (const encode of [encodeCl100k, encodeO200k]) {
      t.ok(encode(text).length < 400, `${id}: ${encode(text).length}`)
      if (id === 'com.example.settings') t.ok(encode(JSON.stringify(structuredContent)).length < 400, id)
    }
  }
})

t.test('the settings are about 60 nodes of which 14 are told', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.settings', observe: 'none' })
  const nodes = JSON.stringify((await run('observe', { detail: 'raw' })).structuredContent.tree).split('"role"').length - 1

  t.ok(nodes >= 55 && nodes <= 65, `${nodes}`)
  t.equal((await run('observe')).structuredContent.elements.length, 14)
})

t.test('a row is one element, its switch is toggled through it, and a way back finds the same refs', async (t) => {
  const { run } = await setup(t)
  const first = await run('launchApp', { app: 'com.example.settings' })
  t.match(first.text, /\ne\d+ item "Network & internet · Wi-Fi, mobile, hotspot"\n/)

  await run('tapOn', { target: { text: 'Network & internet' } })
  const { text } = await run('tapOn', { target: { text: 'Airplane mode' } })
  t.match(text, /\ne\d+ switch "Wi-Fi · Off" unchecked disabled\n/)
  t.match(text, /\ne\d+ switch "Airplane mode" checked$/)

  const back = await run('pressButton', { button: 'back' })
  t.same(back.structuredContent.screen.elements, first.structuredContent.screen.elements)
})

t.test('signing in, from the empty form to the notes', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.fieldnotes', observe: 'none' })

  const typed = await run('inputText', { text: 'ada@example.com', into: { text: 'E-mail' } })
  t.match(typed.text, /keyboard shown\n/)
  t.match(typed.text, /field "E-mail" = "ada@example\.com" focused\n/)
  const { text } = await run('inputText', { text: 'lovelace', into: { text: 'Password' }, submit: true })

  t.match(text, /activity notes/)
  t.notMatch(text, 'lovelace')
  t.match((await run('waitFor', { for: { text: 'New note' } })).structuredContent, { found: true })
})

t.test('a field is cleared before something else is typed into it', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.fieldnotes', observe: 'none' })

  await run('inputText', { text: 'wrong', into: { text: 'E-mail' } })
  t.match((await run('inputText', { text: 'right', clear: true })).text, /field "E-mail" = "right" focused/)
  t.match((await run('clearText', { target: { text: 'E-mail' } })).text, /field "E-mail" focused/)
})

t.test('any script and emoji can be typed', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.fieldnotes', observe: 'none' })
  const value = 'Grüße 👩‍💻 שלום مرحبا 漢字'

  const { structuredContent } = await run('inputText', { text: value, into: { text: 'E-mail' } })

  t.match(structuredContent.screen.elements.find(({ label }: { label: string }) => label === 'E-mail'), { value })
})

t.test('typing without a focused field is refused', async (t) => {
  const { run } = await setup(t)

  await t.rejects(run('inputText', { text: 'x' }), { code: 'no_focused_field' })
})

t.test('a row far down a list is scrolled to, and tapped by its ref', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.kitchensink', observe: 'none' })
  await run('tapOn', { target: { text: '300 rows' }, observe: 'none' })

  const { structuredContent: { ref, swipes } } = await run('swipeOn', { direction: 'down', untilVisible: { text: 'Row 60' }, distance: 0.9, maxSwipes: 30 })
  t.ok(swipes > 1)
  t.match((await run('tapOn', { target: { ref } })).text, /text "Picked: row 60"/)
  await t.rejects(run('tapOn', { target: { text: 'Row 1', role: 'item', index: 99 } }), { code: 'no_match' })
  await t.rejects(run('swipeOn', { direction: 'up', untilVisible: { text: 'Row 999' }, distance: 0.95, maxSwipes: 30 }), { code: 'no_match', message: /nothing further up/ })
})

t.test('icons without names are there and can be tapped by place', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.kitchensink', observe: 'none' })
  const { text } = await run('tapOn', { target: { text: 'Nameless icons' } })

  t.match(text, /button \(no label\)\n/)
  t.match(text, /img \(no label\) click\n/)
  await t.rejects(run('tapOn', { target: { role: 'button' } }), { code: 'ambiguous' })
  t.equal((await run('tapOn', { target: { role: 'button', index: 1 } })).structuredContent.changed, true)
})

t.test('a screen that takes its time is waited for', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.kitchensink', observe: 'none' })
  await run('tapOn', { target: { text: 'Dialog and toast' }, observe: 'none' })

  const { structuredContent, text } = await run('tapOn', { target: { text: 'Answer after three seconds' }, waitFor: { textMatches: '^Last answer: (?!nothing)' } })

  t.ok(structuredContent.waitedMs >= 3_000)
  t.notMatch(text, 'nothing yet')
})

t.test('an app that is not there, a link nobody opens', async (t) => {
  const { run } = await setup(t)

  await t.rejects(run('launchApp', { app: 'com.example.nothing' }), { code: 'app_not_installed' })
  await t.rejects(run('openLink', { url: 'tel:112' }), { code: 'link_not_handled' })
  t.match((await run('openLink', { url: 'shop://cart' })).text, /app com\.example\.shop/)
  t.match((await run('terminateApp', { app: 'com.example.shop' })).text, /home screen/)
})

t.test('a point outside the screen, as it is turned, is not touched, and the size is named', async (t) => {
  const { run } = await setup(t)
  const { structuredContent: { screen: { size: [width, height] } } } = await run('rotate', { orientation: 'landscape' })

  for (const target of [{ x: 99_999, y: 99_999 }, { x: width, y: 0 }, { x: 0, y: height }]) {
    await t.rejects(run('tapOn', { target }), { code: 'outside_screen', retryable: false, message: `${width}x${height}`, nextAction: `0 to ${width - 1}`, details: { size: [width, height] } })
  }
  await t.rejects(run('swipeOn', { from: { x: 10, y: 10 }, to: { x: 10, y: height } }), { code: 'outside_screen' })
  t.match((await run('tapOn', { target: { x: width - 1, y: height - 1 } })).text, `Tapped ${width - 1},${height - 1}.`)
  t.match((await run('swipeOn', { from: { x: 1, y: 1, unit: 'ratio' }, to: { x: 0, y: 0, unit: 'ratio' } })).structuredContent, { swipes: 1 })
})

t.test('a picture has the size it says, also in landscape', async (t) => {
  const { run } = await setup(t, 'ios')
  await run('rotate', { orientation: 'landscape', observe: 'none' })
  const { content, structuredContent } = await run('captureScreenshot', { maxWidth: 300 })
  const image = content.find(({ type }) => type === 'image')

  const png = PNG.sync.read(Buffer.from(image?.type === 'image' ? image.data : '', 'base64'))
  t.same([png.width, png.height], [structuredContent.width, structuredContent.height])
  t.equal(png.width, 300)
  t.ok(png.width > png.height)
})

t.test('nothing of one lease is left for the next', async (t) => {
  const { run, call, lease } = await setup(t)
  await run('launchApp', { app: 'com.example.settings' })
  await run('rotate', { orientation: 'landscape' })

  const { structuredContent } = await run('releaseDevice')
  t.match(structuredContent, { released: true, state: 'free' })
  const { structuredContent: next } = await call('acquireDevice', { platform: 'android' }, { principal: bob })

  t.match((await call('observe', { lease: next.lease }, { principal: bob })).text, /^rev 1, home screen, \d+x\d+ portrait\n/)
  await t.rejects(call('observe', { lease }), { code: 'lease_ended', details: { reason: 'released' } })
})
