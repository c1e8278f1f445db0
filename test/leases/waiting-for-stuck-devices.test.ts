import t from 'tap'
import type { DeviceSelector, QueuePosition } from '../../src/leases/contract/lease-manager.ts'
import { fakeDriver, fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, type LeaseBench } from '../support/lease-bench.ts'
import { pass, request } from '../support/pool-moves.ts'

const by = 'operator'
const signal = new AbortController().signal

async function refusalOf (bench: LeaseBench, wanted: Readonly<Record<string, DeviceSelector>>): Promise<unknown> {
  return await bench.leases.acquireAll({ holder: bob, wanted, signal }).then(() => 'granted', (refusal: unknown) => refusal)
}

t.test('nothing is kept for a request that waits for a phone that cannot be cleaned', async (t) => {
  const phones = [fakeDriver(), fakeDriver({ id: 'iphone', platform: 'ios' })]
  const { leases, acquire, stateOf, time } = await leaseBench({ phones })
  for (const phone of phones.slice(1)) phone.failingCleanups = Number.POSITIVE_INFINITY
  const { handle } = await acquire(alice, { platform: 'ios' })
  await leases.release({ handle, holder: alice })
  t.equal(await stateOf('iphone'), 'quarantined')
  leases.acquireAll({ holder: alice, wanted: { one: { platform: 'ios' }, other: { platform: 'android' } }, waitMs: 600_000, signal }).catch(() => {})
  await pass(time, 60_000)
  t.match(leases.waiting(), [{ estimateMs: undefined }])

  t.equal((await acquire(bob, { platform: 'android' })).deviceId, 'phone-1')
  await t.rejects(acquire(bob, { platform: 'ios' }), { code: 'capacity_exhausted', retryAfterMs: Number })
})

t.test('a refusal for a phone that is being tried again names the time of the next try', async (t) => {
  const { leases, acquire, phone } = await leaseBench()
  phone.failingCleanups = 1
  const { handle } = await acquire()
  await leases.release({ handle, holder: alice })

  const refusal = await acquire(bob).catch((refusal: unknown) => refusal)

  t.match(refusal, { code: 'capacity_exhausted', retryAfterMs: 5_000, details: { states: { quarantined: 1 } } })
})

t.test('what an operator holds is refused with the hold and its reason, in quotes', async (t) => {
  const bench = await leaseBench({ phones: fakePool(3) })
  const { operations } = bench.leases
  await operations.drain({ device: 'phone-1', reason: 'new battery', by })
  await operations.block({ device: 'phone-2', reason: 'say "yes"\nnow\u009b', by })

  t.match(await refusalOf(bench, { a: { device: 'phone-1' } }), {
    code: 'devices_on_hold',
    message: /: drain "new battery"\.$/,
    nextAction: /another sort/,
    retryAfterMs: 30_000,
    details: { matching: 1, holds: [{ device: 'phone-1', kind: 'drain' }] }
  })
  t.match(await refusalOf(bench, { a: { device: 'phone-2' } }), { message: /: block "say \\"yes\\"\\nnow\\u009b"\.$/ })
  t.match(await refusalOf(bench, { a: {}, b: {} }), { code: 'devices_on_hold', message: /: drain .*, block / }, 'one of three is not enough')
  t.equal((await bench.acquire()).deviceId, 'phone-3')
})

t.test('a hold on one phone is no reason while another would do', async (t) => {
  const bench = await leaseBench({ phones: fakePool(2) })
  await bench.leases.operations.block({ device: 'phone-1', reason: 'cracked', by })
  await bench.acquire(alice)

  t.match(await refusalOf(bench, { a: {} }), { code: 'capacity_exhausted', details: { states: { blocked: 1, leased: 1 } } })
})

t.test('of many holds the first few reasons are told', async (t) => {
  const bench = await leaseBench({ phones: fakePool(5) })
  for (const id of [1, 2, 3, 4, 5]) await bench.leases.operations.block({ device: `phone-${id}`, reason: `reason ${Math.max(id, 2)}`, by })

  t.match(await refusalOf(bench, { a: {} }), { message: /block "reason 2", block "reason 3", block "reason 4", 1 more\.$/ })
})

t.test('a request that waits for what an operator holds is told so at once, again when that changes, and gets it when it is lifted', async (t) => {
  const { leases, time } = await leaseBench()
  await leases.operations.block({ device: 'phone-1', reason: 'cracked', by })
  const positions: QueuePosition[] = []
  const waiting = request(leases, 'ann', { onWaiting: (position) => { positions.push(position) } })
  const impatient = request(leases, 'ben', { waitMs: 2_000 })
  await idle()
  t.match(positions, [{ position: 1, estimateMs: undefined, note: /^an operator keeps what matches from new leases: block "cracked"$/ }])

  await pass(time, 2_000)
  await t.rejects(impatient.outcome, { code: 'wait_timed_out', message: /because an operator keeps .*: block "cracked"\.$/ })
  await leases.operations.block({ device: 'phone-1', reason: 'melted', by })
  await pass(time, 1_000)
  t.match(positions.slice(1), [{ note: /block "melted"$/ }])

  await leases.operations.unblock({ device: 'phone-1', by })
  t.equal((await waiting.outcome).deviceId, 'phone-1')
})
