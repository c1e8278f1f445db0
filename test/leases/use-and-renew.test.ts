import t from 'tap'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'

const at = { x: 1, y: 1 }
const once = { count: 1, holdMs: 0 }

/** Long enough for what these tests are not about. */
const settings = { longestVetoMs: 86_400_000, idleMs: 86_400_000 }

async function setup () {
  const bench = await leaseBench({ settings })
  const { handle } = await bench.acquire()
  const caller = new AbortController()
  return { ...bench, handle, caller, claim: { handle, holder: alice }, request: { handle, holder: alice, signal: caller.signal, kind: 'control' as const } }
}

t.test('work gets the lease, the device and a signal, and its result comes back', async (t) => {
  const { leases, request, phone, store, handle } = await setup()

  const result = await leases.use(request, async ({ lease, driver, signal }) => {
    t.strictSame(lease, await store.lease(handle))
    await driver.tap(at, once, { fence: lease.fence, signal })
    return 'tapped'
  })

  t.equal(result, 'tapped')
  t.strictSame(phone.obeyed, [{ operation: 'tap', fence: 1 }])
})

t.test('work that fails fails with its own error, and the lease goes on', async (t) => {
  const { leases, request } = await setup()
  const fault = new Error('no such button')

  await t.rejects(leases.use(request, async () => { throw fault }), fault)
  t.equal(await leases.use(request, async () => 1), 1)
})

t.test('use moves the expiry to a full ttl from its start and again from its end', async (t) => {
  const { leases, request, time, store, handle } = await setup()
  time.advance(1_000)

  await leases.use(request, async ({ lease }) => {
    t.equal(lease.expiresAtMs, time.clock.nowMs() + ttlMs)
    time.advance(5_000)
  })

  t.equal((await store.lease(handle))?.expiresAtMs, time.clock.nowMs() + ttlMs)
})

t.test('renew moves the expiry to a full ttl from now; a new ttl stays', async (t) => {
  const { leases, request, claim, time } = await setup()
  time.advance(1_000)

  const renewed = await leases.renew(claim)
  t.equal(renewed.expiresAtMs, time.clock.nowMs() + ttlMs)

  const longer = await leases.renew({ ...claim, ttlMs: 900_000 })
  t.match(longer, { ttlMs: 900_000, expiresAtMs: time.clock.nowMs() + 900_000 })

  await leases.use(request, async ({ lease }) => {
    t.equal(lease.expiresAtMs, time.clock.nowMs() + 900_000)
  })
  await t.rejects(leases.renew({ ...claim, ttlMs: 1 }), { code: 'ttl_out_of_range' })
})

t.test('a renewal with a shorter ttl ends the lease sooner', async (t) => {
  const { leases, claim, time, stateOf } = await setup()

  await leases.renew({ ...claim, ttlMs: 30_000 })
  time.advance(30_000)
  await idle()

  t.equal(await stateOf(), 'free')
  await t.rejects(leases.renew(claim), { code: 'lease_ended', details: { reason: 'expired' } })
})

t.test('the device obeys the token of this lease and no earlier one, from the grant on', async (t) => {
  const { leases, request, phone } = await setup()

  await leases.use(request, async ({ lease, driver, signal }) => {
    await t.rejects(driver.clearText({ fence: lease.fence - 1, signal }), { code: 'lease_fenced' })
  })

  t.strictSame(phone.obeyed, [])
})

t.test('the signal of work fires when its caller goes', async (t) => {
  const { leases, request, caller, phone } = await setup()
  const tap = phone.hold('tap')
  const using = leases.use(request, ({ lease, driver, signal }) => driver.tap(at, once, { fence: lease.fence, signal }))
  await tap.begun

  caller.abort()

  await t.rejects(using, { code: 'cancelled' })
})

t.test('work of a caller who is gone does not begin', async (t) => {
  const { leases, request, caller } = await setup()
  caller.abort()

  await t.rejects(leases.use(request, async () => t.fail('began')), { code: 'cancelled' })
})

