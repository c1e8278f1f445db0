import { getEventListeners } from 'node:events'
import t from 'tap'
import type { CommandName } from '../../src/devices/driver-commands.ts'
import { fenceDriver, maxWaitingCommands } from '../../src/devices/fenced-driver.ts'
import { fakeDriver } from '../support/fake-driver.ts'

function setup () {
  const phone = fakeDriver()
  const tap = { count: 1, holdMs: 0 }
  return { phone, fenced: fenceDriver(phone), at: { x: 1, y: 2 }, tap, signal: new AbortController().signal }
}

t.test('a command reaches the phone with its arguments, and its answer comes back', async (t) => {
  const { phone, fenced, signal } = setup()

  t.strictSame(await fenced.screenshot({ width: 60 }, { fence: 1, signal }), { png: Buffer.alloc(0), width: 60, height: 120 })
  t.strictSame(phone.obeyed, [{ operation: 'screenshot', fence: 1 }])
})

t.test('every command of the port is fenced', async (t) => {
  const { phone, fenced, at, tap } = setup()
  const late = () => ({ fence: 1, signal: new AbortController().signal })
  fenced.raiseFence(2)

  const attempts: { readonly [Name in CommandName]: () => Promise<unknown> } = {
    observe: () => fenced.observe(late()),
    screenshot: () => fenced.screenshot({ width: 60 }, late()),
    tap: () => fenced.tap(at, tap, late()),
    swipe: () => fenced.swipe(at, at, { durationMs: 10 }, late()),
    typeText: () => fenced.typeText('x', late()),
    clearText: () => fenced.clearText(late()),
    pressKey: () => fenced.pressKey('home', { count: 1, long: false }, late()),
    listApps: () => fenced.listApps(late()),
    launchApp: () => fenced.launchApp('a.b', { clearData: false, restart: false }, late()),
    terminateApp: () => fenced.terminateApp('a.b', late()),
    openLink: () => fenced.openLink('x:y', {}, late()),
    restoreHome: () => fenced.restoreHome(late()),
    inspectApp: () => fenced.inspectApp({ kind: 'known', id: 'a.b' }, late()),
    installApp: () => fenced.installApp({ kind: 'known', id: 'a.b' }, late()),
    uninstallApp: () => fenced.uninstallApp('a.b', late()),
    restoreApp: () => fenced.restoreApp('a.b', late()),
    clearAppData: () => fenced.clearAppData('a.b', late()),
    listPermissions: () => fenced.listPermissions('a.b', late()),
    setPermission: () => fenced.setPermission('a.b', 'camera', 'granted', late()),
    getOrientation: () => fenced.getOrientation(late()),
    setOrientation: () => fenced.setOrientation('portrait', late()),
    getLocale: () => fenced.getLocale(late()),
    setLocale: () => fenced.setLocale('de-DE', late()),
    getLocation: () => fenced.getLocation(late()),
    setLocation: () => fenced.setLocation({ latitude: 0, longitude: 0 }, late()),
    clearLocation: () => fenced.clearLocation(late()),
    getNetwork: () => fenced.getNetwork(late()),
    setNetwork: () => fenced.setNetwork({ wifi: false }, late()),
    getClipboard: () => fenced.getClipboard(late()),
    setClipboard: () => fenced.setClipboard('x', late()),
    startRecording: () => fenced.startRecording({ maxMs: 1_000 }, late()),
    stopRecording: () => fenced.stopRecording(late()),
    discardRecording: () => fenced.discardRecording(late()),
    listFiles: () => fenced.listFiles(late()),
    pushFile: () => fenced.pushFile('a', Buffer.alloc(1), late()),
    pullFile: () => fenced.pullFile('a', late()),
    removeFile: () => fenced.removeFile('a', late())
  }

  for (const [name, attempt] of Object.entries(attempts)) {
    await t.rejects(attempt(), { code: 'lease_fenced' }, name)
  }

  t.strictSame(phone.obeyed, [])
})

t.test('commands take turns in the order they came', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const first = phone.hold('tap')

  const all = Promise.all([
    fenced.tap(at, tap, { fence: 1, signal }),
    fenced.typeText('a', { fence: 1, signal }),
    fenced.clearText({ fence: 1, signal })
  ])
  await first.begun
  t.equal(phone.obeyed.length, 1)
  first.finish()
  await all

  t.strictSame(phone.obeyed.map(({ operation }) => operation), ['tap', 'typeText', 'clearText'])
  t.equal(phone.mostAtOnce, 1)
})

