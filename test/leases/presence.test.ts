import t from 'tap'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { breakableStore } from '../support/breakable-store.ts'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { pass, request } from '../support/pool-moves.ts'

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const bench = await leaseBench(options)
  const { handle } = await bench.acquire()
  const claim = { handle, holder: alice }
  const signal = new AbortController().signal
  return {
    ...bench,
    handle,
    claim,
    use: <T>(work: () => Promise<T>) => bench.leases.use({ ...claim, signal, kind: 'control' }, work),
    whyEnded: async () => await bench.leases.renew(claim).then(() => undefined, (refusal: { details?: { reason: string } }) => refusal.details?.reason)
  }
}

t.test('a leased device that stops answering is offline; its lease waits, and so do calls', async (t) => {
  const { leases, phone, time, stateOf, use, handle } = await setup()
  phone.boot = undefined
  await pass(time, 5_000)

  t.equal(await stateOf(), 'offline')
  t.match(await leases.list(), [{ handle, state: 'granted' }])
  await t.rejects(use(async () => t.fail('began')), { code: 'device_offline', retryable: true, retryAfterMs: Number })
})

t.test('a call to a device that is away is told to come back soon, however often it calls', async (t) => {
  const { phone, time, use } = await setup()
  phone.boot = undefined
  await pass(time, 5_000)
  const advice = async () => await use(async () => undefined).catch(({ retryAfterMs }: { retryAfterMs?: number }) => retryAfterMs)

  for (let call = 0; call < 20; call++) t.equal(await advice(), 1_000)
  await pass(time, 1_000)
  t.equal(await advice(), 2_000, 'the next look of our own')
  await pass(time, 60_000)
  for (let call = 0; call < 3; call++) t.ok(Number(await advice()) <= 5_000, 'the watch looks every five seconds')
  await pass(time, 57_500, 500)
  t.equal(await advice(), 1_500, 'then the lease is lost')
})

t.test('a look of ours that joins a call\'s is followed by the next', async (t) => {
  const { leases, phone, time, stateOf } = await leaseBench()
  phone.boot = undefined
  await t.rejects(leases.acquire({ holder: alice, selector: {}, signal: new AbortController().signal }), { code: 'capacity_exhausted' })
  await pass(time, 900)
  const silence = phone.hold('bootId')
  const retrying = leases.operations.retry({ device: 'phone-1', by: 'op' })
  await silence.begun
  await pass(time, 100)
  silence.finish()
  await retrying
  t.equal(await stateOf(), 'offline')

  phone.boot = 'boot-1'
  await pass(time, 1_999)
  t.equal(await stateOf(), 'offline')
  await pass(time, 1)
  t.equal(await stateOf(), 'free')
})

t.test('one that comes back in the same boot within two minutes is adopted', async (t) => {
  const { phone, time, stateOf, use, changes, handle, leases } = await setup()
  phone.boot = undefined
  await pass(time, 5_000)
  changes.splice(0)
  await pass(time, 110_000)
  phone.boot = 'boot-1'
  await pass(time, 5_000)

  t.equal(await stateOf(), 'leased')
  t.strictSame(changes, [{ deviceId: 'phone-1', ended: undefined }])
  await pass(time, 120_000)
  t.equal(await use(async () => 'used'), 'used')
  t.match(await leases.list(), [{ handle, fence: 1 }])
})

t.test('a call finds out at once that it is back', async (t) => {
  const { phone, time, use } = await setup()
  phone.boot = undefined
  await pass(time, 5_000)
  phone.boot = 'boot-1'

  t.equal(await use(async () => 'used'), 'used')
})

t.test('one that comes back in another boot ends the lease, whoever notices', async (t) => {
  for (const notice of ['watch', 'call']) {
    const { phone, time, use, whyEnded, stateOf } = await setup()
    phone.boot = undefined
    await pass(time, 5_000)
    phone.boot = 'boot-2'

    if (notice === 'watch') await pass(time, 5_000)
    else await t.rejects(use(async () => t.fail('began')), { code: 'lease_ended', details: { reason: 'device_restarted' } })
    await idle()

    t.equal(await whyEnded(), 'device_restarted')
    t.equal(await stateOf(), 'free')
    t.equal(phone.obeyed.at(-1)?.operation, 'restoreHome')
  }
})

t.test('one that restarts between two looks ends the lease at the next', async (t) => {
  const { phone, time, whyEnded } = await setup()
  phone.boot = 'boot-2'

  await pass(time, 5_000)

  t.equal(await whyEnded(), 'device_restarted')
})

