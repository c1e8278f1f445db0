import t from 'tap'
import type { QueuePosition } from '../../src/leases/contract/lease-manager.ts'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench } from '../support/lease-bench.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { pass, request } from '../support/pool-moves.ts'

t.test('the queue is bounded, in all and for each holder; a request that does not wait does not count', async (t) => {
  const { leases, acquire } = await leaseBench({ settings: { maxWaiting: 3, maxWaitingPerHolder: 2 } })
  await acquire()
  const waiting = [request(leases, 'ann'), request(leases, 'ann')]

  await t.rejects(request(leases, 'ann').outcome, { code: 'queue_full', retryable: true, details: { limit: 2 } })
  waiting.push(request(leases, 'ben'))
  await t.rejects(request(leases, 'cal').outcome, { code: 'queue_full', details: { limit: 3 } })
  await t.rejects(acquire(bob), { code: 'capacity_exhausted' })

  waiting[0]?.leave()
  await idle()
  t.equal(request(leases, 'cal').now(), 'waiting')
  t.equal(leases.waiting().length, 3)
})

t.test('unless the operator says so, a principal has as many leases and waits as often as there is room', async (t) => {
  const { leases, acquire } = await leaseBench({ phones: fakePool(40) })
  for (let i = 0; i < 40; i++) await acquire()

  const waiting = Array.from({ length: 1_000 }, () => request(leases, alice.principal))
  await idle()

  t.ok(waiting.every(({ now }) => now() === 'waiting'))
  await t.rejects(request(leases, alice.principal).outcome, { code: 'queue_full', details: { limit: 1_000 } })
})

t.test('a holder has as many leases as it may, however it asks for them; the rest waits', async (t) => {
  for (const pause of [undefined, idle]) {
    const { leases, acquire } = await leaseBench({
      phones: fakePool(6), settings: { maxPerHolder: 3 }, store: memoryLeaseStore(pause && { pause })
    })
    const requests = Array.from({ length: 5 }, () => request(leases, alice.principal))
    await Promise.all(requests.slice(0, 3).map(({ outcome }) => outcome))
    await idle()

    t.equal((await leases.list(alice)).length, 3)
    t.strictSame(requests.slice(3).map(({ now }) => now()), ['waiting', 'waiting'])
    await t.rejects(acquire(), {
      code: 'lease_limit_reached', retryable: true, nextAction: /waitMs.* that you acquired yourself/, details: { limit: 3, wanted: 1 }
    })
    t.ok(await acquire(bob), 'no other holder is blocked')
    await leases.release({ handle: (await leases.list(alice))[0]?.handle ?? '', holder: alice })
    t.ok(await requests[3]?.outcome)
    t.equal(requests[4]?.now(), 'waiting')
  }
})

t.test('a request over its holder\'s limit is told so, keeps no device from others, and is not overtaken by them', async (t) => {
  const { leases, acquire, time } = await leaseBench({ phones: fakePool(2), settings: { maxPerHolder: 1, maxBypasses: 0, reserveAfterMs: 1_000 } })
  const own = await acquire()
  const positions: QueuePosition[] = []
  const limited = request(leases, alice.principal, { onWaiting: (position) => { positions.push(position) } })

  await pass(time, 2_000)
  for (let round = 0; round < 3; round++) {
    const other = await acquire(bob)
    await leases.release({ handle: other.handle, holder: bob })
  }
  t.match(positions, [{ position: 1, note: /all agents that use your token may hold 1 lease/ }])

  await leases.release({ handle: own.handle, holder: alice })
  t.ok(await limited.outcome)
})

t.test('several devices are had in the end, however many single ones its own holder asks for', async (t) => {
  const { leases, acquire, time } = await leaseBench({ phones: fakePool(3), settings: { maxPerHolder: 2, maxBypasses: 1 } })
  const held = [await acquire(), await acquire()]
  const both = leases.acquireAll({ holder: alice, wanted: { a: {}, b: {} }, waitMs: 3_600_000, signal: new AbortController().signal })
  const notes: Array<string | undefined> = []
  const singles = Array.from({ length: 3 }, () => request(leases, alice.principal, { onWaiting: ({ note }) => { notes.push(note) } }))
  const release = async () => { await leases.release({ handle: held.shift()?.handle ?? '', holder: alice }) }

  for (const single of singles.slice(0, 2)) {
    await release()
    held.push(await single.outcome)
  }
  await release()
  await pass(time, 1_000)

  t.equal(singles[2]?.now(), 'waiting', 'a phone is free, and the allowance is kept')
  t.match(notes.at(-1), /an earlier request with your token waits for those that are left$/)
  await t.rejects(acquire(), { code: 'lease_limit_reached', retryable: true, message: /may hold 2 lease.*an earlier request/ })
  t.ok(await acquire(bob), 'which concerns no other holder')
  await release()
  t.equal(Object.keys(await both).length, 2)
})

t.test('a wait that is over because of the limit says so', async (t) => {
  const { leases, acquire, time } = await leaseBench({ phones: fakePool(2), settings: { maxPerHolder: 1 } })
  await acquire()
  const limited = request(leases, alice.principal, { waitMs: 5_000 })

  await pass(time, 5_000)

  await t.rejects(limited.outcome, { code: 'wait_timed_out', message: /because all agents that use your token may hold 1 lease/ })
})

t.test('more devices than a holder may ever have are refused at once, however long it would wait', async (t) => {
  const { leases } = await leaseBench({ phones: fakePool(3), settings: { maxPerHolder: 2 } })
  const signal = new AbortController().signal

  await t.rejects(leases.acquireAll({ holder: alice, wanted: { a: {}, b: {}, c: {} }, waitMs: 60_000, signal }), {
    code: 'lease_limit_reached', retryable: false, nextAction: /at most 2 device/, details: { limit: 2, wanted: 3 }
  })
})

t.test('several devices wait until there is room for all of them', async (t) => {
  const { leases, acquire } = await leaseBench({ phones: fakePool(4), settings: { maxPerHolder: 2 } })
  const first = await acquire()
  const signal = new AbortController().signal
  const both = leases.acquireAll({ holder: alice, wanted: { a: {}, b: {} }, waitMs: 60_000, signal })
  await idle()
  t.equal((await leases.list(alice)).length, 1)

  await leases.release({ handle: first.handle, holder: alice })

  t.equal(Object.keys(await both).length, 2)
})
