import t from 'tap'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { request } from '../support/pool-moves.ts'

const sessionKey = 'hash-of-a-key'

async function setup (options: Parameters<typeof leaseBench>[0] = {}) {
  const bench = await leaseBench({ phones: fakePool(3), ...options })
  const signal = new AbortController().signal
  return {
    ...bench,
    acquireUnder: (holder = alice, key = sessionKey) => bench.leases.acquire({ holder, selector: {}, sessionKey: key, signal })
  }
}

t.test('a lease granted under a session key is found by it, by its holder only', async (t) => {
  const { leases, acquireUnder } = await setup()

  const lease = await acquireUnder()

  t.equal(lease.sessionKey, sessionKey)
  t.strictSame(await leases.boundTo({ sessionKey, holder: alice }), lease)
  t.equal(await leases.boundTo({ sessionKey, holder: bob }), undefined)
  t.equal(await leases.boundTo({ sessionKey: 'another', holder: alice }), undefined)
})

t.test('a second lease under a key that is bound is not bound, and the same key of another holder is another key', async (t) => {
  const { leases, acquireUnder } = await setup()
  const first = await acquireUnder()

  t.equal((await acquireUnder()).sessionKey, undefined)
  t.equal((await acquireUnder(bob)).sessionKey, sessionKey)
  t.equal((await leases.boundTo({ sessionKey, holder: alice }))?.handle, first.handle)
})

t.test('of several leases granted at once under a key the first is bound', async (t) => {
  const { leases } = await setup()
  const signal = new AbortController().signal

  const { left, right } = await leases.acquireAll({ holder: alice, wanted: { left: {}, right: {} }, sessionKey, signal })

  t.strictSame([left?.sessionKey, right?.sessionKey], [sessionKey, undefined])
})

t.test('two grants under one key at the same time bind one of them', async (t) => {
  for (const pause of [undefined, idle]) {
    const { leases, acquireUnder } = await setup({ store: memoryLeaseStore(pause && { pause }) })

    const both = await Promise.all([acquireUnder(), acquireUnder()])

    t.equal(both.filter((lease) => lease.sessionKey === sessionKey).length, 1)
    t.ok(await leases.boundTo({ sessionKey, holder: alice }))
  }
})

t.test('once its lease is over, however that came, a key is free for the next', async (t) => {
  const { leases, acquireUnder, time } = await setup()
  const first = await acquireUnder()
  await leases.release({ handle: first.handle, holder: alice, sessionKey })
  t.equal(await leases.boundTo({ sessionKey, holder: alice }), undefined)

  const second = await acquireUnder()
  t.equal((await leases.boundTo({ sessionKey, holder: alice }))?.handle, second.handle)
  time.advance(ttlMs)
  t.equal(await leases.boundTo({ sessionKey, holder: alice }), undefined, 'not even before anybody has noticed')
  t.match(await leases.lastBoundTo({ sessionKey, holder: alice }), { handle: second.handle, end: { reason: 'expired' } }, 'but why is remembered')
  t.equal(await leases.lastBoundTo({ sessionKey, holder: bob }), undefined)
  await idle()

  const third = await acquireUnder()
  t.equal((await leases.boundTo({ sessionKey, holder: alice }))?.handle, third.handle)
})

t.test('a binding outlives the process', async (t) => {
  const { acquireUnder, restarted } = await setup()
  const { handle } = await acquireUnder()

  const after = restarted()
  await after.start()

  t.match(await after.boundTo({ sessionKey, holder: alice }), { handle, state: 'awaiting_owner' })
  t.equal(await after.heartbeat({ sessionKey, holder: alice }), 'ok')
  t.match(await after.boundTo({ sessionKey, holder: alice }), { handle, state: 'granted' })
})

t.test('a heartbeat under a key whose lease is over says why', async (t) => {
  const { leases, acquireUnder } = await setup()
  const { handle } = await acquireUnder()
  t.equal(await leases.heartbeat({ sessionKey, holder: alice }), 'ok')
  await leases.release({ handle, holder: alice, sessionKey })

  t.strictSame(await leases.heartbeat({ sessionKey, holder: alice }), { ended: 'released' })
  t.equal(await leases.heartbeat({ sessionKey, holder: bob }), 'unknown')
})

