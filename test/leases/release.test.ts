import t from 'tap'
import type { LeaseUse } from '../../src/leases/contract/lease-manager.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const bench = await leaseBench(options)
  const lease = await bench.acquire()
  const { handle } = lease
  const signal = new AbortController().signal
  return { ...bench, lease, handle, claim: { handle, holder: alice }, request: { handle, holder: alice, signal, kind: 'control' as const } }
}

const tap = ({ lease, driver, signal }: LeaseUse) => driver.tap({ x: 1, y: 1 }, { count: 1, holdMs: 0 }, { fence: lease.fence, signal })

t.test('release returns when the device is clean, and says what was put back', async (t) => {
  const { leases, claim, lease, phone, time, stateOf } = await setup()
  time.advance(5)

  const { releasedNow, cleaned, lease: released } = await leases.release(claim)

  t.equal(releasedNow, true)
  t.strictSame(cleaned, ['apps stopped'])
  t.strictSame(released, { ...lease, state: 'ended', end: { reason: 'released', atMs: time.clock.nowMs() } })
  t.strictSame(phone.obeyed, [{ operation: 'restoreHome', fence: 2 }])
  t.equal(await stateOf(), 'free')
})

t.test('a released lease is refused with the reason and what to do', async (t) => {
  const { leases, claim, request, time } = await setup()
  await leases.release(claim)

  const ended = {
    code: 'lease_ended',
    retryable: false,
    nextAction: /acquireDevice/,
    details: { device: 'phone-1', reason: 'released', endedAt: new Date(time.clock.nowMs()).toISOString() }
  }
  await t.rejects(leases.renew(claim), ended)
  await t.rejects(leases.use(request, async () => t.fail('began')), ended)
})

t.test('releasing again is no error and does nothing', async (t) => {
  const { leases, claim, phone } = await setup()
  const first = await leases.release(claim)

  const second = await leases.release(claim)

  t.strictSame(second, { lease: first.lease, cleaned: [], failed: [], releasedNow: false })
  t.equal(phone.obeyed.length, 1)
})

t.test('releasing again does not touch the next lease on the device', async (t) => {
  const { leases, claim, acquire, stateOf } = await setup()
  await leases.release(claim)
  const next = await acquire(bob)

  await leases.release(claim)

  t.equal(await stateOf(), 'leased')
  await leases.renew({ handle: next.handle, holder: bob })
})

t.test('releases at the same time join: one cleanup, and all return after it', async (t) => {
  for (const pause of [undefined, idle]) {
    const { leases, claim, phone } = await setup({ store: memoryLeaseStore(pause && { pause }) })
    const cleanup = phone.hold('restoreHome')
    let returned = 0
    const releases = [1, 2, 3].map(async () => {
      const result = await leases.release(claim)
      returned++
      return result
    })
    await cleanup.begun
    const late = leases.release(claim)
    for (let i = 0; i < 5; i++) await idle()
    t.equal(returned, 0)

    cleanup.finish()
    const results = [...await Promise.all(releases), await late]

    t.equal(results.filter(({ releasedNow }) => releasedNow).length, 1)
    for (const { cleaned, lease } of results) {
      t.strictSame(cleaned, ['apps stopped'])
      t.equal(lease.state, 'ended')
    }
    t.strictSame(phone.obeyed.map(({ operation }) => operation), ['restoreHome'])
  }
})

t.test('a release joins one whose end is recorded but not yet told', async (t) => {
  const memory = memoryLeaseStore()
  const { leases, claim, phone } = await setup({
    store: {
      ...memory,
      change: async (event) => {
        const changed = await memory.change(event)
        for (let i = 0; i < 3; i++) await idle()
        return changed
      }
    }
  })
  const first = leases.release(claim)
  await idle()

  const second = leases.release(claim)

  t.match(await Promise.all([first, second]), [
    { releasedNow: true, cleaned: ['apps stopped'], lease: { state: 'ended' } },
    { releasedNow: false, cleaned: ['apps stopped'], lease: { state: 'ended' } }
  ])
  t.equal(phone.obeyed.length, 1)
})

