import t from 'tap'
import { breakableStore } from '../support/breakable-store.ts'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { manualTime } from '../support/manual-time.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import type { LeaseUse } from '../../src/leases/contract/lease-manager.ts'

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  // Long enough for what these tests are not about.
  const bench = await leaseBench({ settings: { longestVetoMs: 86_400_000, idleMs: 86_400_000 }, ...options })
  const { handle } = await bench.acquire()
  const signal = new AbortController().signal
  return { ...bench, handle, claim: { handle, holder: alice }, request: { handle, holder: alice, signal, kind: 'control' as const } }
}

const tap = ({ lease, driver, signal }: LeaseUse) => driver.tap({ x: 1, y: 1 }, { count: 1, holdMs: 0 }, { fence: lease.fence, signal })

t.test('a lease ends at the instant it expires, not before, and its device is cleaned', async (t) => {
  const { leases, claim, phone, stateOf, time } = await setup()
  time.advance(ttlMs - 1)
  await idle()
  t.equal(await stateOf(), 'leased')

  time.advance(1)
  await idle()

  t.equal(await stateOf(), 'free')
  t.strictSame(phone.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  await t.rejects(leases.renew(claim), {
    code: 'lease_ended', details: { reason: 'expired', endedAt: new Date(time.clock.nowMs()).toISOString() }
  })
})

t.test('a lease is over at its instant even if its end has not come through', async (t) => {
  const disk = breakableStore()
  const { leases, claim, request, time } = await setup({ store: disk.store })
  disk.isBroken = true
  time.advance(ttlMs)
  await idle()
  disk.isBroken = false

  t.strictSame(await leases.list(), [])
  t.equal(await leases.isHolding(claim), false)
  await t.rejects(leases.use(request, async () => t.fail('began')), { code: 'lease_ended', details: { reason: 'expired' } })
  await t.rejects(leases.release(claim), { code: 'lease_ended', details: { reason: 'expired' } })
})

t.test('renewal at the instant of expiry is too late; a tick before it is not', async (t) => {
  for (const pause of [undefined, idle]) {
    const late = await setup({ store: memoryLeaseStore(pause && { pause }) })
    late.time.advance(ttlMs)
    await t.rejects(late.leases.renew(late.claim), { code: 'lease_ended' })

    const justInTime = await setup({ store: memoryLeaseStore(pause && { pause }) })
    justInTime.time.advance(ttlMs - 1)
    await justInTime.leases.renew(justInTime.claim)
    justInTime.time.advance(1)
    for (let i = 0; i < 5; i++) await idle()
    t.equal(await justInTime.stateOf(), 'leased')
  }
})

t.test('expiry and renewal under way together agree on one outcome', async (t) => {
  for (let delay = 0; delay < 12; delay++) {
    const { leases, claim, stateOf, time } = await setup({ store: memoryLeaseStore({ pause: idle }) })
    time.advance(ttlMs - 1)

    const renewing = leases.renew(claim).then(() => 'renewed', (refusal: { code: string }) => refusal.code)
    for (let step = 0; step < delay; step++) await idle()
    time.advance(1)
    const outcome = await renewing
    for (let i = 0; i < 20; i++) await idle()

    t.equal(await stateOf(), outcome === 'renewed' ? 'leased' : 'free')
    t.ok(['renewed', 'lease_ended'].includes(outcome), outcome)
  }
})

t.test('calls that come too late do not keep the lease for one another', async (t) => {
  const manual = manualTime()
  let isTicking = false
  const clock = {
    ...manual.clock,
    monotonicMs: () => {
      if (isTicking) manual.stall(1)
      return manual.clock.monotonicMs()
    }
  }
  const { leases, request, claim } = await setup({ time: { ...manual, clock }, store: memoryLeaseStore({ pause: idle }) })
  manual.advance(ttlMs - 3)
  const outcome = (attempt: Promise<unknown>) => attempt.then(() => 'let in', (refusal: { code: string }) => refusal.code)

  // The first look finds the lease good for two ticks more, which are over when the store is asked.
  isTicking = true
  const first = outcome(leases.use(request, async () => {}))
  await idle()
  const attempts = [first, outcome(leases.use(request, async () => {})), outcome(leases.renew(claim))]

  t.strictSame(await Promise.all(attempts), ['lease_ended', 'lease_ended', 'lease_ended'])
})

t.test('running work keeps its lease; a full ttl runs from its end', async (t) => {
  const { leases, request, phone, stateOf, time } = await setup()
  const tapping = phone.hold('tap')
  const using = leases.use(request, tap)
  await tapping.begun

  time.advance(3 * ttlMs)
  await idle()
  t.equal(await stateOf(), 'leased')
  t.equal((await leases.list(alice)).length, 1)
  await leases.renew({ handle: request.handle, holder: alice })
  time.advance(2 * ttlMs)
  await idle()
  t.equal(await leases.use(request, async () => 'a second call beside it'), 'a second call beside it')
  time.advance(2 * ttlMs)
  await idle()

  tapping.finish()
  await using
  time.advance(ttlMs - 1)
  await idle()
  t.equal(await stateOf(), 'leased')
  time.advance(1)
  await idle()
  t.equal(await stateOf(), 'free')
})

t.test('a lease with running work does not hold off the expiry of others', async (t) => {
  const { leases, request, phone, acquire, stateOf, time } = await setup({ phones: fakePool(2) })
  await acquire(bob)
  const tapping = phone.hold('tap')
  const using = leases.use(request, tap)
  await tapping.begun

  time.advance(ttlMs)
  await idle()

  t.equal(await stateOf('phone-1'), 'leased')
  t.equal(await stateOf('phone-2'), 'free')
  tapping.finish()
  await using
})

t.test('a lease has one timer, whatever may end it and however much it is used', async (t) => {
  const { leases, time, acquire } = await leaseBench({ phones: fakePool(10) })
  const timersBefore = time.timers()
  const signal = new AbortController().signal
  for (let i = 0; i < 9; i++) await acquire()
  const short = await leases.acquire({ holder: alice, selector: {}, ttlMs: 30_000, heartbeatMs: 60_000, signal })
  const claim = { handle: short.handle, holder: alice }
  await leases.operations.drain({ device: short.deviceId, reason: 'moving', deadlineMs: 100_000, by: 'op' })
  for (let i = 0; i < 5; i++) {
    await leases.use({ ...claim, signal, kind: 'control' }, async () => {})
    await leases.renew(claim)
    await leases.heartbeat(claim)
  }

  t.equal(time.timers(), timersBefore + 10)
  time.advance(30_000)
  await idle()

  await t.rejects(leases.renew(claim), { code: 'lease_ended' })
  t.equal((await leases.list()).length, 9)
  t.equal(time.timers(), timersBefore + 9)
})

t.test('a wall clock that jumps changes the length of no lease, only how its end is shown', async (t) => {
  for (const byMs of [-3_600_000, 3_600_000]) {
    const { leases, claim, stateOf, time } = await setup()
    time.advance(1_000)
    time.setWallClock(byMs)

    t.equal((await leases.list())[0]?.expiresAtMs, time.clock.nowMs() + ttlMs - 1_000)
    t.equal((await leases.renew(claim)).expiresAtMs, time.clock.nowMs() + ttlMs)
    time.advance(ttlMs - 1)
    await idle()
    t.equal(await stateOf(), 'leased')
    time.advance(1)
    await idle()

    t.equal(await stateOf(), 'free')
    await t.rejects(leases.renew(claim), { code: 'lease_ended', details: { endedAt: new Date(time.clock.nowMs()).toISOString() } })
  }
})

t.test('a stall of ours takes no time from a lease', async (t) => {
  const { stateOf, time } = await setup()

  time.stall(2 * ttlMs)
  time.advance(ttlMs - 1_001)
  await idle()
  t.equal(await stateOf(), 'leased')
  time.advance(1_001)
  await idle()

  t.equal(await stateOf(), 'free')
})

t.test('an end by time that could not be recorded is tried again until it is', async (t) => {
  const disk = breakableStore()
  const { time, stateOf, lines } = await setup({ store: disk.store })
  disk.isBroken = true
  time.advance(ttlMs)
  await idle()
  t.match(lines.join('\n'), /could not be ended in time/)
  t.equal(await stateOf(), 'leased')

  time.advance(60_000)
  await idle()
  t.equal(await stateOf(), 'leased')

  disk.isBroken = false
  time.advance(5_000)
  await idle()

  t.equal(await stateOf(), 'free')
})

t.test('an ended handle is answered with its reason for a day, then it is unknown', async (t) => {
  const { leases, claim, store, time } = await setup()
  await leases.release(claim)

  time.advance(86_400_000 - 600_000)
  await idle()
  await t.rejects(leases.renew(claim), { code: 'lease_ended' })
  time.advance(1_200_000)
  await idle()

  await t.rejects(leases.renew(claim), { code: 'lease_unknown' })
  t.equal(await store.lease(claim.handle), undefined)
})

t.test('nothing grows with the leases that came and went', async (t) => {
  const { leases, acquire, time, store } = await leaseBench({ settings: { keepEndedMs: 60_000 } })
  const timersBefore = time.timers()
  const handles: string[] = []
  for (let i = 0; i < 200; i++) {
    const { handle } = await acquire(i % 2 ? alice : bob)
    handles.push(handle)
    if (i % 3 === 0) time.advance(ttlMs)
    else await leases.release({ handle, holder: i % 2 ? alice : bob })
    await idle()
  }

  time.advance(1_200_000)
  await idle()

  t.equal(time.timers(), timersBefore)
  t.strictSame((await Promise.all(handles.map((handle) => store.lease(handle)))).filter(Boolean), [])
})

t.test('a stopped manager expires nothing, aborts what runs, and moves no expiry for it', async (t) => {
  const { leases, request, phone, store, handle, time } = await setup()
  const tapping = phone.hold('tap')
  const using = leases.use(request, tap)
  await tapping.begun
  // The timer has looked and left the lease to its work.
  time.advance(2 * ttlMs)
  await idle()
  const before = await store.lease(handle)

  await leases.stop()

  await t.rejects(using, { code: 'cancelled' })
  t.equal(time.timers(), 0)
  t.equal(before?.state, 'granted')
  t.strictSame(await store.lease(handle), before)
})

t.test('a stop in the middle of a look leaves the leases alone', async (t) => {
  const { leases, store, handle, time } = await setup({ store: memoryLeaseStore({ pause: idle }) })
  time.advance(ttlMs)

  await leases.stop()

  for (let i = 0; i < 10; i++) await idle()
  t.equal((await store.lease(handle))?.state, 'granted')
  t.equal(time.timers(), 0)
})
