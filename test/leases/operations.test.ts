import t from 'tap'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { breakableStore } from '../support/breakable-store.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { pass, request } from '../support/pool-moves.ts'

const by = 'issuer\u0000operator'

async function setup () {
  const bench = await leaseBench({ phones: fakePool(2) })
  const { operations } = bench.leases
  const states = async () => (await bench.leases.devices()).map(({ state }) => state)
  const events = async () => (await operations.audit({ limit: 20 })).map(({ event, deviceId }) => `${event} ${deviceId}`).reverse()
  return { ...bench, operations, states, events }
}

t.test('a draining device keeps its lease and gets no other; who waits gets it once it drains no longer', async (t) => {
  const { leases, acquire, operations, states } = await setup()
  const { handle } = await acquire(alice, { device: 'phone-1' })

  t.strictSame(await operations.drain({ device: 'phone-1', reason: 'new battery', by }), ['phone-1'])

  t.match(await leases.devices(), [{ state: 'draining', reason: 'new battery', holds: [{ kind: 'drain', by }], lease: { handle } }, { state: 'free' }])
  await leases.renew({ handle, holder: alice })
  await leases.release({ handle, holder: alice })
  t.strictSame(await states(), ['draining', 'free'])
  const waiting = request(leases, 'ann', { selector: { device: 'phone-1' } })
  await idle()
  t.equal(waiting.now(), 'waiting')

  t.strictSame(await operations.undrain({ device: 'phone-1', by }), ['phone-1'])

  t.equal((await waiting.outcome).deviceId, 'phone-1')
})

t.test('all devices drain at once, and without a deadline for as long as it takes', async (t) => {
  const { leases, acquire, operations, states, time } = await setup()
  await acquire()

  t.strictSame(await operations.drain({ reason: 'moving', by }), ['phone-1', 'phone-2'])

  t.strictSame(await states(), ['draining', 'draining'])
  await t.rejects(acquire(bob), { code: 'devices_on_hold', details: { states: { draining: 2 } } })
  await pass(time, 500_000, 100_000)
  t.equal((await leases.list()).length, 1)
  t.strictSame(await operations.undrain({ by }), ['phone-1', 'phone-2'])
  t.strictSame(await operations.undrain({ by }), [])
  t.strictSame(await states(), ['leased', 'free'])
})

t.test('at the deadline of a drain what is still leased is taken', async (t) => {
  const { leases, acquire, operations, time, states } = await setup()
  const { handle } = await acquire()
  await operations.drain({ reason: 'moving', deadlineMs: 60_000, by })
  t.equal((await leases.devices())[0]?.holds[0]?.deadlineAtMs, time.clock.nowMs() + 60_000)

  await pass(time, 59_999)
  t.equal((await leases.list()).length, 1)
  await pass(time, 1)

  await t.rejects(leases.renew({ handle, holder: alice }), {
    code: 'lease_ended', message: /takes the device out of use: moving/, details: { reason: 'drained', note: 'moving' }
  })
  t.strictSame(await states(), ['draining', 'draining'])
})

t.test('a drain that was lifted or laid anew has its old deadline no longer', async (t) => {
  const { leases, acquire, operations, time } = await setup()
  await acquire(alice, { device: 'phone-1' })
  await acquire(alice, { device: 'phone-2' })
  await operations.drain({ reason: 'moving', deadlineMs: 60_000, by })

  await operations.undrain({ device: 'phone-1', by })
  await operations.drain({ device: 'phone-2', reason: 'moving later', deadlineMs: 90_000, by })
  await pass(time, 60_000)
  t.equal((await leases.list()).length, 2)
  await pass(time, 30_000)

  t.strictSame((await leases.list()).map(({ deviceId }) => deviceId), ['phone-1'])
})

