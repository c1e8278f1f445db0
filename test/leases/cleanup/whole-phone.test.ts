import fc from 'fast-check'
import t from 'tap'
import type { DeviceDriver } from '../../../src/devices/device-driver.ts'
import { keys, type Command } from '../../../src/devices/device-types.ts'
import { Refusal } from '../../../src/refusals/refusal.ts'
import { openSqliteStore } from '../../../src/store/open-store.ts'
import { asItWas, phoneBench, sampleApps } from '../../devices/virtual/phone-bench.ts'
import { cleanupBench } from '../../support/cleanup-bench.ts'
import { idle } from '../../support/idle.ts'
import { scratchFile } from '../../support/scratch-file.ts'

interface Step {
  /** How fast-check shows it. */
  readonly name: string
  readonly work: (driver: DeviceDriver, command: Command) => Promise<unknown>
}

const homeIds = sampleApps.map(({ id }) => id)
const otherIds = ['com.example.other', 'com.example.another']
const permissions = ['camera', 'contacts', 'microphone']

function definition (id: string, granted: readonly string[]): string {
  return JSON.stringify({
    id,
    name: 'Other',
    version: '9',
    icon: 'O',
    color: '#112233',
    firstScreen: 'first',
    permissions: granted,
    screens: { first: { title: 'First', content: [{ role: 'text', text: 'Hello' }] } }
  })
}

const appId = fc.constantFrom(...homeIds, ...otherIds)
const tell = <Value>(name: string, value: Value, work: (value: Value) => Step['work']): Step => ({ name: `${name} ${JSON.stringify(value)}`, work: work(value) })

/** Changes that the ledger knows, and so a phone that is not made as new comes back from. */
const recorded: readonly fc.Arbitrary<Step>[] = [
  fc.tuple(appId, fc.subarray(permissions)).map((value) => tell('install', value, ([id, granted]) => (driver, command) =>
    driver.installApp({ kind: 'text', text: definition(id, granted) }, command))),
  appId.map((value) => tell('install known', value, (id) => (driver, command) => driver.installApp({ kind: 'known', id }, command))),
  appId.map((value) => tell('uninstall', value, (id) => (driver, command) => driver.uninstallApp(id, command))),
  appId.map((value) => tell('clear', value, (id) => (driver, command) => driver.clearAppData(id, command))),
  fc.tuple(appId, fc.constantFrom(...permissions), fc.constantFrom('granted' as const, 'denied' as const, 'ask' as const))
    .map((value) => tell('permit', value, ([id, permission, state]) => (driver, command) => driver.setPermission(id, permission, state, command))),
  fc.constantFrom('portrait' as const, 'landscape' as const).map((value) => tell('turn', value, (way) => (driver, command) => driver.setOrientation(way, command))),
  fc.constantFrom('de-DE', 'el-GR', 'en-US').map((value) => tell('locale', value, (locale) => (driver, command) => driver.setLocale(locale, command))),
  fc.option(fc.record({ latitude: fc.integer({ min: -90, max: 90 }), longitude: fc.integer({ min: -180, max: 180 }) })).map((value) =>
    tell('locate', value, (place) => (driver, command) => place === null ? driver.clearLocation(command) : driver.setLocation(place, command))),
  fc.record({ wifi: fc.boolean(), data: fc.boolean(), airplane: fc.boolean() }, { requiredKeys: [] }).map((value) =>
    tell('network', value, (change) => (driver, command) => driver.setNetwork(change, command))),
  fc.string({ maxLength: 5 }).map((value) => tell('copy', value, (text) => (driver, command) => driver.setClipboard(text, command))),
  fc.constant(tell('record', 5_000, (maxMs) => (driver, command) => driver.startRecording({ maxMs }, command))),
  fc.constant(tell('stop recording', null, () => (driver, command) => driver.stopRecording(command))),
  fc.constantFrom('a.txt', 'b/c.txt').map((value) => tell('push', value, (path) => (driver, command) => driver.pushFile(path, Buffer.from(path), command))),
  fc.constantFrom('a.txt', 'b/c.txt').map((value) => tell('remove', value, (path) => (driver, command) => driver.removeFile(path, command)))
]

/** What somebody does on the screen, too. */
const touched: readonly fc.Arbitrary<Step>[] = [
  fc.record({ x: fc.integer({ min: 0, max: 1_000 }), y: fc.integer({ min: 0, max: 1_000 }) }).map((value) =>
    tell('tap', value, (point) => (driver, command) => driver.tap(point, { count: 1, holdMs: 0 }, command))),
  fc.constantFrom(...keys).map((value) => tell('press', value, (key) => (driver, command) => driver.pressKey(key, { count: 1, long: false }, command))),
  fc.tuple(appId, fc.boolean()).map((value) => tell('launch', value, ([id, clearData]) => (driver, command) => driver.launchApp(id, { ...asItWas, clearData }, command)))
]

