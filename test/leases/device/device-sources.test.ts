import t from 'tap'
import type { DeviceSink, DeviceSource } from '../../../src/devices/device-source.ts'
import { idle } from '../../support/idle.ts'
import { fakeDriver, type FakeDriver } from '../../support/fake-driver.ts'
import { alice, bob, leaseBench, type LeaseBench } from '../../support/lease-bench.ts'
import { memoryLeaseStore } from '../../support/memory-lease-store.ts'
import { pass, request } from '../../support/pool-moves.ts'

const by = 'issuer\u0000operator'
const control = { kind: 'control', signal: new AbortController().signal } as const

/** A source that tells of what the test says. */
function testSource (first: readonly FakeDriver[] = []) {
  let sink: DeviceSink | undefined
  const source: DeviceSource = {
    async start (started) {
      sink = started
      await Promise.all(first.map((driver) => started.appeared(driver)))
    },
    async stop () {}
  }
  const started = () => {
    if (sink === undefined) throw new Error('the source has not been started')
    return sink
  }
  return {
    source,
    appear: (driver: FakeDriver) => started().appeared(driver),
    lose: (id: string) => started().gone(id, { kind: 'lost', reason: 'The cable is out.' }),
    remove: (id: string, lease: 'goes_on' | 'ends') => started().gone(id, { kind: 'removed', reason: 'it is old', by, lease })
  }
}

/** A phone that remembers whether it was closed. */
function phone (id: string, boot = 'boot-1') {
  const driver = fakeDriver({ id })
  const closed = { times: 0 }
  driver.boot = boot
  driver.close = async () => { closed.times++ }
  return Object.assign(driver, { closed })
}

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const first = phone('phone-1')
  const from = testSource([first])
  const bench = await leaseBench({ sources: [from.source], phones: [first], ...options })
  return { ...bench, ...from, first, states: () => states(bench) }
}

async function states ({ leases }: Pick<LeaseBench, 'leases'>) {
  return (await leases.devices()).map(({ description: { id }, state }) => `${id} ${state}`)
}

const whyEnded = async ({ leases }: LeaseBench, handle: string) => {
  return await leases.renew({ handle, holder: alice }).then(() => undefined, ({ details }: { details: { reason: string, note?: string } }) => details)
}

t.test('a device that appears while a request waits is granted to it at once, and its appearance is told', async (t) => {
  const { leases, acquire, appear, changes, states } = await setup()
  await acquire()
  const waiting = request(leases, 'ann')
  changes.splice(0)

  await appear(phone('phone-2'))

  t.equal((await waiting.outcome).deviceId, 'phone-2')
  t.strictSame(changes.map(({ deviceId }) => deviceId), ['phone-2', 'phone-2'])
  t.strictSame(await states(), ['phone-1 leased', 'phone-2 leased'])
  t.equal(leases.hasDevice('phone-2'), true)
})

t.test('a device that does not answer when it appears is offline until it does', async (t) => {
  const { appear, states, time } = await setup()
  const second = phone('phone-2')
  second.boot = undefined

  await appear(second)

  t.strictSame(await states(), ['phone-1 free', 'phone-2 offline'])
  second.boot = 'boot-1'
  await pass(time, 1_000)
  t.strictSame(await states(), ['phone-1 free', 'phone-2 free'])
})

t.test('a device that an earlier lease has left dirty is cleaned when it appears, before it is granted', async (t) => {
  const store = memoryLeaseStore()
  const dirty = phone('phone-2')
  const before = await leaseBench({ store, phones: [dirty] })
  await before.acquire()

  const { leases, appear, states } = await setup({ store })
  const waiting = request(leases, 'ann', { selector: { device: 'phone-2' } })
  t.equal((await waiting.outcome.catch((refusal: { code: string }) => refusal.code)), 'no_such_device')
  const cleanup = dirty.hold('restoreHome')
  await appear(dirty)
  t.strictSame(await states(), ['phone-1 free', 'phone-2 quarantined'])
  cleanup.finish()
  await idle()

  t.strictSame(await states(), ['phone-1 free', 'phone-2 free'])
})

