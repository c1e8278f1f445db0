import t from 'tap'
import type { AcquireTerms, LeaseUse, UseKind } from '../../src/leases/contract/lease-manager.ts'
import { breakableStore } from '../support/breakable-store.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { pass } from '../support/pool-moves.ts'

const minuteMs = 60_000
const tap = ({ lease, driver, signal }: LeaseUse) => driver.tap({ x: 1, y: 1 }, { count: 1, holdMs: 0 }, { fence: lease.fence, signal })

async function setup (options: Parameters<typeof leaseBench>[0] = {}, terms: Partial<AcquireTerms> = {}) {
  const bench = await leaseBench(options)
  const signal = new AbortController().signal
  const lease = await bench.leases.acquire({ holder: alice, selector: {}, signal, ...terms })
  const { handle } = lease
  const claim = { handle, holder: alice }
  return {
    ...bench,
    handle,
    lease,
    claim,
    use: (kind: UseKind, work: (use: LeaseUse) => Promise<unknown> = async () => {}, limitMs?: number) => {
      return bench.leases.use({ ...claim, signal, kind, ...(limitMs === undefined ? {} : { limitMs }) }, work)
    },
    whyEnded: async () => await bench.leases.renew(claim).then(() => undefined, (refusal: { details?: { reason: string } }) => refusal.details?.reason)
  }
}

t.test('without control calls a lease is idle after half an hour, however much is looked and renewed', async (t) => {
  const { leases, claim, use, time, stateOf, lease } = await setup({}, { heartbeatMs: 60_000 })

  for (let passedMs = 0; passedMs < 30 * minuteMs; passedMs += minuteMs / 2) {
    await use('look')
    await leases.renew(claim)
    await leases.heartbeat(claim)
    t.equal(await stateOf(), 'leased')
    await pass(time, minuteMs / 2, minuteMs / 2)
  }

  t.equal(await stateOf(), 'free')
  await t.rejects(leases.renew(claim), {
    code: 'lease_ended', details: { reason: 'idle', endedAt: new Date(lease.grantedAtMs + 30 * minuteMs).toISOString() }
  })
})

t.test('a control call has the idle time begin anew, from its end', async (t) => {
  const { leases, claim, use, time, stateOf, whyEnded } = await setup({ settings: { ttlMs: 3_600_000 } })
  await pass(time, 29 * minuteMs, minuteMs)
  await use('control', async () => await pass(time, 5 * minuteMs, minuteMs))
  await pass(time, 29 * minuteMs, minuteMs)
  t.equal(await stateOf(), 'leased')
  t.equal((await leases.list())[0]?.lastControlAtMs, time.clock.nowMs() - 29 * minuteMs)
  t.strictSame((await leases.list()).map(leases.isExpiring), [false])

  await leases.renew(claim)
  await pass(time, minuteMs, minuteMs)

  t.equal(await whyEnded(), 'idle')
})

t.test('a look that runs when the idle time is over is not cut short, and the lease ends after it', async (t) => {
  const { use, time, stateOf, whyEnded, phone, leases } = await setup({ settings: { ttlMs: 3_600_000 } })
  await pass(time, 29 * minuteMs, minuteMs)
  const observing = phone.hold('tap')
  const looking = use('look', tap)
  await observing.begun
  await pass(time, 5 * minuteMs, minuteMs)
  t.equal(await stateOf(), 'leased')
  t.strictSame((await leases.list()).map(leases.isExpiring), [true])

  observing.finish()
  await looking
  await pass(time, 1)

  t.equal(await whyEnded(), 'idle')
})

t.test('a lease is over at its full length, however much it is used and renewed', async (t) => {
  const { leases, claim, use, time, lease, whyEnded } = await setup({ settings: { ttlMs: 30 * minuteMs, maxLengthMs: 20 * minuteMs } })
  await pass(time, 15 * minuteMs, 5 * minuteMs / 2)
  await use('control')

  t.equal((await leases.renew({ ...claim, ttlMs: 30 * minuteMs })).expiresAtMs, lease.grantedAtMs + 20 * minuteMs)
  await pass(time, 5 * minuteMs - 1, minuteMs)
  t.equal((await leases.list()).length, 1)
  await pass(time, 1)

  t.equal(await whyEnded(), 'max_length')
})

t.test('a ttl longer than a lease may be is cut to its length', async (t) => {
  const { lease } = await setup({ settings: { maxLengthMs: 20 * minuteMs } }, { ttlMs: 60 * minuteMs })

  t.equal(lease.expiresAtMs, lease.grantedAtMs + 20 * minuteMs)
  t.equal(lease.ttlMs, 60 * minuteMs)
})

