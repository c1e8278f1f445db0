import t from 'tap'
import { fakePool, type FakeDriver } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { pass, request } from '../support/pool-moves.ts'
import { sequenceIds } from '../support/sequence-ids.ts'

/** Stores that answer at once, and ones that let everything overlap; and how to take a step meanwhile. */
const stores = [
  { pause: undefined, step: async () => {} },
  { pause: idle, step: idle }
]
const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

async function settle () {
  for (let i = 0; i < 30; i++) await idle()
}

/** As a process would be that was killed: its phones and the store are what is left. */
async function setup (pause: (() => Promise<void>) | undefined, phones: readonly FakeDriver[] = fakePool(1)) {
  return await leaseBench({ phones, store: memoryLeaseStore(pause && { pause }) })
}

t.test('a caller who leaves while its device is being granted has no lease, and the next in the queue has the device', async (t) => {
  for (const { pause, step } of stores) {
    for (const delay of steps) {
      const { leases, acquire, phone, stateOf } = await setup(pause)
      const { handle } = await acquire()
      const leaving = request(leases, 'ann')
      const next = request(leases, 'ben')
      const releasing = leases.release({ handle, holder: alice })

      for (let i = 0; i < delay; i++) await step()
      leaving.leave()
      await releasing
      await settle()

      // Who has had the lease in hand before it left keeps it; nobody else can have known.
      const holders = (await leases.list()).map(({ holder }) => holder.principal)
      t.strictSame(holders, leaving.now() === 'cancelled' ? ['ben'] : ['ann'], `after ${delay} steps`)
      t.equal(next.now(), leaving.now() === 'cancelled' ? 'phone-1' : 'waiting')
      t.equal(await stateOf(), 'leased')
      t.strictSame(phone.obeyed.map(({ operation }) => operation), ['restoreHome'], 'nothing to clean after a grant nobody saw')
    }
  }
})

t.test('a caller whose wait is over while its device is being granted gets what comes of it', async (t) => {
  const { leases, acquire, phone, time } = await setup(undefined)
  const { handle } = await acquire()
  const served = request(leases, 'ann', { waitMs: 5_000 })
  const probe = phone.hold('bootId')
  await leases.release({ handle, holder: alice })
  await probe.begun
  time.advance(1_000)
  await idle()
  t.equal(served.now(), 'waiting')
  probe.finish()
  t.equal((await served.outcome).deviceId, 'phone-1')

  const refused = request(leases, 'ben', { waitMs: 1_000 })
  const silence = phone.hold('bootId')
  await leases.release({ handle: (await served.outcome).handle, holder: { principal: 'ann' } })
  await silence.begun
  await idle()
  time.advance(1_000)
  await idle()
  t.equal(refused.now(), 'waiting', 'its time is over, and it is being served')
  time.advance(1_000)
  await idle()
  t.equal(refused.now(), 'wait_timed_out')
})

t.test('of two requests for one device one has it, and the other the next turn', async (t) => {
  for (const { pause } of stores) {
    const { leases, phone } = await setup(pause)
    const both = [request(leases, 'ann'), request(leases, 'ben')]
    await settle()

    t.strictSame(both.map(({ now }) => now()), ['phone-1', 'waiting'])
    const lease = await both[0]?.outcome
    if (lease) await leases.release({ handle: lease.handle, holder: lease.holder })
    t.equal((await both[1]?.outcome)?.deviceId, 'phone-1')
    t.equal(phone.mostAtOnce, 1)
  }
})

t.test('a release and the loss of the device at the same time end the lease once', async (t) => {
  for (const { pause, step } of stores) {
    for (const delay of steps) {
      const { leases, acquire, phone, time, changes, stateOf } = await setup(pause)
      const { handle } = await acquire()
      phone.boot = 'boot-2'
      time.advance(5_000)
      for (let i = 0; i < delay; i++) await step()
      const releasing = leases.release({ handle, holder: alice }).then(() => 'released', (refusal: { details: { reason: string } }) => refusal.details.reason)
      await settle()

      t.ok(['released', 'device_restarted'].includes(await releasing), await releasing)
      t.equal(changes.filter(({ ended }) => ended !== undefined).length, 1)
      t.equal(phone.obeyed.length, 1)
      t.equal(await stateOf(), 'free')
    }
  }
})

