import t from 'tap'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { fakeDriver, fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs, type LeaseBench } from '../support/lease-bench.ts'
import { manualTime } from '../support/manual-time.ts'
import { scratchFile } from '../support/scratch-file.ts'
import { sequenceIds } from '../support/sequence-ids.ts'

type Phones = LeaseBench['phones']

/**
 * Runs a process over a database file, then one after it. The first ends without stopping, as
 * if it were killed: its memory and its timers are gone, its phones and the file remain.
 */
async function processes (t: { teardown (work: () => unknown): void }) {
  const file = scratchFile(t)
  let store = openSqliteStore({ file })
  t.teardown(() => store.close())
  const ids = sequenceIds()
  let startMs = Date.UTC(2026, 0, 1)

  return {
    async next (phones: Phones, { downMs = 0 } = {}) {
      await store.close()
      store = openSqliteStore({ file })
      startMs += downMs
      const bench = await leaseBench({ store: store.leases, phones, ids, time: manualTime(startMs) })
      await idle()
      return bench
    }
  }
}

t.test('a lease awaits its owner when its device is still in the same boot, and goes on with the first use', async (t) => {
  const run = await processes(t)
  const phones = fakePool(2)
  const before = await run.next(phones)
  const lease = await before.acquire()

  const after = await run.next(phones, { downMs: 5_000 })

  const awaiting = {
    ...lease,
    state: 'awaiting_owner',
    expiresAtMs: lease.expiresAtMs + 5_000,
    mustEndAtMs: lease.mustEndAtMs + 5_000,
    lastControlAtMs: lease.lastControlAtMs + 5_000
  }
  t.strictSame(await after.leases.list(), [awaiting])
  t.match(await after.leases.devices(), [{ state: 'leased', lease: awaiting }, { state: 'free' }])
  await t.rejects(after.leases.renew({ handle: lease.handle, holder: bob }), { code: 'lease_unknown' })
  await after.leases.use({ handle: lease.handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async ({ driver, signal }) => {
    await driver.clearText({ fence: lease.fence, signal })
  })
  t.strictSame(phones[0]?.obeyed, [{ operation: 'clearText', fence: 1 }])
  t.match(await after.leases.list(), [{ state: 'granted', fence: 1 }])
})

t.test('any sign of its owner makes a lease go on', async (t) => {
  const run = await processes(t)
  const phones = fakePool(3)
  const before = await run.next(phones)
  const [first, second, third] = [await before.acquire(), await before.acquire(), await before.acquire()]

  const after = await run.next(phones)
  await after.leases.renew({ handle: first.handle, holder: alice })
  t.equal(await after.leases.heartbeat({ handle: second.handle, holder: alice }), 'ok')

  t.strictSame((await after.leases.devices()).map(({ lease }) => lease?.state), ['granted', 'granted', 'awaiting_owner'])
  t.equal(await after.leases.heartbeat({ handle: third.handle, holder: bob }), 'unknown')
  t.equal((await after.store.lease(third.handle))?.state, 'awaiting_owner')
})

t.test('time in which nobody could use a lease is forgiven', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  await before.acquire()
  before.time.advance(60_000)
  await idle()

  const after = await run.next(phones, { downMs: 2 * ttlMs })
  after.time.advance(ttlMs - 60_001)
  await idle()
  t.equal(await after.stateOf(), 'leased')
  after.time.advance(1)
  await idle()

  t.equal(await after.stateOf(), 'free')
})

t.test('however the wall clock was set meanwhile, a lease has the time left that it had', async (t) => {
  for (const downMs of [-30 * 86_400_000, 30 * 86_400_000]) {
    const run = await processes(t)
    const phones = fakePool(1)
    const before = await run.next(phones)
    const { handle } = await before.acquire()

    const after = await run.next(phones, { downMs })

    t.equal((await after.leases.list())[0]?.expiresAtMs, after.time.clock.nowMs() + ttlMs)
    after.time.advance(ttlMs - 1)
    await idle()
    t.equal((await after.leases.list()).length, 1)
    after.time.advance(1)
    await idle()
    await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'expired' } })
  }
})

