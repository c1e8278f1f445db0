import t from 'tap'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { fakeDriver } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { sequenceIds } from '../support/sequence-ids.ts'

/** Ids whose bytes are all the same, and so the chance that comes from them. */
const idsOf = (byte: number) => ({ ...sequenceIds(), bytes: (size: number) => Buffer.alloc(size, byte) })

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const bench = await leaseBench(options)
  const { handle } = await bench.acquire()
  return { ...bench, handle, claim: { handle, holder: alice } }
}

t.test('a device that cannot be cleaned is quarantined; the release returns all the same', async (t) => {
  const { leases, claim, phone, acquire } = await setup()
  phone.failingCleanups = 1

  const { lease, cleaned, releasedNow } = await leases.release(claim)

  t.equal(releasedNow, true)
  t.equal(lease.state, 'ended')
  t.strictSame(cleaned, [])
  t.match(await leases.devices(), [{ state: 'quarantined', reason: 'Cleanup failed: the log says why.', lease: undefined }])
  await t.rejects(acquire(bob), { code: 'capacity_exhausted', retryAfterMs: 5_000, details: { states: { quarantined: 1 } } })
})

t.test('a quarantined device is tried again after 5 seconds and is free when that succeeds', async (t) => {
  const { leases, claim, phone, acquire, stateOf, time } = await setup()
  phone.failingCleanups = 1
  await leases.release(claim)

  time.advance(4_999)
  await idle()
  t.equal(await stateOf(), 'quarantined')
  time.advance(1)
  await idle()

  t.strictSame((await leases.devices()).map(({ state, reason }) => [state, reason]), [['free', undefined]])
  t.strictSame(phone.obeyed, [{ operation: 'restoreHome', fence: 2 }, { operation: 'restoreHome', fence: 2 }])
  t.equal((await acquire(bob)).fence, 3)
})

t.test('the tries grow rarer, up to every ten minutes, and start over once it worked', async (t) => {
  const { leases, claim, phone, acquire, stateOf, time } = await setup({ ids: idsOf(0) })
  phone.failingCleanups = 10
  await leases.release(claim)

  for (const [tries, waitMs] of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000].entries()) {
    t.equal(phone.obeyed.length, tries + 1)
    time.advance(waitMs - 1)
    await idle()
    t.equal(phone.obeyed.length, tries + 1)
    time.advance(1)
    await idle()
  }
  t.equal(await stateOf(), 'quarantined')
  time.advance(600_000)
  await idle()
  t.equal(await stateOf(), 'free')

  const next = await acquire(bob)
  phone.failingCleanups = 1
  await leases.release({ handle: next.handle, holder: bob })
  time.advance(5_000)
  await idle()
  t.equal(await stateOf(), 'free')
})

t.test('devices that fail together do not try again together: each wait is up to a fifth shorter', async (t) => {
  const { leases, claim, phone, acquire, time } = await setup({ ids: idsOf(128) })
  phone.failingCleanups = 1
  const { failed } = await leases.release(claim)

  t.strictSame(failed, ['the log says why.'])
  await t.rejects(acquire(bob), { code: 'capacity_exhausted', retryAfterMs: 4_498 })
  time.advance(4_497)
  await idle()
  t.equal(phone.obeyed.length, 1)
  time.advance(1)
  await idle()
  t.equal(phone.obeyed.length, 2)
})

t.test('a cleanup that takes too long is broken off and counts as failed', async (t) => {
  const { leases, claim, phone, stateOf, time } = await setup()
  const cleanup = phone.hold('restoreHome')
  const releasing = leases.release(claim)
  await cleanup.begun
  time.advance(9_999)
  await idle()
  t.equal(await stateOf(), 'cleaning')

  time.advance(1)

  t.strictSame((await releasing).cleaned, [])
  t.match(await leases.devices(), [{ state: 'quarantined', reason: 'Cleanup failed: No answer within 10000 ms.' }])
})

t.test('a phone that does not come back from its cleanup keeps nobody waiting, and is not granted', async (t) => {
  const { leases, claim, phone, acquire, stateOf, time } = await setup()
  const deaf = phone.hold('restoreHome', { deaf: true })
  const releasing = leases.release(claim)
  await deaf.begun
  time.advance(10_000)
  await releasing

  // The next try waits for its turn behind the one that hangs, and gives up in time too.
  time.advance(5_000)
  await idle()
  time.advance(10_000)
  await idle()
  t.equal(await stateOf(), 'quarantined')
  t.equal(phone.mostAtOnce, 1)
  await t.rejects(acquire(bob), { code: 'capacity_exhausted' })

  // That it succeeds in the end is too late to be trusted; the next try is not.
  deaf.finish()
  await idle()
  t.equal(await stateOf(), 'quarantined')
  time.advance(10_000)
  await idle()
  t.equal(await stateOf(), 'free')
})