t.test('a revocation and a use at the same time: either the work runs and is aborted, or it is refused', async (t) => {
  for (const { pause, step } of stores) {
    for (const delay of steps) {
      const { leases, acquire, phone } = await setup(pause)
      const { handle } = await acquire()
      const signal = new AbortController().signal
      const using = leases.use({ handle, holder: alice, signal, kind: 'control' }, async ({ lease, driver, signal }) => {
        await driver.clearText({ fence: lease.fence, signal })
      }).then(() => 'worked', (refusal: { code: string }) => refusal.code)

      for (let i = 0; i < delay; i++) await step()
      await leases.operations.revoke({ handle, reason: 'x', by: 'op' })
      await settle()

      t.ok(['worked', 'lease_ended'].includes(await using), await using)
      t.equal(phone.obeyed.at(-1)?.operation, 'restoreHome')
    }
  }
})

t.test('a drain or a block while a device is being granted: it is leased before, or not at all', async (t) => {
  for (const { pause, step } of stores) {
    for (const delay of steps) {
      const { leases, stateOf } = await setup(pause)
      const asking = request(leases, 'ann')
      for (let i = 0; i < delay; i++) await step()
      await leases.operations.block({ device: 'phone-1', reason: 'x', by: 'op' })
      await settle()

      t.equal(await stateOf(), asking.now() === 'waiting' ? 'blocked' : 'leased')
      t.equal((await leases.list()).length, asking.now() === 'waiting' ? 0 : 1)
      await leases.operations.unblock({ device: 'phone-1', by: 'op' })
      t.equal((await asking.outcome).deviceId, 'phone-1')
    }
  }
})

t.test('an idle end and a control call at the same time agree on one outcome', async (t) => {
  for (const { pause, step } of stores) {
    for (const delay of steps) {
      const bench = await leaseBench({ store: memoryLeaseStore(pause && { pause }), settings: { idleMs: 60_000 } })
      const { leases, acquire, time, stateOf } = bench
      const { handle } = await acquire()
      time.advance(59_999)
      const using = leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async () => 'used')
        .catch((refusal: { code: string }) => refusal.code)
      for (let i = 0; i < delay; i++) await step()
      time.advance(1)
      await settle()

      t.equal(await stateOf(), await using === 'used' ? 'leased' : 'free', await using)
    }
  }
})

t.test('a process killed at any step of a grant leaves a lease or none, and a device that somebody can have', async (t) => {
  for (const delay of steps) {
    const store = memoryLeaseStore({ pause: idle })
    const phones = fakePool(1)
    const ids = sequenceIds()
    const before = await leaseBench({ phones, store, ids })
    const asking = request(before.leases, alice.principal)
    for (let i = 0; i < delay; i++) await idle()
    const told = asking.now()

    const after = await leaseBench({ phones, store, ids })
    await settle()
    const live = await after.leases.list()

    if (told === 'phone-1') t.equal(live.length, 1, 'what was told is there')
    t.equal(await after.stateOf(), live.length === 1 ? 'leased' : 'free')
    const next = request(after.leases, 'ben')
    await pass(after.time, ttlMs, 60_000)
    await settle()
    t.equal(next.now(), 'phone-1', 'what nobody was told of is over in its time')
  }
})

t.test('a process killed in the middle of a cleanup leaves the device dirty, and the next cleans it before anybody has it', async (t) => {
  const store = memoryLeaseStore()
  const phones = fakePool(1)
  const ids = sequenceIds()
  const before = await leaseBench({ phones, store, ids })
  const { handle } = await before.acquire()
  const cut = before.phone.hold('restoreHome', { deaf: true })
  before.leases.release({ handle, holder: alice }).catch(() => {})
  await cut.begun

  const cleanup = before.phone.hold('restoreHome')
  const after = await leaseBench({ phones, store, ids })
  const waiting = request(after.leases, 'ben')
  await settle()
  t.equal(waiting.now(), 'waiting')
  cleanup.finish()

  t.equal((await waiting.outcome).fence, 3)
})

t.test('a wall clock that jumps while somebody waits, holds or is cleaned after changes nothing for them', async (t) => {
  for (const byMs of [-86_400_000, 86_400_000]) {
    const { leases, acquire, time } = await setup(undefined, fakePool(2))
    await acquire(alice)
    const { handle } = await acquire(bob)
    const waiting = request(leases, 'ann', { waitMs: 60_000 })
    time.setWallClock(byMs)
    await pass(time, 59_000)
    t.equal((await leases.list()).length, 2)
    t.equal(waiting.now(), 'waiting')
    t.equal(leases.waiting()[0]?.sinceMs, time.clock.nowMs() - 59_000)

    await leases.release({ handle, holder: bob })

    t.equal((await waiting.outcome).deviceId, 'phone-2')
    t.equal((await waiting.outcome).grantedAtMs, time.clock.nowMs())
  }
})

