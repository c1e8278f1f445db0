import t from 'tap'
import { DeviceBusyRefusal, DeviceOfflineRefusal, UnsupportedRefusal } from '../../../src/devices/device-refusals.ts'
import { cleanupBench } from '../../support/cleanup-bench.ts'
import { idle } from '../../support/idle.ts'
import { scriptedPhone } from '../../support/scripted-driver.ts'

const offline = () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1_000 }) }
const busy = () => { throw new DeviceBusyRefusal('phone-1', 3) }
const apps = [
  { id: 'a.b', name: 'A', version: '1', system: false, running: true },
  { id: 'a.c', name: 'C', version: '1', system: false, running: false },
  { id: 'a.system', name: 'S', version: '1', system: true, running: true }
]

async function setup (kind: 'real' | 'virtual' = 'real') {
  const phone = scriptedPhone({ kind }, apps)
  const bench = await cleanupBench(phone)
  const { driver, command } = await bench.lease()
  const since = phone.did.length
  return { phone, ...bench, driver, command, did: () => phone.did.slice(since) }
}

/** A phone that does not do that, and does not notice that nobody waits any more. */
function deaf () {
  return new Promise<void>(() => {})
}

t.test('what was changed is undone, the newest first, then apps are stopped and the home screen shown', async (t) => {
  const { phone, driver, command, release, left, deviceState } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.installApp({ kind: 'known', id: 'x.y' }, command)
  await driver.setPermission('x.y', 'camera', 'granted', command)
  await driver.pushFile('a.txt', Buffer.alloc(1), command)
  await driver.pushFile('b.txt', Buffer.alloc(1), command)
  const before = phone.did.length

  const { cleaned, failed, lease } = await release()

  t.strictSame(phone.did.slice(before), [
    'remove a.txt', 'remove b.txt', 'permission x.y camera ask', 'uninstall x.y', 'locale en-US', 'stop a.b', 'press home x1'
  ])
  t.strictSame(cleaned, ['deleted 2 file(s)', 'set camera of x.y back to ask', 'removed x.y', 'set the language back to en-US', 'stopped A'])
  t.strictSame(failed, [])
  t.equal(lease?.state, 'ended')
  t.match(await deviceState(), { state: 'free' })
  t.strictSame(await left(), [])
})

t.test('level none stops a recording and leaves the rest to a later cleanup', async (t) => {
  const { phone, driver, command, release, lease, left } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.startRecording({ maxMs: 1_000 }, command)

  t.match(await release('none'), { cleaned: ['discarded a recording'], failed: [] })
  t.equal(phone.state.locale, 'de-DE')
  t.strictSame(await left(), ['locale'])

  const next = await lease()
  await next.driver.setLocale('el-GR', next.command)
  t.match(await release(), { cleaned: ['set the language back to en-US', 'stopped A'] })
  t.strictSame(await left(), [])
})

t.test('level full makes the phone as new instead of undoing', async (t) => {
  const { phone, driver, command, release, left } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.startRecording({ maxMs: 1_000 }, command)
  const before = phone.did.length

  t.match(await release('full'), { cleaned: ['discarded a recording', 'went to the home screen'], failed: [] })
  t.strictSame(phone.did.slice(before), ['discard recording', 'restore'])
  t.strictSame(await left(), [])
})

t.test('a phone that was to be made as new is, though the next try does not know it', async (t) => {
  const { phone, driver, command, release, left, store, cleaning } = await setup()
  await driver.setLocale('de-DE', command)
  phone.on('restoreHome', offline)
  t.match(await release('full'), { failed: ['Device phone-1 does not answer.'] })
  t.strictSame(await left(), ['erase', 'locale'])
  phone.on('restoreHome', () => {})

  const [occupancy] = await store.occupancies()
  if (occupancy === undefined) throw new Error('no device')
  t.match(await cleaning.start(occupancy.device), { cleaned: ['went to the home screen'], failed: [] })
  t.strictSame(await left(), [])
})

