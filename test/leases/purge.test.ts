import t from 'tap'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { leaseBench } from '../support/lease-bench.ts'
import { grantEvent } from '../support/lease-events.ts'
import { fakeDriver } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'

const many = 1_700

/** A store with many leases that ended long ago, which tells how many rows each purge has taken. */
async function storeWithTombstones () {
  const memory = memoryLeaseStore()
  await memory.enroll(['old'])
  for (let i = 0; i < many; i++) {
    const granted = await memory.change(grantEvent('old', `ls_${i}`, { nowMs: 1 }))
    const fence = granted?.device.fence ?? 0
    await memory.change({ type: 'end', deviceId: 'old', handle: `ls_${i}`, fence, reason: 'released', nowMs: 2 })
    await memory.change({ type: 'settle', deviceId: 'old', fence: fence + 1, nowMs: 3 })
  }
  const taken: number[] = []
  const store = {
    ...memory,
    async purgeEnded (untilMs: number, most: number) {
      const count = await memory.purgeEnded(untilMs, most)
      taken.push(count)
      return count
    }
  }
  return { store, taken }
}

t.test('many old leases are forgotten in slices, with time for callers in between', async (t) => {
  const { store, taken } = await storeWithTombstones()

  const { leases, acquire, time } = await leaseBench({ store, phones: [fakeDriver()] })
  await idle()
  t.strictSame(taken, [500], 'one slice at the start')
  await leases.release({ handle: (await acquire()).handle, holder: { principal: 'issuer\u0000alice' } })

  for (let slices = 2; slices <= 4; slices++) {
    time.advance(20)
    await idle()
    t.equal(taken.length, slices)
  }
  t.strictSame(taken, [500, 500, 500, 200])
  time.advance(1_000)
  await idle()
  t.equal(taken.length, 4, 'and then it rests')
  await leases.stop()
})

t.test('a pool that stops purges no further', async (t) => {
  const { store, taken } = await storeWithTombstones()
  const { leases, time } = await leaseBench({ store, phones: [fakeDriver()] })
  await idle()

  await leases.stop()
  time.advance(1_000)
  await idle()

  t.strictSame(taken, [500])
})
