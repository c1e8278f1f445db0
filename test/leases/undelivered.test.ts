/** Leases are taken back when the answer of the call that acquired them does not arrive, unless their holder knows of them. */
import t from 'tap'
import type { DeviceDriver } from '../../src/devices/device-driver.ts'
import type { Lease } from '../../src/leases/contract/lease.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, type LeaseBench } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'

const sessionKey = 'hash-of-a-key'
const signal = new AbortController().signal

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const bench = await leaseBench({ ...options, settings: { lowestCleanup: 'apps' } })
  const lease = await bench.leases.acquire({ holder: alice, selector: {}, sessionKey, signal })
  const claim = { handle: lease.handle, holder: alice }
  return {
    ...bench,
    lease,
    claim,
    endReason: async () => (await bench.store.lease(lease.handle))?.end?.reason,
    useAsAcquirer: async (work: (driver: DeviceDriver) => Promise<void> = async () => {}) => {
      await bench.leases.use({ ...claim, signal, kind: 'control', byAcquirer: true }, async ({ driver }) => await work(driver))
    }
  }
}

t.test('what the acquiring call did itself does not keep its lease from being taken back, and is cleaned up', async (t) => {
  const { leases, lease, claim, phone, useAsAcquirer, endReason, stateOf } = await setup()
  await useAsAcquirer(async (driver) => { await driver.clearText({ fence: lease.fence, signal }) })

  await leases.undo(claim)

  t.equal(await endReason(), 'undelivered')
  t.strictSame(phone.obeyed.map(({ operation }) => operation), ['clearText', 'restoreHome'])
  t.equal(await stateOf(), 'free')
})

const claims: ReadonlyArray<readonly [string, (bench: LeaseBench, lease: Lease) => Promise<unknown>]> = [
  ['a look', async ({ leases }, { handle }) => await leases.use({ handle, holder: alice, signal, kind: 'look' }, async () => {})],
  ['a renewal', async ({ leases }, { handle }) => await leases.renew({ handle, holder: alice })],
  ['a renewal that is refused', async ({ leases }, { handle }) => await leases.renew({ handle, holder: alice, ttlMs: 90_000_000 }).catch(() => {})],
  ['a release that is refused', async ({ leases }, { handle }) => await leases.release({ handle, holder: alice, cleanup: 'none' }).catch(() => {})],
  ['a heartbeat', async ({ leases }, { handle }) => await leases.heartbeat({ handle, holder: alice })],
  ['a heartbeat under its session key', async ({ leases }) => await leases.heartbeat({ sessionKey, holder: alice })],
  ['a subscription to its screen', async ({ leases }, { handle }) => await leases.isHolding({ handle, holder: alice })],
  ['a use for which the phone is away', async ({ leases, phone, time }, { handle }) => {
    phone.boot = undefined
    time.advance(60_000)
    await idle()
    const use = leases.use({ handle, holder: alice, signal, kind: 'look' }, async () => {})
    await use.catch(() => {})
    phone.boot = 'boot-1'
  }]
]

for (const [name, work] of claims) {
  t.test(`${name} shows that the holder knows of its lease`, async (t) => {
    const { leases, lease, claim, endReason, ...bench } = await setup()

    await work({ leases, ...bench }, lease)
    await leases.undo(claim)

    t.equal(await endReason(), undefined)
    t.match(await leases.list(alice), [{ handle: lease.handle, isConfirmed: true }])
  })

  t.test(`and ${name} that comes at the same time either finds it, or finds it gone`, async (t) => {
    for (let delay = 0; delay < 8; delay++) {
      const { leases, lease, claim, endReason, ...bench } = await setup({ store: memoryLeaseStore({ pause: idle }) })

      const working = work({ leases, ...bench }, lease).catch(() => {})
      for (let step = 0; step < delay; step++) await idle()
      await leases.undo(claim)
      await working

      const { isConfirmed } = await bench.store.lease(lease.handle) ?? {}
      t.equal(await endReason(), isConfirmed === true ? undefined : 'undelivered')
    }
  })
}

t.test('what a stranger tries shows nothing', async (t) => {
  const { leases, lease: { handle }, claim, endReason } = await setup()

  t.equal(await leases.heartbeat({ handle, holder: bob }), 'unknown')
  t.equal(await leases.isHolding({ handle, holder: bob }), false)
  await t.rejects(leases.renew({ handle, holder: bob, ttlMs: 90_000_000 }))
  await t.rejects(leases.use({ handle, holder: bob, signal, kind: 'look' }, async () => {}), { code: 'lease_unknown' })
  await leases.undo(claim)

  t.equal(await endReason(), 'undelivered')
})

t.test('to look at lists shows nothing either: they have the leases of other agents under the same token', async (t) => {
  const { leases, claim, endReason } = await setup()

  await leases.list(alice)
  await leases.boundTo({ sessionKey, holder: alice })
  await leases.devices()
  await leases.undo(claim)

  t.equal(await endReason(), 'undelivered')
})

t.test('that the holder knows of a lease outlives the process', async (t) => {
  const { leases, claim, endReason, restarted } = await setup()
  await leases.heartbeat(claim)
  const after = restarted()
  await after.start()

  await after.undo(claim)

  t.equal(await endReason(), undefined)
})

t.test('a use writes no more often than its begin and its end, whatever it shows', async (t) => {
  const store = memoryLeaseStore()
  let changes = 0
  const { leases, claim } = await setup({ store: { ...store, change: async (event) => { changes += 1; return await store.change(event) } } })

  changes = 0
  await leases.use({ ...claim, signal, kind: 'look' }, async () => {})

  t.equal(changes, 2)
})