t.test('a grant that cannot be recorded fails a caller that does not wait; one that waits has the device when it can be', async (t) => {
  const memory = memoryLeaseStore()
  let isBroken = false
  const { leases, acquire, time } = await leaseBench({
    store: {
      ...memory,
      changeAll: async (events) => {
        if (isBroken) throw new Error('disk gone')
        return await memory.changeAll(events)
      }
    }
  })
  isBroken = true
  await t.rejects(acquire(), { message: 'disk gone' })
  const waiting = request(leases, 'ann')
  await pass(time, 5_000)
  t.equal(waiting.now(), 'waiting')
  isBroken = false

  await pass(time, 1_000)
  t.equal(waiting.now(), 'phone-1')
  t.strictSame(leases.waiting(), [])
})

t.test('a grant that is taken back but cannot be recorded so ends in its time', async (t) => {
  const memory = memoryLeaseStore()
  const caller = new AbortController()
  const { leases, stateOf, time } = await leaseBench({
    store: {
      ...memory,
      change: async (event) => {
        if (event.type === 'end' && event.reason === 'undelivered') throw new Error('disk gone')
        return await memory.change(event)
      },
      changeAll: async (events) => {
        const changed = await memory.changeAll(events)
        if (events[0]?.type === 'grant') caller.abort()
        return changed
      }
    }
  })

  await t.rejects(leases.acquire({ holder: alice, selector: {}, signal: caller.signal }), { code: 'cancelled' })
  t.equal(await stateOf(), 'leased')
  await pass(time, ttlMs, 60_000)
  await idle()

  t.equal(await stateOf(), 'free')
})

t.test('of several leases that are taken back, one that has ended meanwhile does not keep the others', async (t) => {
  const memory = memoryLeaseStore()
  const caller = new AbortController()
  const phones = fakePool(2)
  const { leases, lines } = await leaseBench({
    phones,
    store: {
      ...memory,
      changeAll: async (events) => {
        const changed = await memory.changeAll(events)
        const [first] = changed ?? []
        if (first?.lease !== undefined) {
          const { deviceId, handle, fence, grantedAtMs: nowMs } = first.lease
          await memory.change({ type: 'end', deviceId, handle, fence, reason: 'revoked', nowMs })
          caller.abort()
        }
        return changed
      }
    }
  })

  await t.rejects(leases.acquireAll({ holder: alice, wanted: { one: {}, other: {} }, signal: caller.signal }), { code: 'cancelled' })
  await idle()

  t.strictSame(await leases.list(), [])
  t.match(await memory.lease('ls_0000000000000000000001'), { state: 'ended', end: { reason: 'revoked' } })
  t.match(await memory.occupancies(), [{ device: { state: 'free' } }, { device: { state: 'free', fence: 2 } }])
  t.strictSame(phones.map(({ obeyed }) => obeyed.length), [1, 0], 'the one that was ended has been cleaned')
  t.strictSame(lines.flatMap((line) => /^grant taken back.*"device":"(.*?)"/.exec(line)?.[1] ?? []), ['phone-2'])
})

t.test('a change that was made though the store has failed is found out, and the device is put in order', async (t) => {
  const memory = memoryLeaseStore()
  let isCutOff = false
  const { leases, acquire, time, phone, stateOf, changes } = await leaseBench({
    store: {
      ...memory,
      change: async (event) => {
        const changed = await memory.change(event)
        if (isCutOff && event.type === 'end') throw new Error('connection lost')
        return changed
      },
      occupancies: async () => {
        if (isCutOff) throw new Error('connection lost')
        return await memory.occupancies()
      }
    }
  })
  const { handle } = await acquire()
  changes.splice(0)
  isCutOff = true
  await t.rejects(leases.release({ handle, holder: alice }), { message: 'connection lost' })
  await pass(time, 20_000)
  t.equal(await stateOf(), 'leased')

  isCutOff = false
  await pass(time, 5_000)

  t.equal(await stateOf(), 'free')
  t.strictSame(phone.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  t.match(changes, [{ ended: { handle, end: { reason: 'released' } } }, { ended: undefined }])
  t.equal((await acquire(bob)).fence, 3)
})

t.test('a grant that was made though the store has failed ends in its time', async (t) => {
  const memory = memoryLeaseStore()
  let isCutOff = false
  const { acquire, time, stateOf } = await leaseBench({
    store: {
      ...memory,
      changeAll: async (events) => {
        const changed = await memory.changeAll(events)
        if (isCutOff) throw new Error('connection lost')
        return changed
      }
    }
  })
  isCutOff = true
  await t.rejects(acquire(), { message: 'connection lost' })
  await pass(time, 5_000)

  t.equal(await stateOf(), 'leased')
  await pass(time, ttlMs, 60_000)
  t.equal(await stateOf(), 'free')
})
