import t from 'tap'
import { scriptedPhone } from '../support/scripted-driver.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const apps = [
  { id: 'com.example.shop', name: 'Shop "24"', version: '1.2.0', system: false, running: true },
  { id: 'com.example.settings', name: 'Settings', version: '15', system: true, running: false },
  { id: 'com.example.notes', name: 'Notes', version: '3', system: false, running: false }
]

async function setup () {
  const bench = await toolBench({ phones: [scriptedPhone({}, apps)], shows: node('text', { text: 'Home' }) })
  const lease = await bench.acquire()
  return { ...bench, lease, run: (name: string, args: object = {}) => bench.call(name, { lease, ...args }) }
}

t.test('listApps lists what is installed, in order of id', async (t) => {
  const { run } = await setup()
  const { text, structuredContent } = await run('listApps')

  t.equal(text, [
    'com.example.notes "Notes" 3',
    'com.example.settings "Settings" 15 system',
    'com.example.shop "Shop \\"24\\"" 1.2.0 running'
  ].join('\n'))
  t.strictSame(structuredContent, { apps: [apps[2], apps[1], apps[0]], total: 3 })
})

t.test('listApps filters, and comes in pages', async (t) => {
  const { run } = await setup()
  const ids = async (args: object) => (await run('listApps', args)).structuredContent.apps.map(({ id }: { id: string }) => id)

  t.same(await ids({ scope: 'user' }), ['com.example.notes', 'com.example.shop'])
  t.same(await ids({ scope: 'system' }), ['com.example.settings'])
  t.same(await ids({ query: 'SHOP' }), ['com.example.shop'])
  const { structuredContent: { next }, text } = await run('listApps', { limit: 1 })
  t.match(text, /cursor "com\.example\.notes"/)
  t.same(await ids({ limit: 1, cursor: next }), ['com.example.settings'])
  t.equal((await run('listApps', { query: 'nothing' })).text, 'No app is like that.')
  t.equal((await run('listApps', { cursor: 'com.example.shop' })).text, 'There are no more.')
  await t.rejects(run('listApps', { cursor: 'com.example.gone' }), { code: 'invalid_cursor', nextAction: /without a cursor/ })
})

t.test('launchApp starts an app and shows it', async (t) => {
  const { run, phone } = await setup()
  await run('observe')
  phone.on('launchApp', () => phone.show(node('text', { text: 'Shop' }), { app: 'com.example.shop' }))

  const { text, structuredContent } = await run('launchApp', { app: 'com.example.shop' })
  await run('launchApp', { app: 'com.example.shop', restart: true, clearData: true, observe: 'none' })

  t.match(text, /^Launched com\.example\.shop\.\nrev 2, app com\.example\.shop, /)
  t.match(structuredContent, { app: 'com.example.shop', changed: true, screen: { app: 'com.example.shop' } })
  t.same(phone.did, ['launch com.example.shop', 'launch com.example.shop again empty'])
})

t.test('terminateApp stops an app', async (t) => {
  const { run, phone } = await setup()

  t.match((await run('terminateApp', { app: 'com.example.shop' })).text, /^Stopped com\.example\.shop\.\nrev 1/)
  t.same(phone.did, ['stop com.example.shop'])
})

t.test('an app that is not installed is refused with those that are', async (t) => {
  const { run } = await setup()

  for (const tool of ['launchApp', 'terminateApp']) {
    await t.rejects(run(tool, { app: 'com.example.nothing' }), { code: 'app_not_installed', details: { installed: Array } }, tool)
    for (const app of ['', 'x'.repeat(257)]) await t.rejects(run(tool, { app }), { name: 'ZodError' }, `${tool} ${app}`)
    for (const app of ['a b', 'a;b', 'a/b']) await t.rejects(run(tool, { app }), { code: 'app_not_installed' }, `${tool} ${app}`)
  }
})

t.test('an app can be named by its name, and the id of one that was probably meant is offered', async (t) => {
  const { run, phone } = await setup()

  t.match((await run('launchApp', { app: 'notes' })).structuredContent, { app: 'com.example.notes' })
  t.same(phone.did, ['launch com.example.notes'])
  await t.rejects(run('launchApp', { app: 'Nots' }), { code: 'app_not_installed', message: /com\.example\.notes is "Notes"/, details: { meant: 'com.example.notes' } })
})

t.test('openLink opens a link, in an app when told', async (t) => {
  const { run, phone } = await setup()

  t.match((await run('openLink', { url: 'shop://item/1?q="x"' })).text, /^Opened "shop:\/\/item\/1\?q=\\"x\\""\.\nrev 1/)
  await run('openLink', { url: 'shop:2', app: 'com.example.shop', observe: 'none' })

  t.same(phone.did, ['open shop://item/1?q="x"', 'open shop:2 in com.example.shop'])
})

t.test('a link nobody opens, and what is no link, are refused', async (t) => {
  const { run } = await setup()

  await t.rejects(run('openLink', { url: 'tel:112' }), { code: 'link_not_handled', nextAction: String })
  for (const url of ['', 'item/1', '//host', 'shop: 1', 'shop:\n', `shop:${'x'.repeat(2_050)}`]) {
    await t.rejects(run('openLink', { url }), { name: 'ZodError' }, JSON.stringify(url))
  }
})