/** Everything that can be told of a phone, and what its apps and the holder's folder look like. */
async function portrait ({ driver, phone }: ReturnType<typeof phoneBench>) {
  const command = { fence: 1_000_000, signal: new AbortController().signal }
  const apps = await driver.listApps(command)
  return JSON.stringify([
    apps, await Promise.all(apps.map(({ id }) => driver.listPermissions(id, command))),
    await driver.getLocale(command), await driver.getLocation(command), await driver.getNetwork(command), await driver.getClipboard(command),
    await driver.getOrientation(command), await driver.listFiles(command), await driver.discardRecording(command), phone.look()
  ])
}

/** Two leases of which the first may be released without a cleanup, then a phone like one that nobody had. */
function comesBack (steps: readonly fc.Arbitrary<Step>[], level: 'apps' | 'full', kind: 'virtual' | 'real') {
  return fc.asyncProperty(
    fc.constantFrom('android' as const, 'ios' as const),
    fc.array(fc.oneof(...steps), { maxLength: 12 }),
    fc.array(fc.oneof(...steps), { maxLength: 12 }),
    fc.boolean(),
    async (platform, first, second, cleansBetween) => {
      const used = phoneBench({ platform })
      const bench = await cleanupBench({ ...used.driver, description: { ...used.driver.description, kind } }, { time: used.time })
      for (const [steps, ends] of [[first, cleansBetween ? level : 'none'], [second, level]] as const) {
        const { driver, command } = await bench.lease()
        for (const { work } of steps) await unlessRefused(work(driver, command))
        const { failed } = await bench.release(ends)
        if (failed.length > 0) throw new Error(`not cleaned: ${failed.join()}`)
      }
      const left = await bench.left()
      if (left.length > 0) throw new Error(`left in the ledger: ${left.join()}`)
      used.time.advance(10_000)
      const [is, was] = [await portrait(used), await portrait(phoneBench({ platform, time: used.time }))]
      if (is !== was) throw new Error(`${is}\nis not\n${was}`)
    }
  )
}

async function unlessRefused (work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

t.test('whatever was done under leases, a released virtual phone is like one that nobody had', async (t) => {
  for (const level of ['apps', 'full'] as const) {
    await t.resolves(fc.assert(comesBack([...recorded, ...touched], level, 'virtual'), { numRuns: 60 }), level)
  }
})

t.test('whatever tools changed, a phone that is not made as new comes back from it too', async (t) => {
  await t.resolves(fc.assert(comesBack(recorded, 'apps', 'real'), { numRuns: 100 }))
})

t.test('a cleanup that was interrupted goes on where it was, whichever step it was at', async (t) => {
  const changes: readonly Step['work'][] = [
    (driver, command) => driver.setLocale('de-DE', command),
    (driver, command) => driver.installApp({ kind: 'text', text: definition('com.example.other', ['camera']) }, command),
    (driver, command) => driver.setPermission('com.example.other', 'camera', 'granted', command),
    (driver, command) => driver.uninstallApp('com.example.shop', command),
    (driver, command) => driver.pushFile('a.txt', Buffer.from('a'), command),
    (driver, command) => driver.setNetwork({ airplane: true }, command)
  ]
  for (let survived = 0; survived <= changes.length; survived += 1) {
    const used = phoneBench()
    const real = { ...used.driver, description: { ...used.driver.description, kind: 'real' as const } }
    const file = scratchFile(t)
    const dying = openSqliteStore({ file })
    let removed = 0
    // What comes after so many steps never happens: a process that died does nothing more.
    const remove = async (id: number) => {
      if (removed === survived) return await new Promise<void>(() => {})
      removed += 1
      await dying.changes.remove(id)
    }
    const first = await cleanupBench(real, { time: used.time, store: dying.leases, ledger: { ...dying.changes, remove } })
    const { driver, command } = await first.lease()
    for (const change of changes) await change(driver, command)
    first.release().catch(() => {})
    await idle()
    await dying.close()

    const store = openSqliteStore({ file })
    t.teardown(() => store.close())
    const next = await cleanupBench(real, { time: used.time, store: store.leases, ledger: store.changes })
    t.equal((await next.left()).length, changes.length - survived)
    const [occupancy] = await next.store.occupancies()
    if (occupancy === undefined) throw new Error('no device')
    const { failed } = await next.cleaning.start(occupancy.device)

    t.strictSame(failed, [])
    t.strictSame(await next.left(), [])
    t.equal(await portrait(used), await portrait(phoneBench({ time: used.time })))
  }
})
