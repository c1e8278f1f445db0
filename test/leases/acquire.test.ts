import t from 'tap'
import { fakeDriver, fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'

t.test('acquire grants a free device for the default ttl', async (t) => {
  const { leases, time } = await leaseBench()

  const lease = await leases.acquire({ holder: alice, selector: {}, purpose: 'smoke test', signal: new AbortController().signal })

  const nowMs = time.clock.nowMs()
  t.strictSame(lease, {
    handle: 'ls_0000000000000000000001',
    deviceId: 'phone-1',
    bootId: 'boot-1',
    fence: 1,
    holder: alice,
    sessionKey: undefined,
    state: 'granted',
    purpose: 'smoke test',
    priority: 'normal',
    grantedAtMs: nowMs,
    ttlMs,
    expiresAtMs: nowMs + ttlMs,
    mustEndAtMs: nowMs + 28_800_000,
    idleMs: 1_800_000,
    lastControlAtMs: nowMs,
    isUsed: false,
    isConfirmed: false,
    heartbeatMs: undefined,
    end: undefined
  })
  t.strictSame(await leases.devices(), [{ description: { ...(await leases.devices())[0]?.description }, state: 'leased', reason: undefined, holds: [], failures: 0, lease }])
})

t.test('acquire takes a ttl within the bounds, and refuses others with the bounds', async (t) => {
  const { leases, time } = await leaseBench({ settings: { maxTtlMs: 700_000 } })
  const acquire = (ttlMs: number) => leases.acquire({ holder: alice, selector: {}, ttlMs, signal: new AbortController().signal })

  for (const wrong of [29_999, 700_001, Number.NaN]) {
    await t.rejects(acquire(wrong), { code: 'ttl_out_of_range', retryable: false, details: { minTtlMs: 30_000, maxTtlMs: 700_000 } })
  }
  t.equal((await acquire(30_000)).expiresAtMs, time.clock.nowMs() + 30_000)
})

t.test('acquire looks for what the selector says', async (t) => {
  const { acquire } = await leaseBench({
    phones: [
      fakeDriver({ id: 'emulator', kind: 'emulator' }),
      fakeDriver({ id: 'iphone', platform: 'ios', model: 'iPhone 16 Pro' }),
      fakeDriver({ id: 'lab', labels: ['lab', 'slow'] })
    ]
  })

  t.equal((await acquire(alice, { platform: 'ios', model: 'iphone*' })).deviceId, 'iphone')
  t.equal((await acquire(alice, { labels: ['slow', 'lab'] })).deviceId, 'lab')
  t.equal((await acquire(alice, { device: 'emulator', kind: 'emulator' })).deviceId, 'emulator')
})

t.test('what no device of the pool is, is refused with what there is', async (t) => {
  const { acquire } = await leaseBench({ phones: [fakeDriver({ id: 'lab', labels: ['lab'] })] })

  await t.rejects(acquire(alice, { platform: 'ios' }), {
    code: 'no_such_device',
    retryable: false,
    details: { devices: [{ id: 'lab', platform: 'android', kind: 'virtual', model: 'Pixel 9', os: '15', labels: ['lab'] }] }
  })
})

t.test('the device that has been out of use for longest goes first', async (t) => {
  const { acquire, leases, time } = await leaseBench({ phones: fakePool(3) })
  const first = await acquire(alice, { device: 'phone-1' })
  const third = await acquire(alice, { device: 'phone-3' })
  await leases.release({ handle: third.handle, holder: alice })
  time.advance(10)
  await leases.release({ handle: first.handle, holder: alice })

  const order = [await acquire(), await acquire(), await acquire()].map(({ deviceId }) => deviceId)

  t.strictSame(order, ['phone-2', 'phone-3', 'phone-1'])
})

t.test('a taken device is refused with the time to its expiry, between 1 and 30 seconds', async (t) => {
  const { acquire, time } = await leaseBench()
  await acquire()
  const refused = async () => await acquire(bob).then(() => t.fail('was granted'), (refusal: unknown) => refusal)

  t.match(await refused(), {
    code: 'capacity_exhausted', retryable: true, retryAfterMs: 30_000, details: { matching: 1, states: { leased: 1 } }
  })
  time.advance(ttlMs - 12_345)
  t.match(await refused(), { retryAfterMs: 12_345 })
  time.advance(12_345 - 5)
  t.match(await refused(), { retryAfterMs: 1_000 })
})

t.test('the wait is for the earliest of the devices that match', async (t) => {
  const { leases, acquire } = await leaseBench({ phones: fakePool(3) })
  const signal = new AbortController().signal
  await leases.acquire({ holder: alice, selector: { device: 'phone-1' }, ttlMs: 30_000, signal })
  await leases.acquire({ holder: alice, selector: { device: 'phone-2' }, ttlMs: 40_000, signal })

  await acquire(alice, { device: 'phone-3' })

  await t.rejects(acquire(bob), { code: 'capacity_exhausted', retryAfterMs: 30_000, details: { matching: 3, states: { leased: 3 } } })
})

t.test('a device in cleanup is refused as such, and soon', async (t) => {
  const { leases, acquire, phone } = await leaseBench()
  const { handle } = await acquire()
  const cleanup = phone.hold('restoreHome')
  const releasing = leases.release({ handle, holder: alice })
  await cleanup.begun

  await t.rejects(acquire(bob), {
    code: 'device_cleanup_in_progress', retryable: true, retryAfterMs: 1_000, details: { matching: 1, states: { cleaning: 1 } }
  })

  cleanup.finish()
  await releasing
  t.equal((await acquire(bob)).fence, 3)
})

t.test('with one device in cleanup and one taken, the wait is short and the reason is capacity', async (t) => {
  const { leases, acquire, phones: [first] } = await leaseBench({ phones: fakePool(2) })
  const { handle } = await acquire(alice, { device: 'phone-1' })
  await acquire(alice, { device: 'phone-2' })
  const cleanup = first?.hold('restoreHome')
  const releasing = leases.release({ handle, holder: alice })
  await cleanup?.begun

  await t.rejects(acquire(bob), { code: 'capacity_exhausted', retryAfterMs: 1_000, details: { states: { cleaning: 1, leased: 1 } } })

  cleanup?.finish()
  await releasing
})

t.test('of many acquires at once each gets a device of its own, and the rest are refused', async (t) => {
  for (const pause of [undefined, idle]) {
    const pool = fakePool(5)
    const { acquire } = await leaseBench({ phones: pool, store: memoryLeaseStore(pause && { pause }) })

    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => acquire(i % 2 ? alice : bob)))

    const granted = outcomes.flatMap((outcome) => outcome.status === 'fulfilled' ? [outcome.value] : [])
    t.strictSame(granted.map(({ deviceId }) => deviceId).sort(), pool.map(({ description }) => description.id))
    t.equal(new Set(granted.map(({ handle }) => handle)).size, 5)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'capacity_exhausted' })
    }
  }
})

