import t from 'tap'
import { settingsScreen } from '../support/settings-screen.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

async function setup (shows = settingsScreen()) {
  const bench = await toolBench({ shows })
  const lease = await bench.acquire()
  return { ...bench, lease, observe: (args: object = {}) => bench.call('observe', { lease, ...args }) }
}

t.test('observe answers with lines and the same as data, and nothing else', async (t) => {
  const { observe, phone } = await setup()
  const { content, text, structuredContent } = await observe()

  t.equal(content.length, 1)
  t.match(text, /^rev 1, app com\.example\.app, activity main, 1080x2400 portrait\ne1 text "Settings"\n/)
  t.equal(text.split('\n').length, 16)
  t.match(structuredContent, { rev: 1, elements: { 0: { ref: 'e1', role: 'text', label: 'Settings' }, length: 15 } })
  t.same(phone.did, [])
})

t.test('observe tells places and ids only with full', async (t) => {
  const { observe } = await setup()

  t.notMatch((await observe()).text, '1080,190')
  t.match((await observe({ detail: 'full' })).text, 'e2 img "Profile picture" #avatar 950,110,100,100 click')
})

t.test('observe tells the platform tree with raw', async (t) => {
  const { observe } = await setup(node('group', {}, [node('text', { text: 'Hi' })]))
  const { text, structuredContent } = await observe({ detail: 'raw' })

  t.match(structuredContent.tree, { role: 'group', children: [{ role: 'text', text: 'Hi' }] })
  t.same(JSON.parse(text.split('\n')[1] ?? ''), structuredContent.tree)
})

t.test('a raw tree is bounded and says so', async (t) => {
  const { observe } = await setup(node('group', {}, Array.from({ length: 1_500 }, () => node('text'))))
  const { text, structuredContent } = await observe({ detail: 'raw' })

  t.strictSame(structuredContent.truncated, { shown: 1_000, total: 1_501 })
  t.match(text, /\(1000 of 1501 nodes shown\)$/)
})

t.test('observe tells only what is within, no more than max, and what is out of sight on request', async (t) => {
  const { observe } = await setup(node('group', {}, [
    node('text', { text: 'Head' }),
    node('list', { id: 'rows' }, [node('item', { text: 'a' }), node('item', { text: 'b' }), node('item', { text: 'c', rect: [0, 0, 0, 0] })])
  ]))
  const labels = async (args: object) => (await observe(args)).structuredContent.elements.map(({ label }: { label: string }) => label)

  t.same(await labels({}), ['Head', 'a', 'b'])
  t.same(await labels({ max: 2 }), ['Head', 'a'])
  t.same(await labels({ includeOffscreen: true }), ['Head', 'a', 'b', 'c'])
  t.same(await labels({ within: { text: 'b' } }), ['b'])
  await t.rejects(observe({ within: { text: 'nobody' } }), { code: 'no_match' })
  await t.rejects(observe({ within: { role: 'item' } }), { code: 'ambiguous' })
})

t.test('observe since a rev tells only the changes, or all with a warning when it is not remembered', async (t) => {
  const { observe, phone } = await setup(node('text', { text: 'One' }))
  await observe()
  phone.show(node('group', {}, [node('text', { text: 'One' }), node('text', { text: 'Two' })]))

  t.equal((await observe({ since: 1 })).text, 'rev 2, app com.example.app, activity main, 1080x2400 portrait, changes since rev 1\n+ e2 text "Two"')
  t.match((await observe({ since: 2 })).text, /changes since rev 2: none$/)
  const unknown = await observe({ since: 77 })
  t.match(unknown.structuredContent, { elements: { length: 2 }, warnings: ['Rev 77 is not remembered; this is the whole screen.'] })
  t.match(unknown.text, /warning "Rev 77/)
  t.match((await observe()).structuredContent.warnings, undefined, 'and the warning does not stay')
})

t.test('since, within and raw go one at a time', async (t) => {
  const { observe } = await setup()

  await t.rejects(observe({ within: { text: 'a' }, detail: 'raw' }), { name: 'ZodError' })
  await t.rejects(observe({ since: 1, detail: 'raw' }), { name: 'ZodError' })
  await t.rejects(observe({ since: 1, within: { text: 'a' } }), { name: 'ZodError' })
})

t.test('observe can bring a picture', async (t) => {
  const { observe, phone } = await setup()
  const { content, structuredContent } = await observe({ screenshot: 'small' })
  await observe({ screenshot: 'full' })

  t.match(content, [{ type: 'text' }, { type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') }])
  t.strictSame(structuredContent.screenshot, { width: 480, height: 960, bytes: 3, scale: 0.4444 })
  t.same(phone.did, ['screenshot 480', 'screenshot 1080'])
})

t.test('captureScreenshot is as wide as asked for, never wider than the screen', async (t) => {
  const { call, lease, phone } = await setup()
  const { content, structuredContent, text } = await call('captureScreenshot', { lease })
  await call('captureScreenshot', { lease, maxWidth: 0 })
  await call('captureScreenshot', { lease, maxWidth: 4_000 })
  await call('captureScreenshot', { lease, maxWidth: 270 })

  t.same(content.map(({ type }) => type), ['text', 'image'])
  t.strictSame(structuredContent, { width: 480, height: 960, bytes: 3, scale: 0.4444 })
  t.equal(text, '480x960 picture, scale 0.4444')
  t.same(phone.did, ['screenshot 480', 'screenshot 1080', 'screenshot 1080', 'screenshot 270'])
})

t.test('a look whose caller has gone takes no picture', async (t) => {
  const { call, lease, phone } = await setup()
  const caller = new AbortController()
  phone.on('observe', () => caller.abort())

  await t.rejects(call('captureScreenshot', { lease }, { signal: caller.signal }), { code: 'cancelled' })

  t.same(phone.did, [])
})