t.test('work of a caller who goes while the store is asked does not begin', async (t) => {
  const bench = await leaseBench({ store: memoryLeaseStore({ pause: idle }) })
  const { handle } = await bench.acquire()
  const caller = new AbortController()

  const using = bench.leases.use({ handle, holder: alice, signal: caller.signal, kind: 'control' }, async () => t.fail('began'))
  await idle()
  caller.abort()

  await t.rejects(using, { code: 'cancelled' })
})

t.test('somebody else and a wrong handle are refused alike, whatever they try', async (t) => {
  const { leases, handle } = await setup()
  const signal = new AbortController().signal
  const attempts = (claim: { readonly handle: string, readonly holder: typeof bob }) => [
    leases.renew(claim),
    leases.release(claim),
    leases.use({ ...claim, signal, kind: 'control' }, async () => t.fail('began'))
  ].map((attempt) => attempt.then(() => t.fail('was not refused'), (refusal: unknown) => JSON.stringify(refusal)))

  const foreign = await Promise.all(attempts({ handle, holder: bob }))
  const unknown = await Promise.all(attempts({ handle: 'ls_unknown', holder: bob }))

  t.strictSame(foreign, unknown)
  t.equal(new Set(foreign).size, 1)
  t.match(JSON.parse(String(foreign[0])), { code: 'lease_unknown', retryable: false })
})

t.test('an ended lease of somebody else is refused like an unknown one', async (t) => {
  const { leases, claim, handle } = await setup()
  await leases.release(claim)

  await t.rejects(leases.release({ handle, holder: bob }), { code: 'lease_unknown' })
  await t.rejects(leases.renew({ handle, holder: bob }), { code: 'lease_unknown' })
})

t.test('a due lease of somebody else is neither told nor ended by a stranger asking', async (t) => {
  const { leases, claim, handle, time, phone, request } = await setup()
  const tap = phone.hold('tap')
  const using = leases.use(request, ({ lease, driver, signal }) => driver.tap(at, once, { fence: lease.fence, signal }))
  await tap.begun
  time.advance(ttlMs)

  await t.rejects(leases.renew({ handle, holder: bob }), { code: 'lease_unknown' })

  tap.finish()
  await using
  await leases.renew(claim)
})

t.test('a holder sees its own leases only; the operator sees all', async (t) => {
  const bench = await leaseBench({ phones: fakePool(3) })
  const mine = [await bench.acquire(alice), await bench.acquire(alice)]
  const others = await bench.acquire(bob)

  t.strictSame(await bench.leases.list(alice), mine)
  t.strictSame(await bench.leases.list(bob), [others])
  t.strictSame(await bench.leases.list({ principal: 'issuer\u0000carol' }), [])
  t.equal((await bench.leases.list()).length, 3)

  await bench.leases.release({ handle: others.handle, holder: bob })
  t.strictSame(await bench.leases.list(bob), [])
})

t.test('after a use the lease is held by nothing but its row', async (t) => {
  const { leases, request, time } = await setup()
  const timersBefore = time.timers()

  for (let i = 0; i < 100; i++) await leases.use(request, async () => i)

  t.equal(time.timers(), timersBefore)
})

t.test('work that is done stays done when the store fails after it', async (t) => {
  const memory = memoryLeaseStore()
  let broken = false
  const bench = await leaseBench({
    settings,
    store: {
      ...memory,
      change: async (event) => {
        if (broken) throw new Error('disk gone')
        return await memory.change(event)
      }
    }
  })
  const { handle } = await bench.acquire()
  const request = { handle, holder: alice, signal: new AbortController().signal, kind: 'control' as const }

  const result = await bench.leases.use(request, async () => {
    // Long enough for the timer to have looked, and left the lease to its work.
    bench.time.advance(ttlMs)
    await idle()
    broken = true
    return 'done'
  })
  await t.rejects(bench.leases.use(request, async () => t.fail('began')), { message: 'disk gone' })
  broken = false

  t.equal(result, 'done')
  t.match(bench.lines.join('\n'), /expiry could not be moved/)
  bench.time.advance(1)
  await idle()
  t.equal(await bench.stateOf(), 'free', 'nothing holds the lease beyond its time')
})
