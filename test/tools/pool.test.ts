import t from 'tap'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { scriptedPhone } from '../support/scripted-driver.ts'
import { alice, bob, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const shows = node('text', { text: 'Hello' })

function fleet () {
  return [
    scriptedPhone({ id: 'a-tablet', platform: 'android', kind: 'emulator', model: 'Tab "X"', labels: ['big', 'spare'] }),
    scriptedPhone({ id: 'b-phone', platform: 'ios', kind: 'simulator', model: 'iPhone 16', osVersion: '18.2' }),
    scriptedPhone({ id: 'c-phone', platform: 'android', kind: 'virtual', labels: ['big'] })
  ]
}

t.test('listDevices without arguments lists the whole pool', async (t) => {
  const { call } = await toolBench({ phones: fleet() })
  const { text, structuredContent } = await call('listDevices', {})

  t.equal(text, [
    'a-tablet (emulator android 15, "Tab \\"X\\"") free labels big,spare',
    'b-phone (simulator ios 18.2, "iPhone 16") free',
    'c-phone (virtual android 15, "Pixel 9") free labels big'
  ].join('\n'))
  t.strictSame(structuredContent.devices[1], {
    id: 'b-phone', name: 'Phone one', platform: 'ios', kind: 'simulator', model: 'iPhone 16', os: '18.2', state: 'free'
  })
  t.equal(structuredContent.total, 3)
})

t.test('listDevices filters by everything asked for', async (t) => {
  const { call } = await toolBench({ phones: fleet() })
  const ids = async (args: Record<string, unknown>) => (await call('listDevices', args)).structuredContent.devices.map(({ id }: { id: string }) => id)

  t.same(await ids({ platform: 'android' }), ['a-tablet', 'c-phone'])
  t.same(await ids({ platform: 'android', kind: 'virtual' }), ['c-phone'])
  t.same(await ids({ labels: ['big'] }), ['a-tablet', 'c-phone'])
  t.same(await ids({ labels: ['big', 'spare'] }), ['a-tablet'])
  t.same(await ids({ state: 'leased' }), [])
  t.equal((await call('listDevices', { state: 'leased' })).text, 'No device of the pool is like that.')
})

t.test('listDevices comes in pages that stay right while leases come and go', async (t) => {
  const { call } = await toolBench({ phones: fleet() })
  const first = await call('listDevices', { limit: 2 })
  await call('acquireDevice', { device: 'a-tablet' })
  const second = await call('listDevices', { limit: 2, cursor: first.structuredContent.next })

  t.match(first.structuredContent, { devices: [{ id: 'a-tablet' }, { id: 'b-phone' }], total: 3, next: 'b-phone' })
  t.match(first.text, /cursor "b-phone"/)
  t.match(second.structuredContent.devices, [{ id: 'c-phone' }])
  t.equal(second.structuredContent.next, undefined)
})

t.test('listDevices says why a phone cannot be had', async (t) => {
  const { call, leases } = await toolBench({ phones: [...fleet(), scriptedPhone({ id: 'd-phone' })] })
  await call('acquireDevice', { device: 'c-phone' })
  await leases.operations.drain({ device: 'c-phone', reason: 'moves to the lab', by: 'eve' })
  await leases.operations.block({ device: 'a-tablet', reason: 'broken glass', by: 'eve' })

  const { text, structuredContent } = await call('listDevices')
  const blocked = await call('listDevices', { state: 'blocked' })

  t.match(text, /^a-tablet .* blocked labels big,spare "broken glass"\nb-phone .* free\nc-phone .* draining mine until \S+ labels big "moves to the lab"\nd-phone .* free$/)
  t.match(structuredContent.devices, [{ state: 'blocked', reason: 'broken glass' }, { state: 'free', reason: undefined }, { state: 'draining', mine: true }, {}])
  t.match(blocked.structuredContent, { total: 1 })
})

t.test('a cursor that is of no page is refused, and one after which nothing is left is not', async (t) => {
  const { call } = await toolBench({ phones: fleet() })

  for (const cursor of ['', 'zzz', '2', 'A-TABLET']) {
    await t.rejects(call('listDevices', { cursor }), { code: 'invalid_cursor', retryable: false, message: String, nextAction: /without a cursor/ }, JSON.stringify(cursor))
  }
  t.match(await call('listDevices', { cursor: 'c-phone' }), { text: 'There are no more.', structuredContent: { devices: [], total: 3 } })
  t.same((await call('listDevices', { cursor: 'b-phone', state: 'free', labels: ['big'] })).structuredContent.devices.map(({ id }: { id: string }) => id), ['c-phone'])
})

t.test('a lease is marked for its holder; others see a leased device and nothing more', async (t) => {
  const { call } = await toolBench()
  const { structuredContent: { lease } } = await call('acquireDevice', { purpose: 'secret plan' })

  const mine = await call('listDevices')
  const theirs = await call('listDevices', {}, { principal: bob })

  t.match(mine.structuredContent.devices, [{ state: 'leased', mine: true, expiresAt: '1970-01-01T00:26:40.000Z' }])
  t.match(mine.text, / leased mine until 1970-01-01T00:26:40\.000Z$/)
  t.match(theirs.structuredContent.devices, [{ state: 'leased', mine: undefined, expiresAt: undefined }])
  for (const secret of [lease, 'secret plan', alice.subject, 'ls_', 'expiresAt']) t.notMatch(JSON.stringify(theirs), secret)
})

t.test('acquireDevice grants a lease and says what comes next', async (t) => {
  const { call } = await toolBench()
  const { text, structuredContent } = await call('acquireDevice', { platform: 'android', ttlMs: 60_000, purpose: 'smoke test' })

  t.strictSame(structuredContent, {
    lease: 'ls_0000000000000000000001',
    fence: 1,
    expiresAt: '1970-01-01T00:17:40.000Z',
    ttlMs: 60_000,
    device: { id: 'phone-1', name: 'Phone one', platform: 'android', kind: 'virtual', model: 'Pixel 9', os: '15' }
  })
  t.match(text, /ls_0000000000000000000001/)
  t.match(text, /Next: observe/)
  t.match(text, /releaseDevice/)
})

t.test('acquireDevice refuses what the pool cannot give', async (t) => {
  const { call, acquire } = await toolBench()
  await acquire()

  await t.rejects(call('acquireDevice'), { code: 'capacity_exhausted', retryable: true, retryAfterMs: Number, nextAction: String })
  await t.rejects(call('acquireDevice', { device: 'nobody' }), { code: 'no_such_device', retryable: false })
  await t.rejects(call('acquireDevice', { ttlMs: 1 }), { name: 'ZodError' })
})

t.test('a lease whose caller has gone before it could be told is given back', async (t) => {
  const bench = await toolBench()
  const caller = new AbortController()
  const { devices } = bench.leases
  bench.leases.devices = async () => {
    caller.abort()
    return await devices()
  }

  await t.rejects(bench.call('acquireDevice', {}, { signal: caller.signal }), { code: 'cancelled' })

  t.same(await bench.leases.list(), [])
})

t.test('renewLease extends a lease from now', async (t) => {
  const { call, acquire, advance } = await toolBench()
  const lease = await acquire()
  advance(100_000)

  const { structuredContent, text } = await call('renewLease', { lease, ttlMs: 30_000 })

  t.strictSame(structuredContent, { lease, fence: 1, expiresAt: '1970-01-01T00:18:50.000Z', ttlMs: 30_000 })
  t.match(text, '1970-01-01T00:18:50.000Z')
})

t.test('whatever shows when a lease ends shows the earliest of expiry, idle time and full length', async (t) => {
  const start = Date.parse('1970-01-01T00:16:40.000Z')
  const at = (ms: number) => new Date(start + ms).toISOString()
  for (const [settings, acquired, renewed, words] of [
    [{}, at(600_000), at(650_000), /lasts until .*; each use extends it to 600000 ms from then\.$/],
    [{ idleMs: 60_000 }, at(60_000), at(60_000), /ends at \S+Z if nothing acts on the phone until then \(looking and renewing do not count\)\.$/],
    [{ maxLengthMs: 60_000 }, at(60_000), at(60_000), /ends at \S+Z however much it is used\.$/]
  ] as const) {
    const { call, advance } = await toolBench({ shows, phones: [scriptedPhone()], settings })
    const granted = await call('acquireDevice')
    const { lease, expiresAt } = granted.structuredContent

    t.equal(expiresAt, acquired)
    t.match(granted.text.split('\n')[0], words)
    t.match(granted.text, acquired)
    t.equal((await call('listDevices')).structuredContent.devices[0].expiresAt, acquired)
    t.equal((await call('listLeases')).structuredContent.leases[0].expiresAt, acquired)
    t.match((await call('listLeases')).text, `until ${acquired}`)

    advance(50_000)
    await call('observe', { lease })
    const { structuredContent, text } = await call('renewLease', { lease })
    t.equal(structuredContent.expiresAt, renewed)
    t.match(text, words)
    t.match(text, renewed)
  }
})

t.test('what acts moves the end of a lease that would idle out', async (t) => {
  const { call, acquire, advance } = await toolBench({ shows, settings: { idleMs: 60_000 } })
  const lease = await acquire()
  advance(50_000)

  await call('pressButton', { lease, button: 'home' })

  t.equal((await call('listLeases')).structuredContent.leases[0].expiresAt, '1970-01-01T00:18:30.000Z')
  advance(60_000)
  await t.rejects(call('observe', { lease }), { code: 'lease_ended', details: { reason: 'idle' } })
})

t.test('releaseDevice gives the phone back, and twice is no error', async (t) => {
  const { call, acquire, screens, phone } = await toolBench({ shows })
  const lease = await acquire()
  await call('observe', { lease })

  const first = await call('releaseDevice', { lease })
  const second = await call('releaseDevice', { lease })

  t.strictSame(first.structuredContent, {
    released: true, alreadyReleased: false, cleaned: ['went to the home screen'], failed: [], device: 'phone-1', state: 'free'
  })
  t.equal(first.text, 'Released phone-1, which is now free. Cleaned: "went to the home screen".')
  t.match(second.structuredContent, { released: true, alreadyReleased: true, device: 'phone-1' })
  t.same(phone.did, ['restore'])
  t.equal(screens.of({ handle: lease, deviceId: 'phone-1', fence: 1 }).latest(), undefined, 'and the screens are forgotten')
})

t.test('releaseDevice says when the phone went into quarantine', async (t) => {
  const { call, acquire, phone } = await toolBench()
  const lease = await acquire()
  phone.on('restoreHome', () => { throw new Error('stuck') })

  t.match((await call('releaseDevice', { lease })).structuredContent, { released: true, cleaned: [], state: 'quarantined' })
})

t.test('releaseDevice says what could not be cleaned, and cleans as much as it is told to', async (t) => {
  const { call, acquire, leases } = await toolBench()
  const lease = await acquire()
  const levels: unknown[] = []
  const { release } = leases
  leases.release = async (request) => {
    levels.push(request.cleanup)
    return { ...await release(request), cleaned: [], failed: ['clipboard'] }
  }

  const { text, structuredContent } = await call('releaseDevice', { lease, cleanup: 'full' })
  await call('releaseDevice', { lease })

  t.match(text, /Cleaned: nothing\. Failed: "clipboard"\.$/)
  t.match(structuredContent, { failed: ['clipboard'] })
  t.same(levels, ['full', undefined], 'which is up to the operator when it is told nothing')
})

t.test('releasing a lease that has expired says that there is nothing left to release', async (t) => {
  const { call, acquire, advance } = await toolBench()
  const lease = await acquire()
  advance(600_000)

  await t.rejects(call('releaseDevice', { lease }), { code: 'lease_ended', details: { reason: 'expired' }, nextAction: /nothing left to release/ })
})

t.test('listLeases finds a lost handle again, for its holder only', async (t) => {
  const { call, acquire } = await toolBench()
  t.equal((await call('listLeases')).text, 'You hold no lease.')
  const lease = await acquire()

  t.match((await call('listLeases')).structuredContent, { leases: [{ lease, state: 'granted', device: 'phone-1', fence: 1, grantedAt: '1970-01-01T00:16:40.000Z' }] })
  t.match((await call('listLeases')).text, `${lease} on phone-1`)
  t.strictSame((await call('listLeases', {}, { principal: bob })).structuredContent, { leases: [], total: 0 })
})

t.test('listLeases says that leases of other agents under the same token are in the list, and marks those of session keys', async (t) => {
  const { call } = await toolBench({ phones: fleet() })
  await call('acquireDevice', { device: 'a-tablet' })
  await call('acquireDevice', { device: 'b-phone' }, { sessionKey: 'other' })
  await call('acquireDevice', { device: 'c-phone' }, { sessionKey: 'own' })

  const { text, structuredContent } = await call('listLeases', {}, { sessionKey: 'own' })
  const first = await call('listLeases', { limit: 1 }, { sessionKey: 'own' })
  const keyless = await call('listLeases')

  t.same(structuredContent.leases.map(({ device, hasSessionKey, mine }: any) => [device, hasSessionKey, mine]), [
    ['c-phone', true, true], ['a-tablet', undefined, undefined], ['b-phone', true, undefined]
  ])
  t.equal(structuredContent.total, 3)
  t.match(text, /ms mine \(of your session key\)\n.*ms\n.*ms of a session key\nAll agents under your token are one holder.*leave it\.$/)
  t.match(first.structuredContent, { leases: { length: 1, 0: { device: 'c-phone' } }, total: 3 })
  t.match(first.text, /\n\(2 more\)$/)
  t.same(keyless.structuredContent.leases.map(({ mine }: any) => mine), [undefined, undefined, undefined])
  for (const limit of [0, 201, 1.5]) await t.rejects(call('listLeases', { limit }), { name: 'ZodError' })
})

t.test('listLeases marks the lease of the session key, and shows one that only a running call keeps as expiring', async (t) => {
  const { call, leases } = await toolBench()
  await call('acquireDevice', {}, { sessionKey: 'hash' })
  leases.isExpiring = () => true

  const { text, structuredContent } = await call('listLeases', {}, { sessionKey: 'hash' })

  t.match(text, /ms expiring mine \(of your session key\)$/)
  t.match(structuredContent, { leases: [{ state: 'expiring', mine: true, hasSessionKey: true }] })
  t.equal((await call('listLeases', {}, { sessionKey: 'other' })).structuredContent.leases[0].mine, undefined)
})

t.test('listLeases shows what its caller waits for, and nobody else\'s requests', async (t) => {
  const { call, acquire } = await toolBench({ time: manualTime() })
  const lease = await acquire()
  const waiting = call('acquireDevice', { waitMs: 60_000, platform: 'android', purpose: 'next test' })
  await idle()

  const { text, structuredContent } = await call('listLeases')

  t.match(text, /leave it\.\nwaiting for a phone: position 1 in the queue.* "next test"$/)
  t.match(structuredContent.waiting, [{ wanted: [{ platform: 'android' }], position: 1, priority: 'normal', since: String, purpose: 'next test' }])
  t.strictSame((await call('listLeases', {}, { principal: bob })).structuredContent, { leases: [], total: 0 })
  await call('releaseDevice', { lease })
  await waiting
  t.equal((await call('listLeases')).structuredContent.waiting, undefined)
})

t.test('RPC-10, CALL-08, D-20: another principal\'s lease and one that never was are the same refusal, in every tool', async (t) => {
  const { call, acquire, tools } = await toolBench({ shows })
  const theirs = await acquire()
  const rest: Record<string, Record<string, unknown>> = {
    waitFor: { for: { text: 'x' } },
    tapOn: { target: { x: 1, y: 1 } },
    swipeOn: { direction: 'down' },
    inputText: { text: 'x' },
    pressButton: { button: 'home' },
    rotate: { orientation: 'portrait' },
    launchApp: { app: 'a' },
    terminateApp: { app: 'a' },
    openLink: { url: 'shop:1' },
    setDeviceState: { locale: 'de-DE' },
    installApp: { app: 'a' },
    uninstallApp: { app: 'a' },
    clearAppData: { app: 'a' },
    setPermission: { app: 'a', permission: 'camera', state: 'granted' },
    putFile: { path: 'a', text: '' },
    removeFile: { path: 'a' },
    recordScreen: { action: 'start' }
  }

  for (const { name } of tools.filter(({ input }) => 'lease' in input.shape)) {
    const refusal = async (lease: string) => await call(name, { lease, ...rest[name] }, { principal: bob }).then(() => 'no refusal', (error) => JSON.stringify(error))
    const answer = await refusal(theirs)
    t.match(answer, '"code":"lease_unknown"', name)
    t.equal(answer, await refusal('ls_never'), name)
  }
  t.match((await call('observe', { lease: theirs })).structuredContent, { rev: 1 }, 'and its holder goes on')
})

t.test('a lease that has ended is refused with the reason, and its screens are forgotten', async (t) => {
  const { call, acquire, advance, screens } = await toolBench({ shows })
  const lease = await acquire()
  await call('observe', { lease })
  advance(600_000)

  await t.rejects(call('observe', { lease }), { code: 'lease_ended', details: { reason: 'expired' }, nextAction: /acquireDevice/ })

  t.equal(screens.of({ handle: lease, deviceId: 'phone-1', fence: 1 }).latest(), undefined)
})