t.test('a blocked device gets no lease, and the one it has goes on', async (t) => {
  const { leases, acquire, operations, states } = await setup()
  const { handle } = await acquire(alice, { device: 'phone-1' })

  await operations.block({ device: 'phone-1', reason: 'it smokes', by })
  await operations.block({ device: 'phone-2', reason: 'it smokes', by })

  t.strictSame(await states(), ['leased', 'blocked'])
  t.match((await leases.devices())[1], { reason: 'it smokes', holds: [{ kind: 'block', by }] })
  await t.rejects(acquire(bob), { code: 'devices_on_hold', details: { states: { leased: 1, blocked: 1 } } })
  await operations.unblock({ device: 'phone-1', by })
  t.match(await leases.renew({ handle, holder: alice }), { state: 'granted' })
  await operations.block({ device: 'phone-1', reason: 'it smokes', by })
  await leases.release({ handle, holder: alice })
  t.strictSame(await states(), ['blocked', 'blocked'])
})

t.test('a drain and a block stand side by side, and each is lifted by its own order', async (t) => {
  const { leases, operations, states } = await setup()
  await operations.block({ device: 'phone-2', reason: 'it smokes', by })

  t.strictSame(await operations.drain({ reason: 'moving', by }), ['phone-1', 'phone-2'])
  t.strictSame(await states(), ['draining', 'blocked'])
  t.match((await leases.devices())[1], { reason: 'it smokes', holds: [{ kind: 'block' }, { kind: 'drain', reason: 'moving' }] })

  await operations.unblock({ device: 'phone-2', by })
  t.strictSame(await states(), ['draining', 'draining'], 'a repaired device does not leave a drain of all')
  await operations.block({ device: 'phone-2', reason: 'it smokes again', by })
  t.strictSame(await operations.undrain({ by }), ['phone-1', 'phone-2'])
  t.strictSame(await states(), ['free', 'blocked'])
})

t.test('the deadline of a drain counts under a block too, whichever came first', async (t) => {
  const { leases, acquire, operations, states, time } = await setup()
  await acquire(alice, { device: 'phone-1' })
  await acquire(alice, { device: 'phone-2' })
  await operations.block({ device: 'phone-1', reason: 'it smokes', by })
  await operations.drain({ reason: 'moving', deadlineMs: 60_000, by })
  await operations.block({ device: 'phone-2', reason: 'it smokes', by })
  t.strictSame(await states(), ['draining', 'draining'])

  await pass(time, 59_999)
  t.equal((await leases.list()).length, 2)
  await pass(time, 1)

  t.strictSame(await leases.list(), [])
  t.strictSame(await states(), ['blocked', 'blocked'])
})

t.test('a revoked lease is over at once, with the reason, and its work is aborted', async (t) => {
  const { leases, acquire, operations, phone } = await setup()
  const { handle } = await acquire()
  const tapping = phone.hold('tap')
  const using = leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async ({ lease, driver, signal }) => {
    await driver.tap({ x: 1, y: 1 }, { count: 1, holdMs: 0 }, { fence: lease.fence, signal })
  })
  await tapping.begun

  t.match(await operations.revoke({ handle, reason: 'needed elsewhere', by }), { handle, end: { reason: 'revoked', note: 'needed elsewhere' } })

  await t.rejects(using, { code: 'lease_ended', details: { reason: 'revoked', note: 'needed elsewhere' } })
  await t.rejects(operations.revoke({ handle, reason: 'again', by }), { code: 'lease_ended' })
  await t.rejects(operations.revoke({ handle: 'ls_none', reason: 'x', by }), { code: 'lease_unknown' })
  await idle()
  t.strictSame(phone.obeyed.map(({ operation, fence }) => [operation, fence]), [['tap', 1], ['restoreHome', 2]])
  t.match((await operations.audit({ limit: 1 }))[0], { event: 'end', by, reason: 'revoked: needed elsewhere', lease: handle.slice(0, 6), principal: alice.principal })
})