t.test('one that stays away for two minutes is lost', async (t) => {
  const { phone, time, whyEnded, stateOf, leases } = await setup()
  phone.boot = undefined
  phone.failingCleanups = 1
  await pass(time, 5_000)
  await pass(time, 119_999, 9_999)
  t.equal((await leases.list()).length, 1)
  await pass(time, 1)

  t.equal(await whyEnded(), 'device_lost')
  t.equal(await stateOf(), 'quarantined')
})

t.test('that we cannot look does not mean that it is not there', async (t) => {
  const { phone, time, stateOf, use, leases } = await setup()
  phone.bootId = async () => { throw new Error('adb: cannot connect to daemon') }
  await pass(time, 600_000 - 10_000, 5_000)

  t.equal((await leases.list()).length, 1)
  t.equal(await use(async () => 'used'), 'used')
  t.match(await leases.devices(), [{ state: 'offline', reason: 'The device could not be looked at.' }])
  phone.bootId = async () => 'boot-1'
  await pass(time, 5_000)
  t.equal(await stateOf(), 'leased')
})

t.test('looks that fail in between do not count as away', async (t) => {
  const { phone, time, leases, whyEnded } = await setup()
  const answers = phone.bootId
  phone.boot = undefined
  await pass(time, 100_000)
  phone.bootId = async () => { throw new Error('adb: cannot connect to daemon') }
  await pass(time, 60_000)
  phone.bootId = answers
  await pass(time, 100_000)
  t.equal((await leases.list()).length, 1)
  await pass(time, 60_000)

  t.equal(await whyEnded(), 'device_lost')
})

t.test('a call that finds its device away has it looked at', async (t) => {
  const { phone, stateOf, use } = await setup()
  phone.boot = undefined

  await t.rejects(use(async () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1 }) }), { code: 'device_offline' })
  await idle()

  t.equal(await stateOf(), 'offline')
})

t.test('a free device that is away for longer is gone, until it is back', async (t) => {
  const { leases, phone, time, stateOf } = await leaseBench()
  phone.boot = undefined
  const waiting = request(leases, 'ann')
  await idle()
  t.equal(await stateOf(), 'offline')
  await pass(time, 120_000)
  t.equal(await stateOf(), 'gone')

  phone.boot = 'boot-2'
  await pass(time, 30_000)

  t.equal((await waiting.outcome).bootId, 'boot-2')
})

t.test('a release while the device is away quarantines it, and it is tried until it is back', async (t) => {
  const { leases, phone, phones, time, stateOf, claim } = await setup({ phones: fakePool(1) })
  const restoreHome = phone.restoreHome
  const fails = async () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1 }) }
  phone.boot = undefined
  Object.assign(phones[0] ?? {}, { restoreHome: fails })
  await pass(time, 5_000)

  t.match(await leases.release(claim), { releasedNow: true, failed: [/does not answer/] })
  t.equal(await stateOf(), 'quarantined')
  await t.rejects(leases.acquire({ holder: bob, selector: {}, signal: new AbortController().signal }), { code: 'capacity_exhausted' })

  phone.boot = 'boot-2'
  Object.assign(phones[0] ?? {}, { restoreHome })
  await pass(time, 10_000)
  t.equal(await stateOf(), 'free')
})

t.test('a stop leaves no look behind', async (t) => {
  const { leases, phone, time } = await setup()
  phone.boot = undefined
  await pass(time, 10_000)

  await leases.stop()

  t.equal(time.timers(), 0)
})

t.test('no call gets into another boot of the device, even when the end of its lease cannot be recorded', async (t) => {
  const disk = breakableStore()
  const { phone, time, use, whyEnded, stateOf } = await setup({ store: disk.store })
  disk.isBroken = true
  phone.boot = 'boot-2'
  await pass(time, 5_000)
  t.equal(await stateOf(), 'leased', 'it answers')

  for (let call = 0; call < 3; call++) await t.rejects(use(async () => t.fail('began')), { message: 'disk gone' })

  disk.isBroken = false
  await pass(time, 5_000)
  t.equal(await whyEnded(), 'device_restarted')
  t.equal(phone.obeyed.at(-1)?.operation, 'restoreHome')
})

t.test('a device that is lost while the store fails loses its lease once it works again', async (t) => {
  const disk = breakableStore()
  const { phone, time, leases, whyEnded } = await setup({ store: disk.store })
  phone.boot = undefined
  disk.isBroken = true
  await pass(time, 200_000, 5_000)
  t.equal((await leases.list()).length, 1)

  disk.isBroken = false
  await pass(time, 5_000)

  t.equal(await whyEnded(), 'device_lost')
})