t.test('a virtual phone ends as new after level apps too', async (t) => {
  const { phone, driver, command, release } = await setup('virtual')
  await driver.setLocale('de-DE', command)
  const before = phone.did.length
  await release()
  t.strictSame(phone.did.slice(before), ['locale en-US', 'restore'])
})

t.test('a step that fails is tried three times, 250 ms apart, and the others are taken all the same', async (t) => {
  const { phone, driver, command, release, left, deviceState, time, lines } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.setClipboard('x', command)
  let tries = 0
  phone.on('setClipboard', () => { tries += 1; busy() })

  const releasing = release()
  for (const expected of [1, 2, 3]) {
    await idle()
    t.equal(tries, expected)
    time.advance(249)
    await idle()
    t.equal(tries, expected)
    time.advance(1)
  }
  const { cleaned, failed } = await releasing

  t.strictSame(cleaned, ['set the language back to en-US', 'stopped A'])
  t.strictSame(failed, ['clipboard: Device phone-1 has 3 commands waiting already.'])
  t.strictSame(await left(), ['clipboard'])
  t.match(await deviceState(), { state: 'quarantined', reason: 'Cleanup failed: clipboard: Device phone-1 has 3 commands waiting already.' })
  t.match(lines, [/"step":"clipboard","code":"device_busy"/])
})

t.test('a phone that does not answer is not asked for the rest', async (t) => {
  const { phone, driver, command, release, left, deviceState, time } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.setClipboard('x', command)
  const before = phone.did.length
  phone.on('setClipboard', offline)

  const releasing = release()
  for (const waitedMs of [250, 250]) {
    await idle()
    time.advance(waitedMs)
  }

  t.match(await releasing, { cleaned: [], failed: ['Device phone-1 does not answer.'] })
  t.strictSame(phone.did.slice(before), ['clipboard ""', 'clipboard ""', 'clipboard ""'])
  t.strictSame(await left(), ['clipboard', 'locale'])
  t.match(await deviceState(), { state: 'quarantined', reason: 'Cleanup failed: Device phone-1 does not answer.' })
})

t.test('a step that works at the second try has worked', async (t) => {
  const { phone, driver, command, release, time } = await setup()
  await driver.setLocale('de-DE', command)
  let tries = 0
  phone.on('setLocale', () => { if (++tries === 1) offline() })
  const releasing = release()
  await idle()
  time.advance(250)
  t.match(await releasing, { cleaned: ['set the language back to en-US', 'stopped A'], failed: [] })
})

const limits = [
  [1_000, 'setNetwork', (driver, command) => driver.setNetwork({ wifi: false }, command)],
  [1_000, 'setClipboard', (driver, command) => driver.setClipboard('x', command)],
  [1_000, 'setLocale', (driver, command) => driver.setLocale('de-DE', command)],
  [1_000, 'clearLocation', (driver, command) => driver.setLocation({ latitude: 1, longitude: 1 }, command)],
  [1_000, 'setPermission', (driver, command) => driver.setPermission('a.b', 'camera', 'denied', command)],
  [2_000, 'discardRecording', (driver, command) => driver.startRecording({ maxMs: 1_000 }, command)],
  [2_000, 'removeFile', (driver, command) => driver.pushFile('a', Buffer.alloc(1), command)],
  [2_000, 'clearAppData', (driver, command) => driver.clearAppData('a.b', command)],
  [5_000, 'uninstallApp', async (driver, command) => { await driver.installApp({ kind: 'known', id: 'x.y' }, command) }],
  [5_000, 'setOrientation', (driver, command) => driver.setOrientation('landscape', command)]
] satisfies ReadonlyArray<readonly [
  number,
  Parameters<ReturnType<typeof scriptedPhone>['on']>[0],
  (driver: Awaited<ReturnType<typeof setup>>['driver'], command: Awaited<ReturnType<typeof setup>>['command']) => Promise<void>
]>