t.test('a device that is not in the pool is refused by name', async (t) => {
  const { operations } = await setup()
  const request = { device: 'phone-9', reason: 'x', by }

  for (const operation of [operations.drain, operations.undrain, operations.block, operations.unblock, operations.retry]) {
    await t.rejects(async () => { await operation(request) }, { code: 'device_unknown', details: { device: 'phone-9' } })
  }
})

t.test('a quarantined device is tried again when an operator says so, and an offline one looked for', async (t) => {
  const { leases, acquire, operations, phone, states, time } = await setup()
  const { handle } = await acquire()
  phone.failingCleanups = 1
  await leases.release({ handle, holder: alice })
  t.strictSame(await states(), ['quarantined', 'free'])
  const timersBefore = time.timers()

  await operations.retry({ device: 'phone-1', by })

  t.strictSame(await states(), ['free', 'free'])
  t.equal(time.timers(), timersBefore - 1, 'the try that was to come is not made')
  phone.boot = undefined
  await t.rejects(acquire(alice, { device: 'phone-1' }), { code: 'capacity_exhausted' })
  t.strictSame(await states(), ['offline', 'free'])
  phone.boot = 'boot-1'
  await operations.retry({ device: 'phone-1', by })
  t.strictSame(await states(), ['free', 'free'])
})

t.test('everything that happened is in the audit, in order, with when', async (t) => {
  const { leases, acquire, operations, events, phone, time } = await setup()
  const { handle } = await acquire()
  await operations.drain({ device: 'phone-1', reason: 'moving', by })
  phone.failingCleanups = 1
  await leases.release({ handle, holder: alice })
  await operations.undrain({ device: 'phone-1', by })
  await operations.block({ device: 'phone-2', reason: 'x', by })
  await operations.unblock({ device: 'phone-2', by })
  await pass(time, 5_000)

  t.strictSame(await events(), [
    'grant phone-1', 'drain phone-1', 'end phone-1', 'quarantine phone-1', 'undrain phone-1', 'block phone-2', 'unblock phone-2', 'return phone-1'
  ])
  time.setWallClock(3_600_000)
  t.equal((await operations.audit({ limit: 1 }))[0]?.atMs, time.clock.nowMs())
})

t.test('the audit is kept for as long as is set', async (t) => {
  const bench = await leaseBench({ settings: { keepAuditMs: 3_900_000 } })
  await bench.acquire()
  await pass(bench.time, 3_000_000, 600_000)
  const before = await bench.leases.operations.audit({ limit: 9 })
  await pass(bench.time, 1_200_000, 600_000)

  t.strictSame(before.map(({ event }) => event), ['end', 'grant'])
  t.strictSame((await bench.leases.operations.audit({ limit: 9 })).map(({ event }) => event), ['end'])
})

t.test('nothing is done before the start and after the stop', async (t) => {
  const { leases } = await leaseBench({ start: false })

  await t.rejects(leases.operations.drain({ reason: 'x', by }), { code: 'leases_unavailable' })
  await t.rejects(leases.operations.audit({ limit: 1 }), { code: 'leases_unavailable' })
})

t.test('a stall of ours moves the deadline of a drain too', async (t) => {
  const { leases, acquire, operations, time } = await setup()
  await acquire()
  await operations.drain({ reason: 'moving', deadlineMs: 60_000, by })

  time.stall(120_000)
  await pass(time, 58_000)
  t.equal((await leases.list()).length, 1)
  await pass(time, 3_000)

  t.equal((await leases.list()).length, 0)
})

t.test('a deadline of a drain at which the store fails is kept once it works again', async (t) => {
  const disk = breakableStore()
  const bench = await leaseBench({ phones: fakePool(2), store: disk.store })
  const { handle } = await bench.acquire()
  await bench.leases.operations.drain({ reason: 'moving', deadlineMs: 60_000, by })
  disk.isBroken = true
  await pass(bench.time, 120_000, 10_000)
  t.equal((await bench.leases.list()).length, 1)

  disk.isBroken = false
  await pass(bench.time, 5_000)

  await t.rejects(bench.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'drained', note: 'moving' } })
})
