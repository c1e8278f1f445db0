import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { assignDevices, findTooFew } from '../../../src/leases/queue/assign-devices.ts'
import { deviceSetOf, hasDevice, type DeviceSet } from '../../../src/leases/queue/device-set.ts'

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

const set0 = deviceSetOf(indexes, () => false)