t.test('a call holds off the end of its lease up to its own deadline, then it is aborted', async (t) => {
  const { use, time, phone, stateOf, whyEnded } = await setup({ settings: { ttlMs: 30_000 } })
  const tapping = phone.hold('tap')
  const using = t.rejects(use('control', tap, 45_000), { code: 'lease_ended', details: { reason: 'expired' } })
  await tapping.begun

  await pass(time, 44_999)
  t.equal(await stateOf(), 'leased')
  await pass(time, 1)

  await using
  t.equal(await whyEnded(), 'expired')
})

t.test('no call holds off the end of its lease for more than ten minutes', async (t) => {
  const { use, time, phone, stateOf } = await setup({ settings: { ttlMs: 30_000 } })
  const tapping = phone.hold('tap')
  const using = t.rejects(use('control', tap, 3_600_000), { code: 'lease_ended' })
  await tapping.begun

  await pass(time, 600_000 - 1, 10_000)
  t.equal(await stateOf(), 'leased')
  await pass(time, 1)

  await using
})

t.test('a call beyond its deadline goes on while its lease has time left', async (t) => {
  const { use, time, phone } = await setup()
  const tapping = phone.hold('tap')
  const using = use('control', tap, 1_000)
  await tapping.begun
  await pass(time, 60_000)
  tapping.finish()

  await using
})

t.test('a holder that promised heartbeats and is silent is given up: the timeout, four seconds, and the next sweep', async (t) => {
  const { leases, claim, time, stateOf, whyEnded, lines } = await setup({}, { heartbeatMs: 5_000 })
  t.equal((await leases.list())[0]?.heartbeatMs, 5_000)
  for (let i = 0; i < 5; i++) {
    await pass(time, 4_000)
    t.equal(await leases.heartbeat(claim), 'ok')
  }

  await pass(time, 6_000)
  t.match(lines.at(-1), /silent for longer/)
  t.equal(await leases.heartbeat(claim), 'ok', 'suspect is not lost')
  await pass(time, 8_999)
  t.equal(await stateOf(), 'leased')
  await pass(time, 2_000)

  t.equal(await whyEnded(), 'heartbeat_lost')
  t.strictSame(await leases.heartbeat(claim), { ended: 'heartbeat_lost' })
})

t.test('calls are signs of life, and a running one holds the end off', async (t) => {
  const { leases, claim, use, time, phone, stateOf } = await setup({}, { heartbeatMs: 2_000 })
  for (let i = 0; i < 5; i++) {
    await pass(time, 5_000)
    await use('look')
    await pass(time, 5_000)
    await leases.renew(claim)
  }
  const tapping = phone.hold('tap')
  const using = use('control', tap)
  await tapping.begun
  await pass(time, 60_000)
  t.equal(await stateOf(), 'leased')

  tapping.finish()
  await using
  await pass(time, 5_000)
  t.equal(await stateOf(), 'leased')
  await pass(time, 3_000)

  t.equal(await stateOf(), 'free')
})

t.test('who promised no heartbeats need not send any, and may', async (t) => {
  const { leases, claim, time, stateOf, lease } = await setup()
  t.equal(await leases.heartbeat(claim), 'ok')
  t.equal(await leases.heartbeat({ handle: claim.handle, holder: bob }), 'unknown')
  t.equal(await leases.heartbeat({ holder: alice }), 'unknown')
  t.equal((await leases.list())[0]?.expiresAtMs, lease.expiresAtMs, 'a heartbeat moves nothing')

  await pass(time, ttlMs - 1, 10_000)
  t.equal(await stateOf(), 'leased')
})

t.test('a stall of ours is nobody\'s silence', async (t) => {
  const { leases, claim, time, stateOf } = await setup({}, { heartbeatMs: 2_000 })
  await pass(time, 3_000)

  time.stall(60_000)
  await pass(time, 1_000)

  t.equal(await stateOf(), 'leased')
  t.equal(await leases.heartbeat(claim), 'ok')
})

t.test('a stop leaves no timer of any of these', async (t) => {
  const { leases, time } = await setup({}, { heartbeatMs: 2_000 })

  await leases.stop()
  await idle()

  t.equal(time.timers(), 0)
})

t.test('a silent holder whose end cannot be recorded is given up once it can be', async (t) => {
  const disk = breakableStore()
  const { leases, time, whyEnded } = await setup({ store: disk.store }, { heartbeatMs: 5_000 })
  disk.isBroken = true
  await pass(time, 60_000)
  t.equal((await leases.list()).length, 1)

  disk.isBroken = false
  await pass(time, 5_000)

  t.equal(await whyEnded(), 'heartbeat_lost')
})
