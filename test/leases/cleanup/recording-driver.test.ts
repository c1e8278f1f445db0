import t from 'tap'
import { UnsupportedRefusal } from '../../../src/devices/device-refusals.ts'
import { cleanupBench } from '../../support/cleanup-bench.ts'
import { scriptedPhone } from '../../support/scripted-driver.ts'

const app = { id: 'a.b', name: 'A', version: '1', system: false, running: false }
const source = { kind: 'known', id: 'a.b' } as const

async function setup () {
  const phone = scriptedPhone({ kind: 'real' }, [app])
  const bench = await cleanupBench(phone)
  const { driver, command } = await bench.lease()
  const changes = async () => (await bench.ledger.changesOf('phone-1')).map(({ change }) => change)
  return { phone, ...bench, driver, command, changes }
}

t.test('each command that changes a thing writes down the thing and how it was', async (t) => {
  const at = { latitude: 1, longitude: 2 }
  const { phone, driver, command, changes } = await setup()
  phone.state.location = at
  const expected = [
    [() => driver.installApp(source, command), { kind: 'app', target: 'a.b', before: 'absent' }],
    [() => driver.setPermission('a.b', 'camera', 'granted', command), { kind: 'permission', target: 'a.b camera', before: 'ask' }],
    [() => driver.clearAppData('a.b', command), { kind: 'app_data', target: 'a.b', before: null }],
    [() => driver.setOrientation('landscape', command), { kind: 'orientation', target: '', before: 'portrait' }],
    [() => driver.setLocale('de-DE', command), { kind: 'locale', target: '', before: 'en-US' }],
    [() => driver.clearLocation(command), { kind: 'location', target: '', before: at }],
    [() => driver.setNetwork({ wifi: false }, command), { kind: 'network', target: '', before: { wifi: true, data: true, airplane: false } }],
    [() => driver.setClipboard('x', command), { kind: 'clipboard', target: '', before: null }],
    [() => driver.startRecording({ maxMs: 1_000 }, command), { kind: 'recording', target: '', before: null }],
    [() => driver.stopRecording(command), { kind: 'files', target: '', before: null }]
  ] as const

  for (const [change, row] of expected) {
    await change()
    t.strictSame((await changes())[0], row)
  }
  t.equal((await changes()).length, expected.length)
})

t.test('what looks, acts or undoes reaches the phone as it is', async (t) => {
  const { phone, driver, command, left } = await setup()

  t.equal(await driver.getLocale(command), 'en-US')
  await driver.tap({ x: 1, y: 2 }, { count: 1, holdMs: 0 }, command)
  await driver.terminateApp('a.b', command)
  t.equal(await driver.discardRecording(command), false)

  t.strictSame(phone.did, ['tap 1,2', 'stop a.b', 'discard recording'])
  t.strictSame(await left(), [])
})

t.test('the token that a change is written down with is that of its own command', async (t) => {
  const { driver, command, release, lease, left } = await setup()
  await release()
  const next = await lease()

  await t.rejects(driver.setLocale('de-DE', command), { code: 'lease_fenced' })
  t.strictSame(await left(), [])
  await driver.setLocale('de-DE', next.command)
  t.strictSame(await left(), ['locale'])
})

t.test('a thing is written down once, as it was before the first change', async (t) => {
  const { driver, command, changes } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.setLocale('el-GR', command)
  await driver.launchApp('a.b', { clearData: true, restart: false }, command)
  await driver.clearAppData('a.b', command)
  await driver.launchApp('a.b', { clearData: false, restart: true }, command)

  t.strictSame(await changes(), [{ kind: 'app_data', target: 'a.b', before: null }, { kind: 'locale', target: '', before: 'en-US' }])
})

t.test('the row is there before the phone is told', async (t) => {
  const { phone, driver, command, left } = await setup()
  const seen: string[] = []
  phone.on('setLocale', async () => { seen.push(...await left()) })

  await driver.setLocale('de-DE', command)

  t.strictSame(seen, ['locale'])
})

t.test('what cannot be read is not changed, and not written down', async (t) => {
  const { phone, driver, command, left } = await setup()
  phone.on('getNetwork', () => { throw new UnsupportedRefusal({ device: 'phone-1', operation: 'tell its networks', missing: 'no radio', nextAction: 'Go on without.' }) })

  await t.rejects(driver.setNetwork({ wifi: false }, command), { code: 'unsupported' })

  t.strictSame(await left(), [])
  t.strictSame(phone.did, [])
})

t.test('a permission that the app does not have leaves no row', async (t) => {
  const { driver, command, left } = await setup()
  await t.rejects(driver.setPermission('a.b', 'toString', 'granted', command), { code: 'unknown_permission' })
  t.strictSame(await left(), [])
})

t.test('a lease that ended while the phone was asked changes nothing and writes nothing', async (t) => {
  const { phone, driver, command, release, left, deviceState } = await setup()
  let cleaning: Promise<unknown> | undefined
  phone.on('getLocale', async () => {
    cleaning = release()
    // The end has raised the fence by then; the cleanup waits for its turn.
    while ((await deviceState())?.state !== 'cleaning') await Promise.resolve()
  })

  await t.rejects(driver.setLocale('de-DE', command), { code: 'lease_fenced' })
  await cleaning

  t.strictSame(await left(), [])
  t.equal(phone.state.locale, 'en-US')
  t.match(await deviceState(), { state: 'free' })
})

t.test('a lease may change so many different things', async (t) => {
  const { driver, command, left } = await setup()
  for (let number = 0; number < 200; number += 1) await driver.uninstallApp(`a.b${number}`, command)

  await t.rejects(driver.setLocale('de-DE', command), { code: 'too_many_changes' })
  await driver.uninstallApp('a.b7', command)
  await driver.restoreHome(command)
  t.strictSame(await left(), [], 'a phone made as new has nothing left to undo')
  await driver.setLocale('de-DE', command)
})