t.test('each step has a time limit of its own', async (t) => {
  for (const [limitMs, operation, change] of limits) {
    const { phone, driver, command, release, time } = await setup()
    await change(driver, command)
    let signal: AbortSignal | undefined
    let tries = 0
    phone.on(operation, async (_did, command) => {
      tries += 1
      signal = command.signal
      await new Promise<never>((resolve, reject) => command.signal.addEventListener('abort', () => reject(command.signal.reason)))
    })

    const releasing = release()
    await idle()
    time.advance(limitMs - 1)
    await idle()
    t.equal(signal?.aborted, false, operation)
    time.advance(1)
    await idle()
    t.equal(signal?.aborted, true, operation)
    time.advance(250)
    await idle()
    t.equal(tries, 2, operation)
    time.advance(20_000)
    await releasing
    t.equal(time.timers(), 1, 'only the next try of the cleanup waits')
  }
})

t.test('the whole cleanup has 10 s, however many steps there are; what was undone stays undone', async (t) => {
  const { phone, driver, command, release, left, deviceState, time } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.setOrientation('landscape', command)
  await driver.setClipboard('x', command)
  phone.on('setOrientation', deaf)

  const releasing = release()
  for (let waitedMs = 0; waitedMs < 9_999; waitedMs += 1_111) {
    await idle()
    time.advance(1_111)
  }
  await idle()
  t.match(await deviceState(), { state: 'cleaning' })
  time.advance(1)
  const { cleaned, failed } = await releasing

  t.strictSame(cleaned, ['emptied the clipboard'])
  t.strictSame(failed.at(-1), 'No answer within 10000 ms.')
  t.strictSame(await left(), ['orientation', 'locale'])
  t.match(await deviceState(), { state: 'quarantined' })
})

t.test('what has gone with something else, and what the phone cannot do, is nothing to undo', async (t) => {
  const { phone, driver, command, release, left } = await setup()
  phone.on('setClipboard', () => { throw new UnsupportedRefusal({ device: 'phone-1', operation: 'set its clipboard', missing: 'an app for it', nextAction: 'Type instead.' }) })
  await t.rejects(driver.setClipboard('x', command), { code: 'unsupported' })

  t.match(await release(), { cleaned: ['stopped A'], failed: [] })
  t.strictSame(await left(), [])
})

t.test('a quarantined phone is tried again later with what is left, and leaves quarantine when that works', async (t) => {
  const { phone, driver, command, release, left, deviceState, time, cleaning } = await setup()
  await driver.setLocale('de-DE', command)
  await driver.setClipboard('x', command)
  phone.on('setLocale', offline)
  const releasing = release()
  await idle()
  time.advance(250)
  await idle()
  time.advance(250)
  await releasing
  t.match(await deviceState(), { state: 'quarantined' })
  t.equal(cleaning.nextTryAtMs, time.clock.nowMs() + 5_000)
  phone.on('setLocale', () => {})
  const before = phone.did.length

  time.advance(5_000)
  await idle()

  t.strictSame(phone.did.slice(before), ['locale en-US', 'stop a.b', 'press home x1'])
  t.match(await deviceState(), { state: 'free', reason: undefined })
  t.equal(cleaning.nextTryAtMs, undefined)
  t.strictSame(await left(), [])
  t.equal(time.timers(), 0)
})

t.test('somebody can have a quarantined phone tried now; its turn that was set is off', async (t) => {
  const { phone, driver, command, release, deviceState, time, cleaning, store } = await setup()
  await driver.setLocale('de-DE', command)
  phone.on('listApps', offline)
  await release()
  phone.on('listApps', () => {})
  const [occupancy] = await store.occupancies()
  if (occupancy === undefined) throw new Error('no device')

  const cleanups = [cleaning.start(occupancy.device), cleaning.start(occupancy.device)]
  t.equal(cleaning.of(occupancy.device.fence), cleanups[1])
  await Promise.all(cleanups)

  t.match(await deviceState(), { state: 'free' })
  t.equal(time.timers(), 0)
  t.equal(phone.did.filter((what) => what === 'press home x1').length, 1, 'who asked twice got one cleanup')
})
