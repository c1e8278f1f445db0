import t from 'tap'
import type { LeaseEvent } from '../../src/leases/lease-machine.ts'
import type { LeaseStore } from '../../src/leases/lease-store.ts'

/** A store under test. `reopen` gives what a process started later would see. */
export interface StoreUnderTest {
  readonly store: LeaseStore
  reopen (): Promise<LeaseStore>
}

// As a principal's key really looks: two parts and a NUL between them.
const alice = { principal: 'https://issuer.example\u0000alice' }
const nowMs = 1_000_000
const ttlMs = 60_000

const grant = (deviceId: string, handle: string, more: Partial<Extract<LeaseEvent, { type: 'grant' }>> = {}): LeaseEvent => ({
  type: 'grant', deviceId, handle, bootId: 'boot-1', holder: alice, purpose: undefined, ttlMs, nowMs, ...more
})

interface Teardown {
  teardown (work: () => unknown): void
}

/** What every `LeaseStore` must do, whatever it is made of. */
export function leaseStoreContract (name: string, open: (t: Teardown) => Promise<StoreUnderTest>) {
  t.test(name, async (t) => {
    t.test('a device is enrolled once, free and with fence 0', async (t) => {
      const { store } = await open(t)

      await store.enroll(['b', 'a'])
      await store.change(grant('a', 'ls_1'))
      await store.enroll(['a', 'b', 'c'])

      t.strictSame((await store.occupancies()).map(({ device }) => [device.id, device.state, device.fence]), [
        ['a', 'leased', 1], ['b', 'free', 0], ['c', 'free', 0]
      ])
    })

    t.test('a grant makes the lease and marks the device', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])

      const granted = await store.change(grant('a', 'ls_1', { purpose: 'smoke test ✓' }))

      const lease = {
        handle: 'ls_1',
        deviceId: 'a',
        bootId: 'boot-1',
        fence: 1,
        holder: alice,
        state: 'granted',
        purpose: 'smoke test ✓',
        grantedAtMs: nowMs,
        ttlMs,
        expiresAtMs: nowMs + ttlMs,
        end: undefined
      }
      t.strictSame(granted, { device: { id: 'a', state: 'leased', fence: 1, reason: undefined, lastUsedAtMs: 0 }, lease })
      t.strictSame(await store.lease('ls_1'), lease)
      t.strictSame(await store.occupancies(), [granted])
      t.strictSame(await store.grantedLeases(), [lease])
    })

    t.test('a device that is not free is not granted, and one never enrolled neither', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))

      t.equal(await store.change(grant('a', 'ls_2')), undefined)
      t.equal(await store.change(grant('nowhere', 'ls_3')), undefined)

      t.equal(await store.lease('ls_2'), undefined)
    })

    t.test('of many grants of one device at once, one comes through', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])

      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => store.change(grant('a', `ls_${i}`))))

      t.equal(outcomes.filter((outcome) => outcome !== undefined).length, 1)
      t.equal((await store.grantedLeases()).length, 1)
    })

    t.test('a handle is never used twice, not even after its lease has ended', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])
      await store.change(grant('a', 'ls_1'))

      await t.rejects(store.change(grant('b', 'ls_1')))

      t.strictSame((await store.occupancies()).map(({ device }) => device.state), ['leased', 'free'])
      t.equal((await store.lease('ls_1'))?.deviceId, 'a')
    })

    t.test('an extension moves the expiry, and the ttl when it names one', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const lease = { type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, inUse: false } as const

      const used = await store.change({ ...lease, nowMs: nowMs + 10, durable: false })
      const renewed = await store.change({ ...lease, nowMs: nowMs + 20, ttlMs: 90_000, durable: true })

      t.match(used, { device: { fence: 1 }, lease: { ttlMs, expiresAtMs: nowMs + 10 + ttlMs } })
      t.match(renewed, { lease: { ttlMs: 90_000, expiresAtMs: nowMs + 20 + 90_000 } })
      t.strictSame(await store.lease('ls_1'), renewed?.lease)
    })

    t.test('a lease that is due is extended only while it is in use', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const due = { type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: nowMs + ttlMs, durable: true } as const

      t.equal(await store.change({ ...due, inUse: false }), undefined)
      t.match(await store.change({ ...due, inUse: true }), { lease: { expiresAtMs: nowMs + 2 * ttlMs } })
    })

    t.test('the wrong fence or handle changes nothing', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const before = await store.occupancies()

      for (const wrong of [{ handle: 'ls_1', fence: 0 }, { handle: 'ls_2', fence: 1 }]) {
        const lease = { deviceId: 'a', ...wrong }
        t.equal(await store.change({ ...lease, type: 'extend', nowMs, inUse: true, durable: true }), undefined)
        t.equal(await store.change({ ...lease, type: 'end', reason: 'released', nowMs }), undefined)
        t.equal(await store.change({ ...lease, type: 'withdraw' }), undefined)
      }
      t.equal(await store.change({ type: 'settle', deviceId: 'a', fence: 1 }), undefined)
      t.equal(await store.change({ type: 'quarantine', deviceId: 'a', fence: 1, reason: 'x' }), undefined)

      t.strictSame(await store.occupancies(), before)
    })

    t.test('the end of a lease takes the next fence and leaves the device to be cleaned', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))

      const ended = await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'released', nowMs: nowMs + 5 })

      t.match(ended, {
        device: { state: 'cleaning', fence: 2, lastUsedAtMs: nowMs + 5 },
        lease: { state: 'releasing', fence: 1, end: { reason: 'released', atMs: nowMs + 5 } }
      })
      t.strictSame(await store.occupancies(), [ended])
      t.strictSame(await store.grantedLeases(), [])
      t.equal(await store.change(grant('a', 'ls_2')), undefined, 'not granted while it is dirty')
    })

    t.test('a lease expires when it is due, at the instant it promised', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const expire = { type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'expired' } as const

      t.equal(await store.change({ ...expire, nowMs: nowMs + ttlMs - 1 }), undefined)
      const expired = await store.change({ ...expire, nowMs: nowMs + ttlMs + 7 })

      t.strictSame(expired?.lease?.end, { reason: 'expired', atMs: nowMs + ttlMs })
    })

    t.test('a clean device is free for a grant with a higher fence', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'released', nowMs })

      const settled = await store.change({ type: 'settle', deviceId: 'a', fence: 2 })
      const next = await store.change(grant('a', 'ls_2'))

      t.match(settled, { device: { state: 'free', fence: 2 }, lease: { handle: 'ls_1', state: 'ended' } })
      t.match(await store.lease('ls_1'), { state: 'ended', end: { reason: 'released', atMs: nowMs } })
      t.equal(next?.lease?.fence, 3)
    })

    t.test('a quarantined device says why, is not granted, and is free after a cleanup', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'released', nowMs })

      const quarantined = await store.change({ type: 'quarantine', deviceId: 'a', fence: 2, reason: 'it is on fire' })

      t.match(quarantined, { device: { state: 'quarantined', reason: 'it is on fire' }, lease: { state: 'ended' } })
      t.strictSame(await store.occupancies(), [{ device: quarantined?.device, lease: undefined }])
      t.equal(await store.change(grant('a', 'ls_2')), undefined)
      t.match(await store.change({ type: 'settle', deviceId: 'a', fence: 2 }), {
        device: { state: 'free', reason: undefined }, lease: undefined
      })
    })

    t.test('a withdrawn grant leaves nothing but its fence', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))

      const withdrawn = await store.change({ type: 'withdraw', deviceId: 'a', handle: 'ls_1', fence: 1 })

      t.strictSame(withdrawn, { device: { id: 'a', state: 'free', fence: 1, reason: undefined, lastUsedAtMs: 0 }, lease: undefined })
      t.strictSame(await store.occupancies(), [withdrawn])
      t.equal(await store.lease('ls_1'), undefined)
      t.equal((await store.change(grant('a', 'ls_2')))?.lease?.fence, 2)
    })

    t.test('granted leases come in the order of their expiry', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c'])
      await store.change(grant('a', 'ls_1', { ttlMs: 50_000 }))
      await store.change(grant('b', 'ls_2', { ttlMs: 40_000 }))
      await store.change(grant('c', 'ls_3', { ttlMs: 60_000 }))

      t.strictSame((await store.grantedLeases()).map(({ handle }) => handle), ['ls_2', 'ls_1', 'ls_3'])
    })

    t.test('a purge forgets ended leases by age, and no others', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c'])
      for (const [deviceId, handle, endedAtMs] of [['a', 'ls_old', 100], ['b', 'ls_young', 200]] as const) {
        await store.change(grant(deviceId, handle, { nowMs: 0 }))
        await store.change({ type: 'end', deviceId, handle, fence: 1, reason: 'released', nowMs: endedAtMs })
        await store.change({ type: 'settle', deviceId, fence: 2 })
      }
      await store.change(grant('c', 'ls_releasing', { nowMs: 0 }))
      await store.change({ type: 'end', deviceId: 'c', handle: 'ls_releasing', fence: 1, reason: 'released', nowMs: 100 })
      await store.change(grant('a', 'ls_granted', { nowMs: 0 }))

      t.equal(await store.purgeEnded(100), 1)

      t.equal(await store.lease('ls_old'), undefined)
      for (const kept of ['ls_young', 'ls_releasing', 'ls_granted']) t.equal((await store.lease(kept))?.handle, kept)
      t.equal(await store.purgeEnded(100), 0)
    })

    t.test('everything is there again for the next process', async (t) => {
      const { store, reopen } = await open(t)
      await store.enroll(['a', 'b', 'c', 'd'])
      await store.change(grant('a', 'ls_1', { purpose: 'kept' }))
      await store.change({ type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: nowMs + 1, inUse: true, durable: false })
      await store.change(grant('b', 'ls_2'))
      await store.change({ type: 'end', deviceId: 'b', handle: 'ls_2', fence: 1, reason: 'revoked', nowMs })
      await store.change(grant('c', 'ls_3'))
      await store.change({ type: 'end', deviceId: 'c', handle: 'ls_3', fence: 1, reason: 'released', nowMs })
      await store.change({ type: 'quarantine', deviceId: 'c', fence: 2, reason: 'stuck' })
      const before = { occupancies: await store.occupancies(), ended: await store.lease('ls_3') }

      const reopened = await reopen()

      t.strictSame({ occupancies: await reopened.occupancies(), ended: await reopened.lease('ls_3') }, before)
      t.match(await reopened.change({ type: 'settle', deviceId: 'c', fence: 2 }), { device: { state: 'free' } })
      t.equal((await reopened.change(grant('c', 'ls_4')))?.lease?.fence, 3)
    })
  })
}