t.test('a lease whose device is lost waits for it, its calls are refused, and in the same boot it goes on with the new driver', async (t) => {
  const { leases, acquire, first, appear, lose, states, time, phone: { description: { id } } } = await setup()
  const { handle, fence } = await acquire()
  const claim = { handle, holder: alice }

  await lose(id)

  t.strictSame(await states(), ['phone-1 offline'])
  t.match(await leases.devices(), [{ reason: 'The cable is out.' }])
  await t.rejects(leases.use({ ...claim, ...control }, async () => t.fail('began')), { code: 'device_offline', retryable: true })
  t.equal(first.closed.times, 1)
  await pass(time, 100_000, 5_000)
  const again = phone('phone-1')
  await appear(again)

  t.strictSame(await states(), ['phone-1 leased'])
  await leases.use({ ...claim, ...control }, async ({ driver, signal }) => await driver.clearText({ fence, signal }))
  t.strictSame(again.obeyed, [{ operation: 'clearText', fence: 1 }])
})

t.test('a lost device that is back in another boot has lost its lease, and is cleaned', async (t) => {
  const bench = await setup()
  const { handle } = await bench.acquire()
  await bench.lose('phone-1')
  const again = phone('phone-1', 'boot-2')

  await bench.appear(again)
  await idle()

  t.match(await whyEnded(bench, handle), { reason: 'device_restarted' })
  t.strictSame(again.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  t.match(await bench.acquire(bob), { bootId: 'boot-2', fence: 3 })
})

t.test('a lost device that stays away for two minutes has lost its lease, and is cleaned when it is back', async (t) => {
  const bench = await setup()
  const { handle } = await bench.acquire()
  await bench.lose('phone-1')
  await pass(bench.time, 119_999, 9_999)
  t.equal((await bench.leases.list()).length, 1)
  await pass(bench.time, 1)

  t.match(await whyEnded(bench, handle), { reason: 'device_lost' })
  t.match(await bench.leases.devices(), [{ state: 'quarantined', reason: /does not answer/ }])
  const timers = bench.time.timers()
  await pass(bench.time, 600_000, 60_000)
  t.equal(bench.time.timers(), timers, 'nothing is tried without a driver')
  await bench.appear(phone('phone-1'))
  await idle()
  t.strictSame(await bench.states(), ['phone-1 free'])
})

t.test('a lost free device is offline, then gone, and a request goes on waiting for it', async (t) => {
  const { leases, lose, appear, states, time } = await setup()
  await lose('phone-1')
  const waiting = request(leases, 'ann')
  await idle()
  t.strictSame(await states(), ['phone-1 offline'])
  await pass(time, 120_000, 10_000)
  t.strictSame(await states(), ['phone-1 gone'])
  t.equal(waiting.now(), 'waiting')

  await appear(phone('phone-1'))

  t.equal((await waiting.outcome).deviceId, 'phone-1')
})

t.test('work under way on a device that is lost ends as offline, and its driver can do nothing any more', async (t) => {
  const { leases, acquire, first, lose, appear } = await setup()
  const { handle, fence } = await acquire()
  const tapping = first.hold('tap')
  let driver: { clearText: typeof first.clearText } | undefined
  const using = leases.use({ handle, holder: alice, ...control }, async (use) => {
    driver = use.driver
    await use.driver.tap({ x: 1, y: 1 }, { count: 1, holdMs: 0 }, { fence, signal: use.signal })
  })
  await tapping.begun

  await lose('phone-1')

  await t.rejects(using, { code: 'device_offline', retryable: true })
  await appear(phone('phone-1'))
  await t.rejects(Promise.resolve(driver?.clearText({ fence, signal: new AbortController().signal })), { code: 'lease_fenced' })
  t.strictSame(first.obeyed.map(({ operation }) => operation), ['tap'])
})

t.test('a cleanup of a device that is lost is broken off at once, and made when it is back', async (t) => {
  const { leases, acquire, first, lose, appear, states } = await setup()
  const { handle } = await acquire()
  const cleanup = first.hold('restoreHome', { deaf: true })
  const releasing = leases.release({ handle, holder: alice })
  await cleanup.begun

  await lose('phone-1')

  t.match(await releasing, { failed: [/does not answer/], lease: { state: 'ended' } })
  t.strictSame(await states(), ['phone-1 quarantined'])
  const again = phone('phone-1')
  await appear(again)
  await idle()
  t.strictSame(await states(), ['phone-1 free'])
  t.strictSame(again.obeyed, [{ operation: 'restoreHome', fence: 2 }])
})

t.test('a driver that comes for a device that is there takes the place of the one before', async (t) => {
  const { leases, acquire, first, appear } = await setup()
  const { handle, fence } = await acquire()
  const again = phone('phone-1')

  await appear(again)

  await leases.use({ handle, holder: alice, ...control }, async ({ driver, signal }) => await driver.clearText({ fence, signal }))
  t.strictSame([first.obeyed.length, first.closed.times, again.obeyed.length, again.closed.times], [0, 1, 1, 0])
  await appear(again)
  t.equal(again.closed.times, 0, 'the same driver again is no other one')
})

t.test('a removed device without a lease leaves the pool at once; that is in the audit, and its drain does not outlive it', async (t) => {
  const { leases, first, remove, appear, acquire, changes, time } = await setup()
  const timers = time.timers()

  await remove('phone-1', 'goes_on')
  await idle()

  t.strictSame(await leases.devices(), [])
  t.equal(leases.hasDevice('phone-1'), false)
  t.equal(first.closed.times, 1)
  t.equal(time.timers(), timers - 1, 'it is not looked at any more')
  t.match(await leases.operations.audit({ limit: 9 }), [{ event: 'remove', by }, { event: 'drain', by, reason: 'it is old' }])
  t.equal(changes.at(-1)?.deviceId, 'phone-1')
  await t.rejects(acquire(), { code: 'no_such_device' })
  await t.rejects(leases.operations.drain({ device: 'phone-1', reason: 'x', by }), { code: 'device_unknown' })

  await appear(phone('phone-1'))
  t.equal((await acquire()).deviceId, 'phone-1')
})

t.test('a removed device keeps its lease until that is over, is granted to no other request, and leaves when it is clean', async (t) => {
  const { leases, acquire, first, remove, states } = await setup()
  const { handle, fence } = await acquire()
  const waiting = request(leases, 'ann')

  await remove('phone-1', 'goes_on')

  await t.rejects(waiting.outcome, { code: 'no_such_device' })
  t.strictSame(await states(), ['phone-1 draining'])
  await leases.operations.undrain({ by })
  t.strictSame(await states(), ['phone-1 draining'], 'lifting the drain does not call it back')
  await leases.use({ handle, holder: alice, ...control }, async ({ driver, signal }) => await driver.clearText({ fence, signal }))
  await t.rejects(acquire(bob), { code: 'no_such_device' })
  await leases.release({ handle, holder: alice })
  await idle()

  t.strictSame(await states(), [])
  t.strictSame(first.obeyed.map(({ operation }) => operation), ['clearText', 'restoreHome'])
  t.equal(first.closed.times, 1)
})

t.test('a removal by order ends the lease, with the operator\'s reason', async (t) => {
  const bench = await setup()
  const { handle } = await bench.acquire()

  await bench.remove('phone-1', 'ends')

  t.match(await whyEnded(bench, handle), { reason: 'drained', note: 'it is old' })
  await idle()
  const audit = await bench.leases.operations.audit({ limit: 9 })
  t.match(audit.find(({ event }) => event === 'end'), { by, reason: 'drained: it is old' })
  t.strictSame(await bench.states(), [])
})

t.test('a removal that waits for a lease can be made to end it', async (t) => {
  const bench = await setup()
  const { handle } = await bench.acquire()
  await bench.remove('phone-1', 'goes_on')
  t.equal((await bench.leases.list()).length, 1)

  await bench.remove('phone-1', 'ends')
  await idle()

  t.match(await whyEnded(bench, handle), { reason: 'drained' })
  t.strictSame(await bench.states(), [])
})

t.test('a removed device that cannot be cleaned leaves all the same, and is cleaned if it ever comes back', async (t) => {
  const { leases, acquire, first, remove, appear, states } = await setup()
  const { handle } = await acquire()
  await remove('phone-1', 'goes_on')
  first.failingCleanups = 1

  await leases.release({ handle, holder: alice })
  await idle()

  t.strictSame(await states(), [])
  const again = phone('phone-1')
  await appear(again)
  await idle()
  t.strictSame(await states(), ['phone-1 free'])
  t.strictSame(again.obeyed, [{ operation: 'restoreHome', fence: 2 }])
})

t.test('a device that appears again while it is being removed stays, and is drained no longer', async (t) => {
  const { leases, acquire, remove, appear, states } = await setup()
  const { handle } = await acquire()
  await remove('phone-1', 'goes_on')

  await appear(phone('phone-1'))
  await idle()

  t.strictSame(await states(), ['phone-1 leased'])
  await leases.release({ handle, holder: alice })
  t.strictSame(await states(), ['phone-1 free'])
})

t.test('a request that comes while a device is removed and added is granted it when it is back', async (t) => {
  for (const pause of [undefined, idle]) {
    for (let delay = 0; delay < 12; delay++) {
      const { leases, acquire, remove, appear } = await setup({ store: memoryLeaseStore(pause && { pause }) })
      await appear(phone('phone-2'))
      await acquire(alice, { device: 'phone-2' })
      const moves = [remove('phone-1', 'goes_on'), appear(phone('phone-1'))]
      for (let step = 0; step < delay; step++) await (pause ?? (async () => {}))()
      const waiting = request(leases, 'ann')
      await Promise.all(moves)
      for (let i = 0; i < 30; i++) await idle()

      t.equal(waiting.now(), 'phone-1', `after ${delay} steps`)
    }
  }
})

t.test('a removal that cannot be recorded is refused, and changes nothing', async (t) => {
  const memory = memoryLeaseStore()
  let isBroken = false
  const { acquire, remove, states } = await setup({
    store: {
      ...memory,
      change: async (event) => {
        if (isBroken) throw new Error('disk gone')
        return await memory.change(event)
      }
    }
  })
  isBroken = true

  await t.rejects(remove('phone-1', 'goes_on'), { message: 'disk gone' })

  isBroken = false
  t.strictSame(await states(), ['phone-1 free'])
  t.equal((await acquire()).deviceId, 'phone-1')
})

t.test('a removal whose lease cannot be ended now ends it as soon as that can be recorded', async (t) => {
  const memory = memoryLeaseStore()
  let isBroken = false
  const bench = await setup({
    store: {
      ...memory,
      change: async (event) => {
        if (isBroken && event.type === 'end') throw new Error('disk gone')
        return await memory.change(event)
      }
    }
  })
  const { handle } = await bench.acquire()
  isBroken = true
  await t.rejects(bench.remove('phone-1', 'ends'), { message: 'disk gone' })
  await pass(bench.time, 60_000)
  t.equal((await bench.leases.list()).length, 1)
  isBroken = false
  await pass(bench.time, 5_000)

  t.match(await whyEnded(bench, handle), { reason: 'drained' })
  t.strictSame(await bench.states(), [])
})

t.test('a device belongs to the source that has it; a driver from another is refused and closed', async (t) => {
  const one = testSource([phone('phone-1')])
  const other = testSource()
  const bench = await leaseBench({ sources: [one.source, other.source] })
  const stranger = phone('phone-1')

  await t.rejects(other.appear(stranger), /two drivers/)
  await other.lose('phone-1')

  t.equal(stranger.closed.times, 1)
  t.strictSame(await states(bench), ['phone-1 free'])
  await one.lose('phone-1')
  await other.appear(phone('phone-1'))
  t.strictSame(await states(bench), ['phone-1 free'], 'a phone may be plugged in elsewhere')
})

t.test('a device that cannot be recorded is not in the pool, and its source is told', async (t) => {
  const memory = memoryLeaseStore()
  let isBroken = false
  const { appear, states } = await setup({
    store: {
      ...memory,
      enroll: async (ids) => {
        if (isBroken) throw new Error('disk gone')
        await memory.enroll(ids)
      }
    }
  })
  isBroken = true
  const second = phone('phone-2')

  await t.rejects(appear(second), { message: 'disk gone' })

  t.equal(second.closed.times, 1)
  isBroken = false
  await appear(phone('phone-2'))
  t.strictSame(await states(), ['phone-1 free', 'phone-2 free'])
})

t.test('comings and goings of one device take their turns, however slow the store is', async (t) => {
  const { appear, lose, remove, states } = await setup({ store: memoryLeaseStore({ pause: idle }) })

  await Promise.all([
    appear(phone('phone-2')),
    lose('phone-2'),
    appear(phone('phone-2', 'boot-2')),
    remove('phone-2', 'goes_on'),
    appear(phone('phone-2', 'boot-3'))
  ])
  for (let i = 0; i < 30; i++) await idle()

  t.match((await states()).at(-1), /phone-2 free/)
})

t.test('a stop closes all drivers, and one that comes later is closed at once', async (t) => {
  const { leases, first, appear, time } = await setup()
  const second = phone('phone-2')
  await appear(second)

  await leases.stop()
  const late = phone('phone-3')
  await t.rejects(appear(late), { code: 'leases_unavailable' })

  t.strictSame([first, second, late].map(({ closed }) => closed.times), [1, 1, 1])
  t.equal(time.timers(), 0)
})

t.test('a free device that goes away by itself is offline at the next look, and free again when it is back', async (t) => {
  const { first, states, time, changes } = await setup()
  first.boot = undefined

  await pass(time, 5_000)
  t.strictSame(await states(), ['phone-1 offline'])
  first.boot = 'boot-2'
  await pass(time, 2_000)

  t.strictSame(await states(), ['phone-1 free'])
  t.equal(changes.length, 2)
})