t.test('a lease whose time was almost over has 15 seconds, and is then given up', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const { handle } = await before.acquire()
  before.time.advance(ttlMs - 3_000)
  await idle()

  const after = await run.next(phones)
  after.time.advance(14_999)
  await idle()
  t.match(await after.leases.list(), [{ state: 'awaiting_owner' }])
  after.time.advance(1)
  await idle()

  t.equal(await after.stateOf(), 'free')
  await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'owner_lost' } })
})

t.test('a lease that has time left after 15 seconds goes on without its owner', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  await before.acquire()

  const after = await run.next(phones)
  after.time.advance(15_000)
  await idle()

  t.match(await after.leases.list(), [{ state: 'granted' }])
})

t.test('a process that dies while leases await their owners leaves them to the next', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const { handle } = await before.acquire()
  const between = await run.next(phones, { downMs: 1_000 })
  t.match(await between.leases.list(), [{ state: 'awaiting_owner' }])

  const after = await run.next(phones, { downMs: 1_000 })

  t.match(await after.leases.list(), [{ state: 'awaiting_owner', expiresAtMs: after.time.clock.nowMs() + ttlMs }])
  await after.leases.release({ handle, holder: alice })
  t.equal(await after.stateOf(), 'free')
})

t.test('a lease on a device that has restarted has ended so', async (t) => {
  const run = await processes(t)
  const phone = fakeDriver()
  const before = await run.next([phone])
  const { handle } = await before.acquire()
  phone.boot = 'boot-2'

  const after = await run.next([phone])

  await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'device_restarted' } })
  t.strictSame(phone.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  t.match(await after.acquire(bob), { bootId: 'boot-2', fence: 3 })
})

t.test('a lease on a device that is gone from the pool is lost; the device is cleaned when it is back', async (t) => {
  const run = await processes(t)
  const phones = fakePool(2)
  const before = await run.next(phones)
  const { handle } = await before.acquire(alice, { device: 'phone-1' })

  const without = await run.next(phones.slice(1))
  await t.rejects(without.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'device_lost' } })
  t.equal((await without.leases.devices()).length, 1)
  t.match(await without.store.occupancies(), [{ device: { state: 'quarantined', reason: 'The device is not in the pool.' } }, {}])
  await t.rejects(without.acquire(bob, { device: 'phone-1' }), { code: 'no_such_device' })

  const back = await run.next(phones)
  t.equal(await back.stateOf('phone-1'), 'free')
  t.strictSame(phones[0]?.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  t.equal((await back.acquire(bob, { device: 'phone-1' })).fence, 3)
})

t.test('a lease on a device that does not answer within 15 seconds is lost, and the device waits in quarantine', async (t) => {
  for (const leftMs of [ttlMs, 3_000]) {
    const run = await processes(t)
    const phone = fakeDriver()
    const before = await run.next([phone])
    const { handle } = await before.acquire()
    before.time.advance(ttlMs - leftMs)
    await idle()
    phone.boot = undefined
    phone.failingCleanups = 1

    const after = await run.next([phone])
    t.equal(await after.stateOf(), 'offline')
    const use = after.leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'look' }, async () => t.fail('began'))
    await t.rejects(use, { code: 'device_offline', retryable: true })
    for (let passedMs = 0; passedMs < 15_000; passedMs += 1_000) {
      t.equal((await after.leases.list()).length, 1)
      after.time.advance(1_000)
      await idle()
    }

    await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'device_lost' } })
    t.equal(await after.stateOf(), 'quarantined')
    phone.boot = 'boot-2'
    after.time.advance(5_000)
    await idle()
    t.equal(await after.stateOf(), 'free')
  }
})

t.test('a device that answers late, in the same boot, is adopted', async (t) => {
  const run = await processes(t)
  const phone = fakeDriver()
  const before = await run.next([phone])
  const { handle } = await before.acquire()
  phone.boot = undefined

  const after = await run.next([phone])
  after.time.advance(9_000)
  await idle()
  phone.boot = 'boot-1'
  const used = after.leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async () => 'used')

  t.equal(await used, 'used')
  after.time.advance(15_000)
  await idle()
  t.match(await after.leases.devices(), [{ state: 'leased', lease: { state: 'granted', handle } }])
})

