import t from 'tap'
import { fakeDriver, fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import type { DeviceSelector, QueuePosition } from '../../src/leases/contract/lease-manager.ts'
import { CancelledRefusal } from '../../src/refusals/cancellation.ts'
import { pass, request } from '../support/pool-moves.ts'

t.test('a waiting request gets the device once it is released and clean, in order of arrival', async (t) => {
  const { leases, acquire, phone } = await leaseBench()
  const { handle } = await acquire()
  const first = request(leases, 'ann')
  const second = request(leases, 'ben')
  await idle()
  t.strictSame([first.positions, second.positions], [[1], [2]])

  const cleanup = phone.hold('restoreHome')
  const releasing = leases.release({ handle, holder: alice })
  await cleanup.begun
  t.strictSame([first.now(), second.now()], ['waiting', 'waiting'])
  cleanup.finish()
  await releasing
  await idle()

  t.strictSame([first.now(), second.now()], ['phone-1', 'waiting'])
  const lease = await first.outcome
  t.equal(lease.fence, 3)
  await leases.release({ handle: lease.handle, holder: lease.holder })
  t.equal((await second.outcome).fence, 5)
})

t.test('a position is told on joining and again when it has changed', async (t) => {
  const { leases, acquire, time } = await leaseBench()
  await acquire()
  const first = request(leases, 'ann')
  const second = request(leases, 'ben')

  await pass(time, 3_000)
  first.leave()
  await pass(time, 3_000)

  t.strictSame(second.positions, [2, 1])
})

t.test('a position is told again when its estimate has moved by more than five seconds, but not because time passes', async (t) => {
  const { leases, acquire, time } = await leaseBench()
  const { handle } = await acquire()
  const positions: QueuePosition[] = []
  request(leases, 'ann', { onWaiting: (position) => { positions.push(position) } })

  await idle()
  await pass(time, 60_000)
  t.strictSame(positions, [{ position: 1, estimateMs: ttlMs }])
  await leases.renew({ handle, holder: alice, ttlMs: ttlMs - 55_000 })
  await pass(time, 1_000)
  t.equal(positions.length, 1, 'five seconds later than before')
  await leases.renew({ handle, holder: alice, ttlMs })
  await pass(time, 1_000)
  t.strictSame(positions.slice(1), [{ position: 1, estimateMs: ttlMs - 1_000 }])
})

t.test('a wait comes with an estimate', async (t) => {
  const { leases, acquire } = await leaseBench()
  await acquire()
  const estimates: Array<number | undefined> = []

  request(leases, 'ann', { onWaiting: ({ estimateMs }) => { estimates.push(estimateMs) } })
  await idle()

  t.strictSame(estimates, [ttlMs])
})

t.test('a request leaves the queue at once when its caller is gone', async (t) => {
  const { leases, acquire } = await leaseBench()
  const { handle } = await acquire()
  const first = request(leases, 'ann')
  const second = request(leases, 'ben')

  first.leave()
  t.equal(leases.waiting().length, 1)
  await leases.release({ handle, holder: alice })
  await idle()

  t.strictSame([first.now(), second.now()], ['cancelled', 'phone-1'])
})

t.test('a wait that is over is refused with the position it had come to', async (t) => {
  const { leases, acquire, time } = await leaseBench()
  await acquire()
  request(leases, 'ann')
  const second = request(leases, 'ben', { waitMs: 5_000 })
  const timersBefore = time.timers()

  await pass(time, 4_999)
  t.equal(second.now(), 'waiting')
  await pass(time, 1)

  await t.rejects(second.outcome, { code: 'wait_timed_out', retryable: true, details: { position: 2 } })
  t.equal(leases.waiting().length, 1)
  t.equal(time.timers(), timersBefore - 1)
})

t.test('a request is not charged for time in which this process was stalled', async (t) => {
  const { leases, acquire, time } = await leaseBench()
  const { handle } = await acquire()
  const lasting = request(leases, 'ann', { waitMs: 60_000 })
  const short = request(leases, 'ben', { waitMs: 10_000 })
  await pass(time, 1_000)

  // A second of it passes before it counts as a stall.
  time.stall(60_000)
  await pass(time, 7_999)
  t.strictSame([lasting.now(), short.now()], ['waiting', 'waiting'])
  await pass(time, 1)
  t.equal(short.now(), 'wait_timed_out')

  await leases.release({ handle, holder: alice })
  await idle()
  t.equal(lasting.now(), 'phone-1')
})

t.test('a request that does not wait does not overtake one that does, and is refused', async (t) => {
  const { leases, acquire, phone } = await leaseBench()
  const { handle } = await acquire()
  const waiting = request(leases, 'ann')
  const probe = phone.hold('bootId')
  await leases.release({ handle, holder: alice })
  await probe.begun

  await t.rejects(acquire(bob), { code: 'capacity_exhausted', details: { matching: 1 } })

  probe.finish()
  t.equal((await waiting.outcome).deviceId, 'phone-1')
})

t.test('a refusal says how many requests wait for such a device', async (t) => {
  const { leases, acquire } = await leaseBench({ phones: [fakeDriver(), fakeDriver({ id: 'iphone', platform: 'ios' })] })
  await acquire()
  await acquire()
  request(leases, 'ann')
  request(leases, 'ben', { selector: { platform: 'ios' } })

  await t.rejects(acquire(bob, { platform: 'android' }), { code: 'capacity_exhausted', details: { waiting: 1 } })
})

t.test('a request that cannot be served blocks none behind it', async (t) => {
  const { leases, acquire } = await leaseBench({ phones: fakePool(2) })
  await acquire(alice, { device: 'phone-1' })
  const stuck = request(leases, 'ann', { selector: { device: 'phone-1' } })

  t.equal((await request(leases, 'ben').outcome).deviceId, 'phone-2')
  t.equal(stuck.now(), 'waiting')
})

t.test('a higher priority goes first, and a lower one in its time', async (t) => {
  const { leases, acquire, time } = await leaseBench({ settings: { topPriority: 'high', firstUseMs: 600_000 } })
  const { handle } = await acquire()
  const low = request(leases, 'ann', { priority: 'low' })
  const high = request(leases, 'ben', { priority: 'high' })
  await leases.release({ handle, holder: alice })
  t.equal((await high.outcome).deviceId, 'phone-1')

  // Two bands up takes two minutes; from then on no request gets in front.
  await pass(time, 120_000, 10_000)
  const late = request(leases, 'cal', { priority: 'high' })
  await leases.release({ handle: (await high.outcome).handle, holder: { principal: 'ben' } })
  await idle()

  t.strictSame([low.now(), late.now()], ['phone-1', 'waiting'])
})

t.test('a priority above the highest that is allowed is refused', async (t) => {
  const { leases } = await leaseBench()
  const lowOnly = await leaseBench({ settings: { topPriority: 'low' } })

  await t.rejects(request(leases, 'ann', { priority: 'high' }).outcome, { code: 'priority_not_allowed', retryable: false, details: { highest: 'normal' } })
  t.equal((await lowOnly.acquire()).priority, 'low')
})

t.test('several devices are had at one instant or not at all', async (t) => {
  const { leases, acquire, phones } = await leaseBench({ phones: fakePool(3) })
  const taken = await acquire(bob, { device: 'phone-2' })
  const signal = new AbortController().signal
  const wanted = { left: { device: 'phone-1' }, right: { device: 'phone-2' } }

  await t.rejects(leases.acquireAll({ holder: alice, wanted, signal }), {
    code: 'capacity_exhausted',
    message: 'The 2 devices cannot be had all at once now; 1 of them must be device "phone-2", and of that sort 0 can be had.',
    details: { matching: 2, states: { free: 1, leased: 1 }, short: { wanted: 1, available: 0, sorts: ['device "phone-2"'] } }
  })
  const both = leases.acquireAll({ holder: alice, wanted, waitMs: 60_000, signal })
  await idle()
  t.equal((await leases.list(alice)).length, 0, 'nothing is held while waiting')
  await leases.release({ handle: taken.handle, holder: bob })

  const { left, right } = await both
  t.strictSame([left?.deviceId, right?.deviceId], ['phone-1', 'phone-2'])
  t.equal(phones[2]?.obeyed.length, 0)
})

t.test('several devices that the pool does not have together are refused at once', async (t) => {
  const { leases } = await leaseBench({ phones: fakePool(2) })
  const signal = new AbortController().signal

  const refused = async (wanted: Readonly<Record<string, DeviceSelector>>) => {
    return await leases.acquireAll({ holder: alice, wanted, waitMs: 60_000, signal }).then(() => t.fail('was granted'), (refusal: unknown) => refusal)
  }

  t.match(await refused({ a: {}, b: {}, c: {} }), {
    code: 'too_many_devices', retryable: false, nextAction: /at most 2 of them/, details: { wanted: 3, matching: 2, atOnce: 2 }
  })
  t.match(await refused({ a: { device: 'phone-1' }, b: { device: 'phone-1' } }), { code: 'too_many_devices', details: { wanted: 2, matching: 1, atOnce: 1 } })
  t.match(await refused({ a: {}, b: { platform: 'ios' } }), { code: 'no_such_device', message: 'No device of the pool is like this: ios.' })
})

t.test('of several devices the sort that is short is named, with how many are wanted and how many there are', async (t) => {
  const phones = [
    fakeDriver({ id: 'a', labels: ['lab', 'slow'] }), fakeDriver({ id: 'b', labels: ['lab'] }),
    fakeDriver({ id: 'c', platform: 'ios', labels: ['lab'] }), fakeDriver({ id: 'd', platform: 'ios' })
  ]
  const bench = await leaseBench({ phones })
  const refused = async (...wanted: readonly DeviceSelector[]) => {
    const labelled = Object.fromEntries(wanted.map((selector, i) => [`label ${i}`, selector]))
    return await bench.leases.acquireAll({ holder: alice, wanted: labelled, signal: new AbortController().signal })
      .then(() => t.fail('was granted'), (refusal: unknown) => refusal)
  }

  t.match(await refused({ platform: 'ios' }, {}, { platform: 'ios' }, { platform: 'ios' }), {
    code: 'too_many_devices',
    message: 'The pool can never serve these 4 devices at once: 3 of them must be ios, and the pool has 2 of that sort.',
    details: { wanted: 4, atOnce: 3, short: { wanted: 3, available: 2, sorts: ['ios'] } }
  })
  t.match(await refused({ labels: ['slow'] }, { platform: 'ios' }, { platform: 'android', withoutLabels: ['x'], labels: ['slow', 'lab'] }), {
    message: / 2 of them must be with label "slow" or android with label "slow" with label "lab" without label "x", and the pool has 1 of that sort\.$/
  })

  const { handle } = await bench.acquire(bob, { device: 'c' })
  t.match(await refused({ platform: 'ios' }, { platform: 'android' }, { model: '*', os: '>=1', platform: 'ios' }), {
    code: 'capacity_exhausted',
    message: / now; 2 of them must be ios or ios model "\*" OS ">=1", and of that sort 1 can be had\.$/,
    details: { matching: 4 }
  })
  const cleanup = phones[2]?.hold('restoreHome')
  const releasing = bench.leases.release({ handle, holder: bob })
  await cleanup?.begun
  t.match(await refused({ platform: 'ios' }, { platform: 'ios' }), {
    code: 'device_cleanup_in_progress', message: / until a cleanup is done: 2 of them must be ios, and of that sort 1 can be had\.$/
  })
  cleanup?.finish()
  await releasing
})

t.test('a wide request is not starved by a stream of narrow ones', async (t) => {
  const { leases, time } = await leaseBench({ phones: fakePool(2) })
  const narrow = [await request(leases, 'n').outcome, await request(leases, 'n').outcome]
  const signal = new AbortController().signal
  const wide: unknown[] = []
  leases.acquireAll({ holder: alice, wanted: { a: {}, b: {} }, waitMs: 600_000, signal }).then((all) => wide.push(all))

  // Each time a narrow one ends, another is there at once.
  for (let round = 0; round < 40 && wide.length === 0; round++) {
    const next = request(leases, 'n')
    const ending = narrow.shift()
    if (ending !== undefined) await leases.release({ handle: ending.handle, holder: ending.holder })
    await pass(time, 2_000)
    if (next.now() === 'waiting') next.leave()
    else narrow.push(await next.outcome)
  }

  t.equal(wide.length, 1)
})

t.test('of several devices one that does not answer leaves the others free, and the request where it was', async (t) => {
  const { leases, phones, time, stateOf } = await leaseBench({ phones: fakePool(2) })
  const [first, second] = phones
  const signal = new AbortController().signal
  if (second) second.boot = undefined
  const both = leases.acquireAll({ holder: alice, wanted: { a: {}, b: {} }, waitMs: 60_000, signal })
  await idle()
  t.strictSame([await stateOf('phone-1'), await stateOf('phone-2')], ['free', 'offline'])
  t.strictSame(first?.obeyed, [])

  if (second) second.boot = 'boot-1'
  await pass(time, 2_000)

  t.equal(Object.keys(await both).length, 2)
})

t.test('a waiting request takes the next device when the one it was to get does not answer', async (t) => {
  const { leases, acquire, phones } = await leaseBench({ phones: fakePool(2) })
  const [first] = phones
  const [one, other] = [await acquire(), await acquire()]
  const waiting = request(leases, 'ann')
  if (first) first.boot = undefined

  await leases.release({ handle: one.handle, holder: alice })
  await idle()
  t.equal(waiting.now(), 'waiting')
  await leases.release({ handle: other.handle, holder: alice })

  t.equal((await waiting.outcome).deviceId, 'phone-2')
})

t.test('a device that comes back is given to the request that waits', async (t) => {
  const { leases, phone, time } = await leaseBench()
  phone.boot = undefined
  const waiting = request(leases, 'ann')
  await idle()
  t.equal(waiting.now(), 'waiting')

  phone.boot = 'boot-2'
  await pass(time, 1_000)

  t.equal((await waiting.outcome).bootId, 'boot-2')
})

t.test('the least recently used device goes first, and one that was put back at last counts as any other', async (t) => {
  const { leases, acquire, phones, time } = await leaseBench({ phones: fakePool(2) })
  const [first] = phones
  if (first) first.failingCleanups = 1
  for (const lease of [await acquire(), await acquire()]) await leases.release({ handle: lease.handle, holder: alice })
  await pass(time, 5_000)

  t.strictSame((await leases.devices()).map(({ failures, state }) => [failures, state]), [[0, 'free'], [0, 'free']])
  t.equal((await acquire()).deviceId, 'phone-1')
})

t.test('a position in the list is the one that was told, and a request that is being granted has the first', async (t) => {
  const { leases, acquire, phones } = await leaseBench({ phones: [fakeDriver(), fakeDriver({ id: 'iphone', platform: 'ios' })] })
  const { handle } = await acquire(alice, { device: 'phone-1' })
  await acquire(alice, { device: 'iphone' })
  const requests = [request(leases, 'ann', { selector: { platform: 'ios' } }), request(leases, 'ben', { selector: { platform: 'android' } }), request(leases, 'cal')]
  await idle()
  const listed = () => leases.waiting().map(({ principal, position, estimateMs }) => [principal, position, estimateMs])

  t.strictSame(requests.map(({ positions }) => positions), [[1], [1], [3]])
  t.strictSame(listed(), [['ann', 1, ttlMs], ['ben', 1, ttlMs], ['cal', 3, 2 * ttlMs]])
  const probe = phones[0]?.hold('bootId')
  await leases.release({ handle, holder: alice })
  await probe?.begun
  t.strictSame(listed(), [['ben', 1, 0], ['ann', 1, ttlMs], ['cal', 2, ttlMs]])
  probe?.finish()
})

t.test('a waiting request is listed with what it wants, in the order of the queue', async (t) => {
  const { leases, acquire, time } = await leaseBench({ settings: { topPriority: 'high' } })
  await acquire()
  const sinceMs = time.clock.nowMs()
  request(leases, 'ann', { purpose: 'smoke test' })
  request(leases, 'ben', { priority: 'high', selector: { platform: 'android' } })
  await idle()

  t.strictSame(leases.waiting().map(({ id, ...facts }) => facts), [
    { principal: 'ben', priority: 'high', wanted: [{ platform: 'android' }], purpose: undefined, sinceMs, position: 1, estimateMs: ttlMs },
    { principal: 'ann', priority: 'normal', wanted: [{}], purpose: 'smoke test', sinceMs, position: 2, estimateMs: 2 * ttlMs }
  ])
  t.strictSame(leases.waiting({ principal: 'ann' }).map(({ principal, position }) => [principal, position]), [['ann', 2]])
})

t.test('a request that waits when the gateway shuts down has no lease to go on with', async (t) => {
  const { leases, acquire } = await leaseBench()
  await acquire()
  const caller = new AbortController()
  const waiting = request(leases, 'ann', { signal: caller.signal })
  await idle()

  caller.abort(new CancelledRefusal('shutting_down'))

  await t.rejects(waiting.outcome, { code: 'leases_unavailable', retryable: true })
  await t.rejects(request(leases, 'ann', { signal: caller.signal }).outcome, { code: 'leases_unavailable' })
})

t.test('a stop refuses all requests and leaves no timer', async (t) => {
  const { leases, acquire, time } = await leaseBench()
  await acquire()
  const waiting = request(leases, 'ann')

  await leases.stop()

  await t.rejects(waiting.outcome, { code: 'leases_unavailable' })
  t.strictSame(leases.waiting(), [])
  t.equal(time.timers(), 0)
})