t.test('what its caller never learned of is undone without a cleanup, and the next in the queue has it', async (t) => {
  const { leases, phone, acquireUnder } = await setup({ phones: fakePool(1) })
  const { handle } = await acquireUnder()
  const waiting = request(leases, 'ann')

  await leases.undo({ handle, holder: alice })

  t.equal((await waiting.outcome).fence, 3)
  t.strictSame(phone.obeyed, [])
  t.equal(await leases.boundTo({ sessionKey, holder: alice }), undefined)
  await t.rejects(leases.renew({ handle, holder: alice }), { code: 'lease_ended', details: { reason: 'undelivered' } })
})

t.test('a lease that has been used is not undone, nor somebody else\'s, nor one that is over', async (t) => {
  const { leases, acquire } = await setup()
  const [used, other, over] = [await acquire(), await acquire(), await acquire()]
  await leases.use({ handle: used.handle, holder: alice, signal: new AbortController().signal, kind: 'look' }, async () => {})
  await leases.release({ handle: over.handle, holder: alice })

  await leases.undo({ handle: used.handle, holder: alice })
  await leases.undo({ handle: other.handle, holder: bob })
  await leases.undo({ handle: over.handle, holder: alice })
  await leases.undo({ handle: 'ls_none', holder: alice })

  t.strictSame((await leases.list(alice)).map(({ handle }) => handle).sort(), [used.handle, other.handle].sort())
})

t.test('an undo and the first use at the same time: either it is undone and the use refused, or it goes on', async (t) => {
  for (const pause of [undefined, idle]) {
    for (let delay = 0; delay < 6; delay++) {
      const { leases, acquire, phone } = await setup({ phones: fakePool(1), store: memoryLeaseStore(pause && { pause }) })
      const { handle, fence } = await acquire()

      const using = leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async ({ driver, signal }) => {
        await driver.clearText({ fence, signal })
      }).then(() => 'used', (refusal: { code: string }) => refusal.code)
      for (let step = 0; step < delay; step++) await (pause ?? Promise.resolve.bind(Promise))()
      await leases.undo({ handle, holder: alice })

      const isLive = (await leases.list()).length === 1
      t.equal(await using, isLive ? 'used' : 'lease_ended')
      t.equal(phone.obeyed.length, isLive ? 1 : 0)
    }
  }
})

t.test('a lease that is released without its key ends as released by another agent, also when it is released again', async (t) => {
  const { leases, acquireUnder } = await setup()
  const { handle } = await acquireUnder()

  t.match(await leases.release({ handle, holder: alice }), { releasedNow: true, lease: { end: { reason: 'released_by_other' } } })
  t.match(await leases.release({ handle, holder: alice, sessionKey }), { releasedNow: false })
  t.match(await leases.lastBoundTo({ sessionKey, holder: alice }), { end: { reason: 'released_by_other' } })
})

t.test('no call under another key has a lease that is bound to one, whatever it is about', async (t) => {
  const { leases, acquireUnder } = await setup()
  const { handle } = await acquireUnder()
  const unbound = await acquireUnder()
  const claim = { handle, holder: alice, sessionKey: 'another key' }
  const signal = new AbortController().signal
  const refused = { code: 'lease_of_other_session', retryable: false }

  await t.rejects(leases.use({ ...claim, signal, kind: 'look' }, async () => {}), refused)
  await t.rejects(leases.use({ ...claim, signal, kind: 'control' }, async () => {}), refused)
  await t.rejects(leases.renew(claim), refused)
  await t.rejects(leases.release(claim), refused)
  await t.rejects(leases.renew({ ...claim, holder: bob }), { code: 'lease_unknown' }, 'another principal learns nothing')
  t.equal((await leases.list(alice)).find((lease) => lease.handle === handle)?.isConfirmed, false, 'nor does such a call show that the holder knows of it')

  await leases.renew({ ...claim, sessionKey })
  await leases.renew({ handle, holder: alice })
  await leases.renew({ handle: unbound.handle, holder: alice, sessionKey: 'another key' })
})