t.test('holds, the audit and the deadline of a drain outlive the process', async (t) => {
  const run = await processes(t)
  const phones = fakePool(2)
  const before = await run.next(phones)
  const { handle } = await before.acquire(alice, { device: 'phone-1' })
  await before.leases.operations.drain({ device: 'phone-1', reason: 'new battery', deadlineMs: 60_000, by: 'op' })
  await before.leases.operations.block({ device: 'phone-2', reason: 'it smokes', by: 'op' })

  const after = await run.next(phones, { downMs: 30_000 })

  t.strictSame((await after.leases.devices()).map(({ state }) => state), ['draining', 'blocked'])
  t.strictSame((await after.leases.operations.audit({ limit: 9 })).map(({ event }) => event), ['block', 'drain', 'grant'])
  after.time.advance(29_999)
  await idle()
  t.equal((await after.leases.list()).length, 1)
  after.time.advance(1)
  await idle()
  await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'drained', note: 'new battery' } })
})

t.test('a device that was being cleaned is cleaned again before anybody gets it', async (t) => {
  const run = await processes(t)
  const phone = fakeDriver()
  const before = await run.next([phone])
  const { handle } = await before.acquire()
  const cut = phone.hold('restoreHome', { deaf: true })
  before.leases.release({ handle, holder: alice }).catch(() => {})
  await cut.begun

  const cleanup = phone.hold('restoreHome')
  const after = await run.next([phone])
  await t.rejects(after.acquire(bob), { code: 'device_cleanup_in_progress' })
  const joining = after.leases.release({ handle, holder: alice })
  cleanup.finish()

  t.match(await joining, { releasedNow: false, cleaned: ['apps stopped'], lease: { state: 'ended' } })
  t.equal((await after.acquire(bob)).fence, 3)
})

t.test('a quarantined device is still quarantined, and tried at once', async (t) => {
  const run = await processes(t)
  const phone = fakeDriver()
  const before = await run.next([phone])
  const { handle } = await before.acquire()
  phone.failingCleanups = 2
  await before.leases.release({ handle, holder: alice })

  const after = await run.next([phone])
  t.equal(await after.stateOf(), 'quarantined')
  after.time.advance(5_000)
  await idle()

  t.equal(await after.stateOf(), 'free')
})

t.test('a clean device is not cleaned', async (t) => {
  const run = await processes(t)
  const phone = fakeDriver()
  const before = await run.next([phone])
  const { handle } = await before.acquire()
  await before.leases.release({ handle, holder: alice })

  await run.next([phone])

  t.equal(phone.obeyed.length, 1)
})

t.test('a released handle stays refused, and released, in every later process', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const { handle } = await before.acquire()
  await before.leases.release({ handle, holder: alice })

  const after = await run.next(phones, { downMs: 3_600_000 })

  await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'released' } })
  t.match(await after.leases.release({ handle, holder: alice }), { releasedNow: false, lease: { state: 'ended' } })
})

t.test('a handle that ended long ago is unknown from the start', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const { handle } = await before.acquire()
  await before.leases.release({ handle, holder: alice })

  const after = await run.next(phones, { downMs: 86_400_000 })

  await t.rejects(after.leases.renew({ handle, holder: alice }), { code: 'lease_unknown' })
})

t.test('fences go on rising', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const fences: number[] = []
  for (let i = 0; i < 4; i++) {
    const bench = await run.next(phones)
    const { handle, fence } = await bench.acquire()
    fences.push(fence)
    await bench.leases.release({ handle, holder: alice })
  }

  t.strictSame(fences, [1, 3, 5, 7])
})

t.test('a former holder is fenced off from the first moment of the new process', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const first = await before.acquire()
  await before.leases.release({ handle: first.handle, holder: alice })
  const second = await before.acquire(bob)

  const after = await run.next(phones)

  await after.leases.use({ handle: second.handle, holder: bob, signal: new AbortController().signal, kind: 'control' }, async ({ driver, signal }) => {
    await t.rejects(driver.clearText({ fence: first.fence, signal }), { code: 'lease_fenced' })
  })
})

t.test('a stop in good order leaves leases to the next process', async (t) => {
  const run = await processes(t)
  const phones = fakePool(1)
  const before = await run.next(phones)
  const lease = await before.acquire()
  await before.leases.stop()

  const after = await run.next(phones)

  t.strictSame(await after.leases.list(alice), [{ ...lease, state: 'awaiting_owner' }])
})
