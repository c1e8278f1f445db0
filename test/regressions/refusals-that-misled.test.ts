import t from 'tap'
import { filePathProblem } from '../../src/devices/file-commands.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Parameters<typeof startTestApp>[0]) {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })
  const { structuredContent: { lease } } = await wire.call('acquireDevice', {})
  return { run: (name: string, args: object) => wire.call(name, { lease, ...args }) }
}

t.test('putFile says what is wrong with a path', async (t) => {
  const { run } = await setup(t)
  for (const [path, problem] of [
    ['my notes.txt', /has a blank in it/], ['größe.txt', /has "ö" in it/], ['a/b/c/d/e.txt', /is 5 names deep; 4 are the most/], [`${'x'.repeat(70)}.txt`, /has a name of 74 characters; 64 are the most/],
    ['/etc/passwd', /begins with a \//], ['../a', /begins with \. or -/], ['a//b', /has an empty name/], ['', /is empty/]
  ] as const) {
    const { isError, content: [{ text }] } = await run('putFile', { path, text: '' })
    t.ok(isError)
    t.match(text, problem, path)
  }
  t.equal(filePathProblem('a/b-c.d_e'), undefined)
})

t.test('openLink with an app speaks of that app', async (t) => {
  const { run } = await setup(t)

  t.match((await run('openLink', { url: 'shop://cart', app: 'com.example.fieldnotes' })).structuredContent, { code: 'link_not_handled', message: 'App com.example.fieldnotes does not open "shop://cart".', nextAction: /Leave `app` out/ })
  t.match((await run('openLink', { url: 'tel:112' })).structuredContent, { message: 'No app on this device opens "tel:112".' })
})

t.test('waitFor says that the element is scrolled out of sight, and that nothing was ever there to go', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'Field Notes', observe: 'none' })
  await run('rotate', { orientation: 'landscape', observe: 'none' })

  t.match((await run('waitFor', { for: { text: 'Forgot password?' }, timeoutMs: 0 })).structuredContent, { code: 'timeout', message: /It is scrolled out of sight\./, nextAction: /untilVisible/ })
  const { content: [{ text }], structuredContent } = await run('waitFor', { for: { text: 'Lodaing' }, state: 'gone' })
  t.match(text, /^Nothing matched text "Lodaing", so nothing is gone/)
  t.match(structuredContent, { found: true, wasSeen: false })
})

t.test('inputText does not touch a button', async (t) => {
  const { run } = await setup(t)
  const before = (await run('launchApp', { app: 'com.example.fieldnotes' })).structuredContent.screen

  for (const [tool, args] of [['inputText', { text: 'x', into: { id: 'sign_in' } }], ['clearText', { target: { id: 'sign_in' } }]] as const) {
    t.match((await run(tool, args)).structuredContent, { code: 'no_focused_field', message: /is no field; it was not touched/ })
  }
  t.same((await run('observe', {})).structuredContent.elements, before.elements)
})

t.test('a locked phone says how to unlock it, and a dark one that its display is off', async (t) => {
  const { run } = await setup(t)
  await run('launchApp', { app: 'com.example.fieldnotes', observe: 'none' })

  const dark = await run('pressButton', { button: 'power' })
  t.match(dark.structuredContent.screen, { displayOff: true, warnings: [/The display is off: press power/] })
  t.match(dark.content[0].text, /display off\nwarning "The display is off: press power\."/)
  t.match((await run('tapOn', { target: { text: 'Sign in' } })).structuredContent, { code: 'no_match', message: /The display is off: press power/ })

  t.match((await run('pressButton', { button: 'power' })).content[0].text, /locked\n/)
  const refused = [
    await run('tapOn', { target: { id: 'sign_in' } }), await run('waitFor', { for: { id: 'sign_in' }, timeoutMs: 0 }), await run('inputText', { text: 'x' })
  ]
  for (const { structuredContent } of refused) t.match(structuredContent.nextAction, /The phone is locked: swipeOn from/)
  const [, from, to] = /swipeOn from (\{.*?\}) to (\{.*?\}) unlocks/.exec(refused[0]!.structuredContent.nextAction) ?? []
  t.match((await run('swipeOn', { from: JSON.parse(from ?? ''), to: JSON.parse(to ?? '') })).structuredContent.screen, { locked: false })
})