t.test('many acquires at once cost each phone one question', async (t) => {
  const pool = fakePool(3)
  let questions = 0
  for (const phone of pool) {
    const bootId = phone.bootId
    phone.bootId = async (signal) => {
      questions++
      await idle()
      return await bootId(signal)
    }
  }
  const { acquire } = await leaseBench({ phones: pool })
  questions = 0

  await Promise.allSettled(Array.from({ length: 30 }, () => acquire()))

  t.equal(questions, 3)
})

t.test('a device that says it is offline is passed over and shown as offline', async (t) => {
  const pool = fakePool(2)
  const { acquire, stateOf, leases } = await leaseBench({ phones: pool })
  for (const phone of pool.slice(0, 1)) phone.boot = undefined

  t.equal((await acquire()).deviceId, 'phone-2')

  t.equal(await stateOf('phone-1'), 'offline')
  t.equal((await leases.devices())[0]?.reason, 'The device does not answer.')
  await t.rejects(acquire(), { code: 'capacity_exhausted', retryAfterMs: 1_000, details: { states: { offline: 1, leased: 1 } } })
})

t.test('a device that does not answer within two seconds is passed over', async (t) => {
  const pool = fakePool(2)
  const { acquire, stateOf, time } = await leaseBench({ phones: pool })
  const silence = pool[0]?.hold('bootId', { deaf: true })

  const acquiring = acquire()
  await silence?.begun
  await idle()
  time.advance(1_999)
  await idle()
  t.equal(await stateOf('phone-1'), 'free')
  time.advance(1)

  t.equal((await acquiring).deviceId, 'phone-2')
  t.equal(await stateOf('phone-1'), 'offline')
})