t.test('commands that are over leave nothing behind at the signal they share', async (t) => {
  const { fenced, signal } = setup()

  await Promise.all([fenced.clearText({ fence: 1, signal }), fenced.clearText({ fence: 1, signal }), fenced.clearText({ fence: 1, signal })])

  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('a command that fails lets the next one have its turn', async (t) => {
  const { phone, fenced, signal } = setup()
  phone.failingCleanups = 1

  const failing = fenced.restoreHome({ fence: 1, signal })
  const next = fenced.clearText({ fence: 1, signal })

  await t.rejects(failing, { message: 'the screen stayed black' })
  await next
  t.equal(phone.obeyed.length, 2)
})

t.test('a token lower than that of an earlier command is refused', async (t) => {
  const { phone, fenced, signal } = setup()

  await fenced.clearText({ fence: 5, signal })

  await t.rejects(fenced.clearText({ fence: 4, signal }), { code: 'lease_fenced' })
  await fenced.clearText({ fence: 5, signal })
  t.equal(phone.obeyed.length, 2)
})

t.test('the token is checked when the turn comes: the fence may rise while a command waits', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const first = phone.hold('tap')
  const running = fenced.tap(at, tap, { fence: 1, signal })
  await first.begun

  const waiting = fenced.typeText('late', { fence: 1, signal })
  fenced.raiseFence(2)
  first.finish()

  await running
  await t.rejects(waiting, { code: 'lease_fenced' })
  t.equal(phone.obeyed.length, 1)
})

t.test('the fence does not go down', async (t) => {
  const { fenced, signal } = setup()

  fenced.raiseFence(5)
  fenced.raiseFence(2)

  await t.rejects(fenced.clearText({ fence: 4, signal }), { code: 'lease_fenced' })
})

t.test('a command aborted while it waits is cancelled at once and never runs', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const first = phone.hold('tap')
  const running = fenced.tap(at, tap, { fence: 1, signal })
  await first.begun
  const caller = new AbortController()
  const waiting = fenced.typeText('never', { fence: 1, signal: caller.signal })
  const behind = fenced.clearText({ fence: 1, signal })

  caller.abort()

  await t.rejects(waiting, { code: 'cancelled' })
  first.finish()
  await Promise.all([running, behind])
  t.strictSame(phone.obeyed.map(({ operation }) => operation), ['tap', 'clearText'])
})

t.test('a command aborted around the moment its turn comes never begins aborted', async (t) => {
  const outcomes = new Set<string>()
  for (let delay = 0; delay < 12; delay++) {
    const { phone, fenced, at, tap, signal } = setup()
    const first = phone.hold('tap')
    const caller = new AbortController()
    const running = fenced.tap(at, tap, { fence: 1, signal })
    const next = fenced.typeText('x', { fence: 1, signal: caller.signal })
      .then(() => 'obeyed', () => 'cancelled')
    await first.begun

    first.finish()
    for (let step = 0; step < delay; step++) await undefined
    const abortedBeforeBegin = phone.obeyed.length === 1
    caller.abort()

    await running
    const outcome = await next
    outcomes.add(outcome)
    t.equal(phone.obeyed.length === 1, outcome === 'cancelled')
    if (abortedBeforeBegin) t.equal(outcome, 'cancelled')
  }
  t.strictSame([...outcomes].sort(), ['cancelled', 'obeyed'])
})

t.test('a command aborted before it came does not run', async (t) => {
  const { phone, fenced } = setup()

  await t.rejects(fenced.clearText({ fence: 1, signal: AbortSignal.abort() }), { code: 'cancelled' })
  t.strictSame(phone.obeyed, [])
})

t.test('CANCEL-05: nothing runs beside a command that was aborted but has not come back', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const deaf = phone.hold('tap', { deaf: true })
  const caller = new AbortController()
  const running = fenced.tap(at, tap, { fence: 1, signal: caller.signal })
  await deaf.begun
  caller.abort()

  const next = fenced.restoreHome({ fence: 2, signal })
  t.equal(phone.obeyed.length, 1)
  deaf.finish()

  await Promise.all([running, next])
  t.equal(phone.mostAtOnce, 1)
})

t.test('a full queue refuses more, and takes them again later', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const first = phone.hold('tap')
  const running = fenced.tap(at, tap, { fence: 1, signal })
  await first.begun
  const waiting = Array.from({ length: maxWaitingCommands }, () => {
    return fenced.clearText({ fence: 1, signal: new AbortController().signal })
  })

  await t.rejects(fenced.clearText({ fence: 1, signal }), { code: 'device_busy', retryable: true, retryAfterMs: 1_000 })

  first.finish()
  await Promise.all([running, ...waiting])
  await fenced.clearText({ fence: 1, signal })
  t.equal(phone.obeyed.length, maxWaitingCommands + 2)
})

t.test('the boot id is told while a command runs', async (t) => {
  const { phone, fenced, at, tap, signal } = setup()
  const first = phone.hold('tap')
  const running = fenced.tap(at, tap, { fence: 1, signal })
  await first.begun

  t.equal(await fenced.bootId(signal), 'boot-1')

  first.finish()
  await running
})
