import t from 'tap'
import type { AcquireTerms, DeviceSelector } from '../../src/leases/contract/lease-manager.ts'
import { fakeDriver } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { pass } from '../support/pool-moves.ts'

const firstUseMs = 120_000

/** One phone, leased by Alice, who may never have learned of it. */
async function setup (options: Parameters<typeof leaseBench>[0] = {}, terms: Partial<AcquireTerms> = {}) {
  const bench = await leaseBench(options)
  const signal = new AbortController().signal
  const lease = await bench.leases.acquire({ holder: alice, selector: {}, signal, ...terms })
  const claim = { handle: lease.handle, holder: alice }
  /** Bob waits for a phone. */
  function wait (selector: DeviceSelector = {}, holder = bob) {
    const waiter = { device: undefined as string | undefined, refused: undefined as unknown }
    bench.leases.acquire({ holder, selector, signal, waitMs: 600_000 }).then(
      ({ deviceId }) => { waiter.device = deviceId }, (refusal: unknown) => { waiter.refused = refusal }
    )
    return waiter
  }
  return { ...bench, lease, claim, wait, signal }
}

t.test('a lease that was not used for two minutes is given back to a request that waits', async (t) => {
  const { leases, lease, claim, wait, time } = await setup()
  const waiter = wait()

  await pass(time, firstUseMs - 1_000, 1_000)
  t.equal(waiter.device, undefined)
  await pass(time, 2_000, 1_000)

  t.equal(waiter.device, lease.deviceId)
  await t.rejects(leases.renew(claim), { code: 'lease_ended', retryable: false, message: /not used and a request waited/, details: { reason: 'unused' } })
})

t.test('it lasts as long as no request waits, and not much longer once one does', async (t) => {
  const { leases, lease, wait, time } = await setup()
  await pass(time, 3 * firstUseMs, 5_000)
  t.equal((await leases.list()).length, 1)

  const waiter = wait()
  await pass(time, 6_000, 1_000)

  t.equal(waiter.device, lease.deviceId)
})

for (const [sign, give] of Object.entries({
  'a look': async ({ leases, claim, signal }) => { await leases.use({ ...claim, signal, kind: 'look' }, async () => {}) },
  'a call that acts': async ({ leases, claim, signal }) => { await leases.use({ ...claim, signal, kind: 'control' }, async () => {}) },
  'a renewal': async ({ leases, claim }) => { await leases.renew(claim) },
  'the call that acquired it and acted at once': async ({ leases, claim, signal }) => {
    await leases.use({ ...claim, signal, kind: 'control', byAcquirer: true }, async () => {})
  }
} satisfies Record<string, (bench: Awaited<ReturnType<typeof setup>>) => Promise<void>>)) {
  t.test(`${sign} shows that it is wanted by its holder`, async (t) => {
    const bench = await setup()
    await give(bench)
    const waiter = bench.wait()

    await pass(bench.time, 3 * firstUseMs, 5_000)

    t.equal(waiter.device, undefined)
    t.equal((await bench.leases.list()).length, 1)
  })
}

t.test('a heartbeat does too', async (t) => {
  const { leases, claim, wait, time } = await setup({}, { heartbeatMs: 60_000 })
  await leases.heartbeat(claim)
  const waiter = wait()

  for (let beats = 0; beats < 8; beats++) {
    await pass(time, 30_000, 5_000)
    await leases.heartbeat(claim)
  }

  t.equal(waiter.device, undefined)
})

t.test('only a request for such a phone takes it', async (t) => {
  const { leases, lease, wait, time } = await setup({ phones: [fakeDriver({ id: 'phone-1' }), fakeDriver({ id: 'phone-2' })] })
  const other = lease.deviceId === 'phone-1' ? 'phone-2' : 'phone-1'
  const inUse = await leases.acquire({ holder: bob, selector: { device: other }, signal: new AbortController().signal })
  await leases.use({ handle: inUse.handle, holder: bob, signal: new AbortController().signal, kind: 'look' }, async () => {})
  const waiter = wait({ device: other }, alice)

  await pass(time, 2 * firstUseMs, 5_000)

  t.equal(waiter.device, undefined)
  t.equal((await leases.list()).length, 2)
})

t.test('a request that its own limit keeps waiting takes no phone from another holder', async (t) => {
  const { leases, wait, time } = await setup({ phones: [fakeDriver({ id: 'phone-1' }), fakeDriver({ id: 'phone-2' })], settings: { maxPerHolder: 1 } })
  const own = await leases.acquire({ holder: bob, selector: {}, signal: new AbortController().signal })
  await leases.use({ handle: own.handle, holder: bob, signal: new AbortController().signal, kind: 'look' }, async () => {})
  const waiter = wait()

  await pass(time, 2 * firstUseMs, 5_000)

  t.equal(waiter.device, undefined)
  t.equal((await leases.list()).length, 2)
})

t.test('nothing was done under it, so its phone is granted without a cleanup', async (t) => {
  const { lease, wait, time, phones } = await setup()
  const waiter = wait()

  await pass(time, firstUseMs + 6_000, 1_000)
  await idle()

  t.equal(waiter.device, lease.deviceId)
  t.strictSame(phones.flatMap(({ obeyed }) => obeyed), [])
})
