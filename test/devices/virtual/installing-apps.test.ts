import { writeFileSync } from 'node:fs'
import t from 'tap'
import { mostInstalls } from '../../../src/devices/virtual/phone/app-installs.ts'
import { scratchFile } from '../../support/scratch-file.ts'
import { asItWas, command, phoneBench } from './phone-bench.ts'

const counter = (id = 'com.example.counter', more: object = {}) => JSON.stringify({
  id,
  name: 'Counter',
  version: '1.0.0',
  icon: '🔢',
  color: '#4355b9',
  firstScreen: 'count',
  permissions: ['camera'],
  data: { total: 0 },
  screens: {
    count: {
      title: 'Counter',
      content: [{ role: 'button', id: 'count', text: 'Counted to ${total}', tap: [{ inc: { total: 1 } }] }] // eslint-disable-line no-template-curly-in-string
    }
  },
  ...more
})
const source = (text: string) => ({ kind: 'text', text }) as const
const fieldnotes = { kind: 'known', id: 'com.example.fieldnotes' } as const

t.test('an app that is installed stands on the home screen, runs, and goes with its data', async (t) => {
  const bench = phoneBench()

  t.same(await bench.driver.inspectApp(source(counter()), command), { id: 'com.example.counter', name: 'Counter', version: '1.0.0', system: false })
  t.equal(await bench.isShown('Counter'), false, 'looking at it did not install it')
  t.same(await bench.driver.installApp(source(counter()), command), { id: 'com.example.counter', name: 'Counter', version: '1.0.0', system: false, running: false })
  await bench.tapOn('Counter')
  await bench.tapOn('count')
  t.equal(await bench.isShown('Counted to 1'), true)

  await bench.driver.uninstallApp('com.example.counter', command)
  t.match(await bench.observe(), { app: null })
  await t.rejects(bench.driver.launchApp('com.example.counter', asItWas, command), { code: 'app_not_installed' })
  await bench.driver.installApp(source(counter()), command)
  await bench.launch('counter')
  t.equal(await bench.isShown('Counted to 0'), true)
})

t.test('an app installed over another of its id takes its place, without its data and permissions', async (t) => {
  const bench = phoneBench()
  await bench.driver.installApp(source(counter()), command)
  await bench.launch('counter')
  await bench.tapOn('count')
  await bench.driver.setPermission('com.example.counter', 'camera', 'granted', command)

  await bench.driver.installApp(source(counter(undefined, { version: '2.0.0' })), command)

  t.match((await bench.driver.listApps(command)).filter(({ id }) => id === 'com.example.counter'), [{ version: '2.0.0', running: false }])
  t.same(await bench.driver.listPermissions('com.example.counter', command), { camera: 'ask' })
  await bench.launch('counter')
  t.equal(await bench.isShown('Counted to 0'), true)
})

t.test('an app comes from a file as well; a refusal does not say where that is', async (t) => {
  const { driver } = phoneBench()
  const path = scratchFile(t, 'counter.yaml')
  const file = { kind: 'file', path } as const
  await t.rejects(driver.installApp(file, command), { code: 'install_failed', message: 'The app cannot be installed: The file is no app of the virtual phone:\n  it cannot be read' })

  writeFileSync(path, counter())
  t.match(await driver.inspectApp(file, command), { id: 'com.example.counter', name: 'Counter' })
  t.match(await driver.installApp(file, command), { id: 'com.example.counter', running: false })

  writeFileSync(path, ' '.repeat(1_048_577))
  await t.rejects(driver.installApp(file, command), { code: 'install_failed', message: /The file .*\n {2}larger than 1048576 bytes/s })
})

t.test('an app of the home state can be removed, installed again by its id, and put back where it was', async (t) => {
  const bench = phoneBench()
  const before = await bench.driver.listApps(command)

  await bench.driver.uninstallApp(fieldnotes.id, command)
  t.same(await bench.driver.homeApps(command.signal), before.map(({ id }) => id))
  await bench.driver.installApp(fieldnotes, command)
  t.same(await bench.driver.listApps(command), before)

  await bench.driver.installApp(source(counter(fieldnotes.id)), command)
  await bench.driver.restoreApp(fieldnotes.id, command)
  t.same(await bench.driver.listApps(command), before)
  await t.rejects(bench.driver.restoreApp('com.example.counter', command), { code: 'app_not_installed' })
})

