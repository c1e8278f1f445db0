import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { assignAll, assignDevices, canAssignAll, findTooFew } from '../../../src/leases/queue/assign-devices.ts'
import { deviceSetOf, firstDevice, hasDevice, type DeviceSet } from '../../../src/leases/queue/device-set.ts'

const indexes = [0, 1, 2, 3, 4, 5]
const set = fc.subarray(indexes).map((members) => deviceSetOf(indexes, (index) => members.includes(index)))

t.test('what is short are some of the wanted, for which there are fewer devices than of them', async () => {
  fc.assert(fc.property(fc.array(set, { maxLength: 5 }), set, (wanted, available) => {
    const short = findTooFew(wanted, indexes, available)
    const isServed = assignDevices(wanted, indexes, available).every((device) => device !== undefined)
    assert.equal(short === undefined, isServed)
    if (short === undefined) return

    const usable = indexes.filter((device) => hasDevice(available, device))
    const theirs = usable.filter((device) => short.wanted.some((index) => hasDevice(wanted[index] ?? set0, device)))
    assert.equal(theirs.length, short.devices)
    assert.ok(short.devices < short.wanted.length)
    // None of them is named in vain: without it the others could be served.
    for (const index of short.wanted) {
      const rest: readonly DeviceSet[] = wanted.filter((_, i) => i !== index && short.wanted.includes(i))
      assert.equal(findTooFew(rest, indexes, available), undefined)
    }
  }), { numRuns: 3_000 })
})

t.test('whether all can be served is the same question asked faster', async () => {
  fc.assert(fc.property(fc.array(set, { maxLength: 6 }), set, fc.shuffledSubarray(indexes, { minLength: 6 }), (wanted, available, order) => {
    const served = assignDevices(wanted, order, available)
    assert.equal(canAssignAll(wanted, available), served.every((device) => device !== undefined))
    assert.deepEqual(assignAll(wanted, order, available), canAssignAll(wanted, available) ? served : undefined)
  }), { numRuns: 3_000 })
})

t.test('the first device of two sets is found in every word of them', (t) => {
  const among = Array.from({ length: 70 }, (_, index) => index)
  for (const first of among) {
    t.equal(firstDevice(deviceSetOf(among, (index) => index >= first), deviceSetOf(among, (index) => index % 2 === first % 2)), first)
  }
  t.equal(firstDevice(deviceSetOf(among, (index) => index < 40), deviceSetOf(among, (index) => index >= 40)), undefined)
  t.end()
})

const set0 = deviceSetOf(indexes, () => false)