t.test('release aborts running work, whose caller is told that the lease ended', async (t) => {
  const { leases, claim, request, phone } = await setup()
  const tapping = phone.hold('tap')
  const using = leases.use(request, tap)
  await tapping.begun

  const releasing = leases.release(claim)

  await t.rejects(using, { code: 'lease_ended', details: { reason: 'released' } })
  t.equal((await releasing).releasedNow, true)
  t.strictSame(phone.obeyed, [{ operation: 'tap', fence: 1 }, { operation: 'restoreHome', fence: 2 }])
})

t.test('work that goes on after the release cannot act on the device any more', async (t) => {
  const { leases, claim, request, phone, acquire } = await setup()
  const neverAborted = new AbortController().signal
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => { goOn = resolve })
  const late = { duringCleanup: 'not tried', afterCleanup: 'not tried', inNextLease: 'not tried' }
  const attempt = ({ lease, driver }: LeaseUse) => tap({ lease, driver, signal: neverAborted })
    .then(() => 'obeyed', (refusal: { code: string }) => refusal.code)
  const using = leases.use(request, async (use) => {
    await gate
    const waiting = attempt(use)
    cleanup.finish()
    late.duringCleanup = await waiting
    await releasing
    late.afterCleanup = await attempt(use)
    await acquire(bob)
    late.inNextLease = await attempt(use)
  })
  await idle()
  const cleanup = phone.hold('restoreHome')
  const releasing = leases.release(claim)
  await cleanup.begun

  goOn()
  await using

  t.strictSame(late, { duringCleanup: 'lease_fenced', afterCleanup: 'lease_fenced', inNextLease: 'lease_fenced' })
  t.strictSame(phone.obeyed.map(({ operation }) => operation), ['restoreHome'])
})

t.test('a command that was waiting when the lease ended does not run, even if it ignores its abort', async (t) => {
  const { leases, claim, request, phone } = await setup()
  const neverAborted = new AbortController().signal
  const deaf = phone.hold('tap', { deaf: true })
  const using = leases.use(request, async (use) => await Promise.allSettled([tap(use), tap({ ...use, signal: neverAborted })]))
  await deaf.begun

  const releasing = leases.release(claim)
  await idle()
  deaf.finish()

  t.match(await using, [{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'lease_fenced' } }])
  await releasing
  t.strictSame(phone.obeyed.map(({ operation }) => operation), ['tap', 'restoreHome'])
})

t.test('the cleanup waits for a command that does not notice its abort', async (t) => {
  const { leases, claim, request, phone } = await setup()
  const deaf = phone.hold('tap', { deaf: true })
  const using = leases.use(request, tap)
  await deaf.begun

  const releasing = leases.release(claim)
  await idle()
  t.equal(phone.obeyed.length, 1)
  deaf.finish()

  await using
  t.strictSame((await releasing).cleaned, ['apps stopped'])
  t.equal(phone.mostAtOnce, 1)
})

t.test('work that was done when the lease ended keeps its result', async (t) => {
  const { leases, claim, request } = await setup()

  const result = await leases.use(request, async () => {
    await leases.release(claim)
    return 'done before it knew'
  })

  t.equal(result, 'done before it knew')
})

t.test('a lease that ended otherwise cannot be released', async (t) => {
  const { leases, claim, time, lease } = await setup()
  time.advance(lease.ttlMs)
  await idle()

  await t.rejects(leases.release(claim), { code: 'lease_ended', details: { reason: 'expired' } })
})

t.test('a release and a use at the same time: either the work runs and is aborted, or it is refused', async (t) => {
  for (const pause of [undefined, idle]) {
    for (let delay = 0; delay < 8; delay++) {
      const { leases, claim, request, phone } = await setup({ store: memoryLeaseStore(pause && { pause }) })

      const using = leases.use(request, tap).then(() => 'worked', (refusal: { code: string }) => refusal.code)
      for (let step = 0; step < delay; step++) await (pause ?? Promise.resolve.bind(Promise))()
      await leases.release(claim)

      t.ok(['worked', 'lease_ended'].includes(await using), await using)
      t.equal(phone.obeyed.at(-1)?.operation, 'restoreHome', 'nothing comes after the cleanup')
      t.equal(phone.mostAtOnce, 1)
    }
  }
})