t.test('what cannot be installed is refused with the reason', async (t) => {
  const { driver } = phoneBench()
  const install = (text: string) => driver.installApp(source(text), command)

  await t.rejects(install('{}'), { code: 'install_failed', message: /The definition is no app of the virtual phone:\n {2}id: / })
  await t.rejects(install('{ [ "'), { code: 'install_failed' })
  await t.rejects(install(`${'['.repeat(100)}${']'.repeat(100)}`), { code: 'install_failed', message: /nested deeper than 64 levels/ })
  await t.rejects(install('['.repeat(60_000)), { code: 'install_failed' })
  await t.rejects(install('&a [*a]'), { code: 'install_failed' })
  await t.rejects(install(' '.repeat(65_537)), { code: 'install_failed', message: /longer than 65536 characters/ })
  await t.rejects(install(counter('com.example.counter', { system: true })), { code: 'install_failed', message: /cannot be part of the phone/ })
  await t.rejects(install(counter('com.example.settings')), { code: 'install_failed', message: /belongs to a part of the phone/ })
  await t.rejects(driver.installApp({ kind: 'known', id: 'com.example.nothing' }, command), { code: 'install_failed', nextAction: /com\.example\.shop/ })
})

t.test('where the operator wants it so, only apps at hand can be installed', async (t) => {
  const { driver } = phoneBench({ acceptsDefinitions: false })
  await t.rejects(driver.inspectApp(source(counter()), command), { code: 'unsupported' })
  await t.rejects(driver.installApp(source(counter()), command), { code: 'unsupported', message: /its operator does not allow it/ })
  await driver.installApp(fieldnotes, command)
})

t.test('an app that hides more than a screen can hold is cut short', async (t) => {
  const bench = phoneBench()
  const hidden = { role: 'text', text: 'hidden', visibleIf: 'total < 0', repeat: { in: 500, as: 'row' } }
  const screens = { count: { title: 'Many', content: [{ role: 'text', text: 'before' }, ...Array.from({ length: 20 }, () => hidden), { role: 'text', text: 'after' }] } }
  await bench.driver.installApp(source(counter(undefined, { screens })), command)
  await bench.launch('counter')
  t.equal(await bench.isShown('before'), false, 'nothing is placed once the screen is full')
  t.equal(await bench.isShown('after'), false)
})

t.test('there is room for so many apps besides those of the phone', async (t) => {
  const { driver } = phoneBench()
  for (let number = 0; number < mostInstalls; number += 1) await driver.installApp(source(counter(`com.example.counter${number}`)), command)

  await t.rejects(driver.installApp(source(counter('com.example.onemore')), command), { code: 'install_failed', message: /has room for 20 apps/ })
  await driver.installApp(source(counter('com.example.counter0')), command)
  await driver.uninstallApp('com.example.counter0', command)
  await driver.installApp(source(counter('com.example.onemore')), command)
})

t.test('a part of the phone stays', async (t) => {
  const { driver } = phoneBench()
  await t.rejects(driver.uninstallApp('com.example.settings', command), { code: 'unsupported', message: 'Device virtual-1 cannot uninstall com.example.settings: it is part of the phone.' })
  await t.rejects(driver.uninstallApp('com.example.nothing', command), { code: 'app_not_installed' })
})

t.test('erasing the data of an app stops it and leaves its permissions', async (t) => {
  const bench = phoneBench()
  await bench.driver.installApp(source(counter()), command)
  await bench.driver.setPermission('com.example.counter', 'camera', 'denied', command)
  await bench.launch('counter')
  await bench.tapOn('count')

  await bench.driver.clearAppData('com.example.counter', command)

  t.match(await bench.observe(), { app: null })
  t.same(await bench.driver.listPermissions('com.example.counter', command), { camera: 'denied' })
  await bench.launch('counter')
  t.equal(await bench.isShown('Counted to 0'), true)
  await t.rejects(bench.driver.clearAppData('com.example.nothing', command), { code: 'app_not_installed' })
})

t.test('apps, their data, settings and files outlive a restart of the phone', async (t) => {
  const bench = phoneBench()
  await bench.driver.installApp(source(counter()), command)
  await bench.launch('counter')
  await bench.tapOn('count')
  await bench.driver.setLocale('de-DE', command)
  await bench.driver.pushFile('a.txt', Buffer.from('a'), command)

  bench.phone.restart()

  t.match(await bench.driver.listApps(command), [{ id: 'com.example.counter', running: false }])
  t.equal(await bench.driver.getLocale(command), 'de-DE')
  t.same(await bench.driver.listFiles(command), [{ path: 'a.txt', bytes: 1 }])
  await bench.launch('counter')
  t.equal(await bench.isShown('Counted to 1'), true)
})