t.test('an offline device is looked for again, ever more rarely, until it answers', async (t) => {
  const { acquire, phone, stateOf, time } = await leaseBench()
  phone.boot = undefined
  let questions = 0
  const bootId = phone.bootId
  phone.bootId = (signal) => {
    questions++
    return bootId(signal)
  }
  await t.rejects(acquire(), { code: 'capacity_exhausted' })

  for (const [waitMs, asked] of [[1_000, 2], [2_000, 3], [4_000, 4], [8_000, 5], [16_000, 6], [30_000, 7], [30_000, 8]] as const) {
    time.advance(waitMs - 1)
    await t.rejects(acquire(), { code: 'capacity_exhausted', details: { states: { offline: 1 } } })
    t.equal(questions, asked - 1)
    time.advance(1)
    await idle()
    t.equal(questions, asked)
  }
  phone.boot = 'boot-2'
  time.advance(30_000)
  await idle()

  t.equal(await stateOf(), 'free')
  t.equal((await acquire()).bootId, 'boot-2')
})

t.test('a request does not wait behind another for one phone while a second is free', async (t) => {
  const { acquire, phone } = await leaseBench({ phones: fakePool(2) })
  const silence = phone.hold('bootId')
  const first = acquire()
  await silence.begun

  t.equal((await acquire(bob)).deviceId, 'phone-2')

  silence.finish()
  t.equal((await first).deviceId, 'phone-1')
})

t.test('a stop while a phone is asked refuses the request and takes no device', async (t) => {
  const { leases, acquire, phone, store, time } = await leaseBench()
  const silence = phone.hold('bootId', { deaf: true })
  const acquiring = acquire()
  await silence.begun

  await leases.stop()

  await t.rejects(acquiring, { code: 'leases_unavailable' })
  silence.finish()
  await idle()
  t.strictSame(await store.liveLeases(), [])
  t.equal(time.timers(), 0)
})

t.test('a caller who is gone before the phone answers gets nothing, and no device is taken', async (t) => {
  const { leases, phone, stateOf, store } = await leaseBench()
  const silence = phone.hold('bootId')
  const caller = new AbortController()
  const acquiring = leases.acquire({ holder: alice, selector: {}, signal: caller.signal })
  await silence.begun

  caller.abort()

  await t.rejects(acquiring, { code: 'cancelled' })
  silence.finish()
  await idle()
  t.equal(await stateOf(), 'free')
  t.strictSame(await store.liveLeases(), [])
})

t.test('a grant that its caller does not live to see is undone', async (t) => {
  const caller = new AbortController()
  const memory = memoryLeaseStore()
  const store = {
    ...memory,
    async changeAll (events: Parameters<typeof memory.changeAll>[0]) {
      const changed = await memory.changeAll(events)
      if (events[0]?.type === 'grant') caller.abort()
      return changed
    }
  }
  const { leases, acquire, phone, time } = await leaseBench({ store })
  const timersBefore = time.timers()

  await t.rejects(leases.acquire({ holder: alice, selector: {}, signal: caller.signal }), { code: 'cancelled' })

  await idle()
  t.match(await memory.occupancies(), [{ device: { state: 'free', fence: 2, lastUsedAtMs: 0 }, lease: undefined }])
  t.match(await memory.lease('ls_0000000000000000000001'), { state: 'ended', end: { reason: 'undelivered' } })
  t.strictSame(phone.obeyed, [])
  t.equal(time.timers(), timersBefore)
  t.equal((await acquire()).fence, 3)
})

t.test('a caller who was gone from the start gets nothing', async (t) => {
  const { leases, store } = await leaseBench()

  await t.rejects(leases.acquire({ holder: alice, selector: {}, signal: AbortSignal.abort() }), { code: 'cancelled' })
  t.strictSame(await store.liveLeases(), [])
})

t.test('nothing is granted before the start and after the stop', async (t) => {
  const { leases, acquire } = await leaseBench({ start: false })

  await t.rejects(acquire(), { code: 'leases_unavailable', retryable: true })
  await leases.start()
  const { handle } = await acquire()
  await leases.stop()

  await t.rejects(acquire(), { code: 'leases_unavailable', retryable: true })
  await t.rejects(leases.renew({ handle, holder: alice }), { code: 'leases_unavailable' })
})

t.test('two drivers for one device are refused', async (t) => {
  await t.rejects(leaseBench({ phones: [fakeDriver(), fakeDriver()] }), /two drivers/)
})

t.test('the log holds no handle and no principal', async (t) => {
  const { leases, acquire, lines, phone } = await leaseBench()
  phone.failingCleanups = 1
  const { handle } = await acquire()
  await leases.release({ handle, holder: alice })

  t.match(lines.join('\n'), /lease granted .*"ls_000"/)
  t.match(lines.join('\n'), /lease ended .*"released"/)
  t.notMatch(lines.join('\n'), handle)
  t.notMatch(lines.join('\n'), /alice/)
})