t.test('a reason that was worded for others is shown as it is', async (t) => {
  const { leases, claim, phone } = await setup()
  phone.restoreHome = async () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1_000 }) }

  await leases.release(claim)

  t.match(await leases.devices(), [{ reason: 'Cleanup failed: Device phone-1 does not answer.' }])
})

t.test('when the end of a cleanup cannot be recorded, the device stays dirty and is cleaned again', async (t) => {
  const memory = memoryLeaseStore()
  let broken = false
  const { leases, claim, stateOf, time, phone, acquire } = await setup({
    store: {
      ...memory,
      change: async (event) => {
        if (broken && (event.type === 'settle' || event.type === 'quarantine')) throw new Error('disk gone')
        return await memory.change(event)
      }
    }
  })
  broken = true
  const { releasedNow, lease } = await leases.release(claim)
  t.equal(releasedNow, true)
  t.equal(lease.state, 'releasing')
  t.match(await leases.devices(), [{ state: 'quarantined', reason: 'Cleanup failed: the log says why.' }], 'it shows what could not be recorded')
  await t.rejects(acquire(bob), { code: 'capacity_exhausted', retryAfterMs: 5_000, details: { states: { quarantined: 1 } } })

  broken = false
  time.advance(5_000)
  await idle()

  t.equal(await stateOf(), 'free')
  t.equal(phone.obeyed.length, 2)
  t.equal((await leases.release(claim)).lease.state, 'ended')
})

t.test('a stopped manager breaks off cleanups and leaves them to the next', async (t) => {
  const { leases, claim, phone, stateOf, time, restarted } = await setup()
  const cleanup = phone.hold('restoreHome', { deaf: true })
  const releasing = leases.release(claim)
  await cleanup.begun

  await leases.stop()
  await releasing

  t.equal(await stateOf(), 'cleaning')
  t.equal(time.timers(), 0)
  cleanup.finish()
  const next = restarted()
  await next.start()
  await idle()
  t.match(await next.devices(), [{ state: 'free' }])
})

const control = { kind: 'control', signal: new AbortController().signal } as const

t.test('less cleanup than the operator allows is refused, and the lease goes on', async (t) => {
  const { leases, claim, stateOf } = await setup()

  await t.rejects(leases.release({ ...claim, cleanup: 'none' }), { code: 'cleanup_not_allowed', retryable: false, details: { lowest: 'apps' } })

  t.equal(await stateOf(), 'leased')
  t.match(await leases.release({ ...claim, cleanup: 'full' }), { releasedNow: true })
})

t.test('what a lease changed is undone when it is released, and when it expires', async (t) => {
  for (const end of ['release', 'expire'] as const) {
    const { leases, claim, phone, time, stateOf } = await setup()
    await leases.use({ ...claim, ...control }, async ({ lease, driver, signal }) => {
      await driver.setLocale('de-DE', { fence: lease.fence, signal })
    })
    t.equal(phone.state.locale, 'de-DE')

    if (end === 'release') t.match(await leases.release(claim), { cleaned: ['set the language back to en-US', 'apps stopped'], failed: [] })
    else time.advance(600_000)
    await idle()

    t.equal(await stateOf(), 'free', end)
    t.equal(phone.state.locale, 'en-US', end)
  }
})

t.test('a phone released with level none keeps what was changed until somebody is cleaned up after', async (t) => {
  const { leases, claim, phone, acquire } = await setup({ settings: { lowestCleanup: 'none' } })
  await leases.use({ ...claim, ...control }, async ({ lease, driver, signal }) => {
    await driver.setLocale('de-DE', { fence: lease.fence, signal })
  })
  t.match(await leases.release({ ...claim, cleanup: 'none' }), { cleaned: [], failed: [] })
  t.equal(phone.state.locale, 'de-DE')

  const next = await acquire(bob)
  await leases.release({ handle: next.handle, holder: bob })

  t.equal(phone.state.locale, 'en-US')
})

t.test('an operator who wants every phone as new gets that without being asked', async (t) => {
  const { leases, claim, phone } = await setup({ phones: [fakeDriver({ kind: 'real' })], settings: { lowestCleanup: 'full' } })
  await leases.use({ ...claim, ...control }, async ({ lease, driver, signal }) => {
    await driver.setLocale('de-DE', { fence: lease.fence, signal })
  })

  await leases.release(claim)

  t.match(phone.obeyed.map(({ operation }) => operation), ['getLocale', 'setLocale', 'restoreHome'])
})

t.test('what a lease changed before the process died is undone by the next one', async (t) => {
  const { leases, claim, phone, restarted } = await setup({ phones: [fakeDriver({ kind: 'real' })] })
  await leases.use({ ...claim, ...control }, async ({ lease, driver, signal }) => {
    await driver.setLocale('de-DE', { fence: lease.fence, signal })
  })

  phone.boot = 'boot-2'
  const next = restarted()
  await next.start()
  await idle()

  t.equal(phone.state.locale, 'en-US')
  t.match(await next.devices(), [{ state: 'free' }])
})
