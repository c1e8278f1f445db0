import t from 'tap'
import type { LeaseEvent } from '../../src/leases/contract/lease-machine.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import { grantedLease, grantEvent } from '../support/lease-events.ts'

/** A store under test. `reopen` gives what a process started later would see. */
export interface StoreUnderTest {
  readonly store: LeaseStore
  reopen (): Promise<LeaseStore>
}

const nowMs = 1_000_000
const ttlMs = 60_000
const grant = grantEvent

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

      const lease = grantedLease({ deviceId: 'a', handle: 'ls_1', purpose: 'smoke test ✓' })
      t.strictSame(granted, {
        device: { id: 'a', state: 'leased', fence: 1, reason: undefined, holds: [], lastUsedAtMs: 0, failures: 0 }, lease
      })
      t.strictSame(await store.lease('ls_1'), lease)
      t.strictSame(await store.occupancies(), [granted])
      t.strictSame(await store.liveLeases(), [lease])
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
      t.equal((await store.liveLeases()).length, 1)
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
      const lease = { type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, by: 'look', isVetoed: false } as const

      const used = await store.change({ ...lease, nowMs: nowMs + 10, durable: false })
      const renewed = await store.change({ ...lease, nowMs: nowMs + 20, ttlMs: 90_000, durable: true })

      t.match(used, { device: { fence: 1 }, lease: { ttlMs, expiresAtMs: nowMs + 10 + ttlMs } })
      t.match(renewed, { lease: { ttlMs: 90_000, expiresAtMs: nowMs + 20 + 90_000 } })
      t.strictSame(await store.lease('ls_1'), renewed?.lease)
    })

    t.test('a lease is confirmed by what moves it, unless its acquirer does, or by itself; it stays so', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])
      await store.change(grant('a', 'ls_1'))
      await store.change(grant('b', 'ls_2'))
      const [one, other] = [{ deviceId: 'a', handle: 'ls_1', fence: 1, nowMs }, { deviceId: 'b', handle: 'ls_2', fence: 1, nowMs }]
      const moved = { type: 'extend', by: 'look', isVetoed: false, durable: false } as const

      t.match(await store.change({ ...one, ...moved, byAcquirer: true }), { lease: { isConfirmed: false, isUsed: true } })
      t.match(await store.change({ ...one, ...moved }), { lease: { isConfirmed: true } })
      t.match(await store.change({ ...one, ...moved, byAcquirer: true }), { lease: { isConfirmed: true } })
      t.match(await store.change({ ...other, type: 'confirm' }), { lease: { isConfirmed: true, isUsed: false } })
      t.match(await store.change({ ...other, type: 'confirm' }), { lease: { isConfirmed: true } })

      t.equal(await store.change({ ...one, type: 'end', reason: 'undelivered' }), undefined)
      t.match([await store.lease('ls_1'), await store.lease('ls_2')], [{ state: 'granted', isConfirmed: true }, { state: 'granted', isConfirmed: true }])
    })

    t.test('a lease that is taken back leaves its device free, and to be cleaned where its acquirer has used it', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])
      await store.change(grant('a', 'ls_1'))
      await store.change(grant('b', 'ls_2'))
      await store.change({ type: 'extend', deviceId: 'b', handle: 'ls_2', fence: 1, nowMs, by: 'look', isVetoed: false, durable: false, byAcquirer: true })
      const end = { type: 'end', fence: 1, reason: 'undelivered', nowMs: nowMs + 1 } as const

      t.match(await store.change({ ...end, deviceId: 'a', handle: 'ls_1' }), { device: { state: 'free', fence: 2 }, lease: { state: 'ended', end: { reason: 'undelivered' } } })
      t.match(await store.change({ ...end, deviceId: 'b', handle: 'ls_2' }), { device: { state: 'cleaning', fence: 2 }, lease: { state: 'releasing', end: { reason: 'undelivered' } } })
      t.equal(await store.change({ ...end, deviceId: 'b', handle: 'ls_2', type: 'confirm' }), undefined)
    })

    t.test('that an operator adds or removes a device is audited; the drain of its removal goes with it', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      const drain = { type: 'hold', deviceId: 'a', hold: { kind: 'drain', reason: 'old', by: 'olga', atMs: nowMs }, nowMs } as const
      const remove = { type: 'remove', deviceId: 'a', by: 'olga', reason: 'old', nowMs } as const

      t.equal(await store.change({ type: 'add', deviceId: 'b', by: 'olga', nowMs }), undefined, 'it is enrolled before')
      t.match(await store.change({ type: 'add', deviceId: 'a', by: 'olga', nowMs }), { device: { state: 'free', fence: 0 }, lease: undefined })
      await store.change(drain)
      t.match(await store.change({ ...remove, liftsDrain: false }), { device: { holds: [{ kind: 'drain' }] } })
      t.strictSame((await store.change({ ...remove, liftsDrain: true }))?.device.holds, [])

      t.match(await store.audit({ limit: 9 }), [
        { event: 'remove', deviceId: 'a', by: 'olga', reason: 'old' },
        { event: 'remove' },
        { event: 'drain' },
        { event: 'add', deviceId: 'a', by: 'olga' }
      ])
    })

    t.test('a lease that is due is extended only while it is in use', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const due = { type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: nowMs + ttlMs, by: 'look', durable: true } as const

      t.equal(await store.change({ ...due, isVetoed: false }), undefined)
      t.match(await store.change({ ...due, isVetoed: true }), { lease: { expiresAtMs: nowMs + 2 * ttlMs } })
    })

    t.test('the wrong fence or handle changes nothing', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const before = await store.occupancies()

      for (const wrong of [{ handle: 'ls_1', fence: 0 }, { handle: 'ls_2', fence: 1 }]) {
        const lease = { deviceId: 'a', ...wrong }
        t.equal(await store.change({ ...lease, type: 'extend', nowMs, by: 'look', isVetoed: true, durable: true }), undefined)
        t.equal(await store.change({ ...lease, type: 'end', reason: 'released', nowMs }), undefined)
        t.equal(await store.change({ ...lease, type: 'end', reason: 'undelivered', nowMs }), undefined)
        t.equal(await store.change({ ...lease, type: 'resume', nowMs }), undefined)
        t.equal(await store.change({ ...lease, type: 'confirm', nowMs }), undefined)
        t.equal(await store.change({ ...lease, type: 'await_owner', nowMs, forgivenMs: 0, ownerMs: 0 }), undefined)
      }
      t.equal(await store.change({ type: 'settle', deviceId: 'a', fence: 1, nowMs }), undefined)
      t.equal(await store.change({ type: 'quarantine', deviceId: 'a', fence: 1, reason: 'x', nowMs }), undefined)

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
      t.strictSame(await store.liveLeases(), [])
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

      const settled = await store.change({ type: 'settle', deviceId: 'a', fence: 2, nowMs })
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

      const quarantined = await store.change({ type: 'quarantine', deviceId: 'a', fence: 2, reason: 'it is on fire', nowMs })

      t.match(quarantined, { device: { state: 'quarantined', reason: 'it is on fire' }, lease: { state: 'ended' } })
      t.strictSame(await store.occupancies(), [{ device: quarantined?.device, lease: undefined }])
      t.equal(await store.change(grant('a', 'ls_2')), undefined)
      t.match(await store.change({ type: 'settle', deviceId: 'a', fence: 2, nowMs }), {
        device: { state: 'free', reason: undefined }, lease: undefined
      })
    })

    t.test('a grant taken back leaves its device free and unused, and a tombstone', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))

      const undone = await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'undelivered', nowMs })

      t.match(undone, { device: { state: 'free', fence: 2, lastUsedAtMs: 0 }, lease: { state: 'ended', end: { reason: 'undelivered', atMs: nowMs } } })
      t.match(await store.occupancies(), [{ device: { state: 'free' }, lease: undefined }])
      t.equal((await store.change(grant('a', 'ls_2')))?.lease?.fence, 3)
    })

    t.test('several grants are made all or none', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c'])
      await store.change(grant('c', 'ls_0'))
      const before = { occupancies: await store.occupancies(), audit: await store.audit({ limit: 9 }) }

      t.equal(await store.changeAll([grant('a', 'ls_1'), grant('b', 'ls_2'), grant('c', 'ls_3')]), undefined)
      t.strictSame({ occupancies: await store.occupancies(), audit: await store.audit({ limit: 9 }) }, before)
      t.equal(await store.lease('ls_1'), undefined)

      const both = await store.changeAll([grant('b', 'ls_2'), grant('a', 'ls_1')])
      t.strictSame(both?.map(({ lease }) => lease?.handle), ['ls_2', 'ls_1'])
      t.equal((await store.liveLeases()).length, 3)
    })

    t.test('events of one device at once see each other, and none stays when a later one does not fit', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])
      await store.change(grant('a', 'ls_1', { sessionKey: 'k' }))
      const end = { type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'released', nowMs } as const
      const settle = { type: 'settle', deviceId: 'a', fence: 2, nowMs } as const
      const before = { occupancies: await store.occupancies(), audit: await store.audit({ limit: 9 }) }

      t.equal(await store.changeAll([end, settle, grant('b', 'ls_2'), { ...settle, fence: 1 }]), undefined)
      t.strictSame({ occupancies: await store.occupancies(), audit: await store.audit({ limit: 9 }) }, before)

      const changed = await store.changeAll([end, settle, grant('a', 'ls_3', { sessionKey: 'k' }), grant('b', 'ls_2', { sessionKey: 'k' })])

      t.strictSame(changed?.map(({ lease }) => [lease?.handle, lease?.state, lease?.sessionKey]), [
        ['ls_1', 'releasing', 'k'], ['ls_1', 'ended', 'k'], ['ls_3', 'granted', 'k'], ['ls_2', 'granted', undefined]
      ])
      t.strictSame(await store.occupancies(), changed?.slice(2))
      t.strictSame(await store.lease('ls_1'), changed?.[1]?.lease)
    })

    t.test('a change is there as it was answered, column by column', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      const about = { deviceId: 'a', handle: 'ls_1', fence: 1 } as const
      const cleanup = { deviceId: 'a', fence: 2 } as const
      const hold = { kind: 'drain', reason: 'r', by: 'op', atMs: 7, deadlineAtMs: 8 } as const
      const history: readonly LeaseEvent[] = [
        grant('a', 'ls_1', { sessionKey: 'k', purpose: 'p', priority: 'high', heartbeatMs: 9_000 }),
        { ...about, type: 'extend', nowMs: nowMs + 1, by: 'control', isVetoed: false, durable: false, ttlMs: 70_000 },
        { ...about, type: 'await_owner', nowMs: nowMs + 2, forgivenMs: 28_000_000, ownerMs: 90_000 },
        { ...about, type: 'resume', nowMs: nowMs + 3 },
        { type: 'hold', deviceId: 'a', hold, nowMs: nowMs + 4 },
        { ...about, type: 'end', reason: 'revoked', note: 'n', by: 'op', nowMs: nowMs + 5 },
        { ...cleanup, type: 'quarantine', reason: 'q', nowMs: nowMs + 6 },
        { ...cleanup, type: 'settle', nowMs: nowMs + 7 },
        { type: 'unhold', deviceId: 'a', kind: 'drain', by: 'op', nowMs: nowMs + 8 }
      ]

      for (const event of history) {
        const changed = await store.change(event)

        t.ok(changed, event.type)
        const [found] = await store.occupancies()
        t.strictSame(found?.device, changed?.device, event.type)
        if (changed?.lease !== undefined) t.strictSame(await store.lease('ls_1'), changed.lease, event.type)
      }
    })

    t.test('a held device is not granted, whatever it has goes on, and a drain and a block stand side by side', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])
      await store.change(grant('a', 'ls_1'))
      const drain = { kind: 'drain', reason: 'new battery', by: 'op', atMs: nowMs, deadlineAtMs: nowMs + 5 } as const
      const block = { kind: 'block', reason: 'it smokes', by: 'op', atMs: nowMs } as const
      const lift = { type: 'unhold', by: 'op', nowMs } as const

      t.match(await store.change({ type: 'hold', deviceId: 'a', hold: drain, nowMs }), { device: { state: 'leased', holds: [drain] }, lease: { state: 'granted' } })
      t.match(await store.change({ type: 'hold', deviceId: 'b', hold: drain, nowMs }), { device: { state: 'free', holds: [drain] } })
      t.equal(await store.change(grant('b', 'ls_2')), undefined)
      t.match(await store.change({ type: 'hold', deviceId: 'b', hold: block, nowMs }), { device: { holds: [block, drain] } })
      const later = { ...drain, reason: 'a new one', atMs: nowMs + 1 }
      t.match(await store.change({ type: 'hold', deviceId: 'b', hold: later, nowMs }), { device: { holds: [block, later] } })
      t.strictSame((await store.occupancies()).map(({ device }) => device.holds), [[drain], [block, later]])

      t.match(await store.change({ ...lift, deviceId: 'b', kind: 'block' }), { device: { holds: [later] } })
      t.equal(await store.change({ ...lift, deviceId: 'b', kind: 'block' }), undefined)
      t.equal(await store.change(grant('b', 'ls_2')), undefined)
      t.match(await store.change({ ...lift, deviceId: 'b', kind: 'drain' }), { device: { holds: [] } })
      t.strictSame((await store.occupancies()).map(({ device }) => device.holds), [[drain], []])
      t.ok(await store.change(grant('b', 'ls_2')))
    })

    t.test('a lease that awaits its owner has its time moved, and some at least', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      await store.change(grant('a', 'ls_1'))
      const lease = { deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: nowMs + 500_000 } as const

      const awaiting = await store.change({ ...lease, type: 'await_owner', forgivenMs: 400_000, ownerMs: 15_000 })

      t.match(awaiting?.lease, {
        state: 'awaiting_owner', grantedAtMs: nowMs, expiresAtMs: nowMs + 515_000, lastControlAtMs: nowMs + 400_000, mustEndAtMs: nowMs + 28_800_000 + 400_000
      })
      t.strictSame(await store.lease('ls_1'), awaiting?.lease)
      t.equal((await store.liveLeases()).length, 1)
      t.match(await store.change({ ...lease, type: 'resume' }), { lease: { state: 'granted', expiresAtMs: nowMs + 515_000 } })
      t.equal(await store.change({ ...lease, type: 'resume' }), undefined)
    })

    t.test('a session key is bound to one live lease of a principal, and again once that is over', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c', 'd'])
      const sessionKey = 'hash'
      const { holder: { principal } } = grant('a', 'ls_0')
      const bob = { principal: 'bob' }

      t.equal((await store.change(grant('a', 'ls_1', { sessionKey })))?.lease?.sessionKey, sessionKey)
      t.equal((await store.change(grant('b', 'ls_2', { sessionKey })))?.lease?.sessionKey, undefined)
      t.equal((await store.change(grant('c', 'ls_3', { sessionKey, holder: bob })))?.lease?.sessionKey, sessionKey)
      t.equal((await store.boundLease({ sessionKey, principal }))?.handle, 'ls_1')
      t.equal((await store.boundLease({ sessionKey, principal: 'bob' }))?.handle, 'ls_3')
      t.equal(await store.boundLease({ sessionKey: 'other', principal }), undefined)

      await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1', fence: 1, reason: 'released', nowMs })
      t.match(await store.boundLease({ sessionKey, principal }), { handle: 'ls_1', end: { reason: 'released' } })
      t.equal((await store.change(grant('d', 'ls_4', { sessionKey, nowMs: 1 })))?.lease?.sessionKey, sessionKey)
      t.equal((await store.boundLease({ sessionKey, principal }))?.handle, 'ls_4')
    })

    t.test('of two grants at once under one session key the first is bound', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b'])

      const both = await store.changeAll([grant('a', 'ls_1', { sessionKey: 'k' }), grant('b', 'ls_2', { sessionKey: 'k' })])

      t.strictSame(both?.map(({ lease }) => lease?.sessionKey), ['k', undefined])
    })

    t.test('of grants of several devices at the same time under one session key one is bound', async (t) => {
      const { store } = await open(t)
      const devices = ['a', 'b', 'c', 'd', 'e']
      await store.enroll(devices)

      const granted = await Promise.all(devices.map((deviceId) => store.change(grant(deviceId, `ls_${deviceId}`, { sessionKey: 'k' }))))

      t.strictSame(granted.map((one) => one?.lease?.state), devices.map(() => 'granted'))
      t.equal(granted.filter((one) => one?.lease?.sessionKey === 'k').length, 1)
    })

    t.test('the audit has a row for what happened, the latest first, and no whole handle', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a'])
      const { holder: { principal } } = grant('a', 'ls_0')
      const about = { deviceId: 'a', fence: 2 } as const
      await store.change(grant('a', 'ls_1234567'))
      await store.change({ type: 'extend', deviceId: 'a', handle: 'ls_1234567', fence: 1, nowMs, by: 'control', isVetoed: false, durable: true })
      await store.change({ type: 'hold', deviceId: 'a', hold: { kind: 'block', reason: 'mine', by: 'op', atMs: 1 }, nowMs: 1 })
      await store.change({ type: 'end', deviceId: 'a', handle: 'ls_1234567', fence: 1, reason: 'revoked', note: 'too long', by: 'op', nowMs: 2 })
      await store.change({ ...about, type: 'quarantine', reason: 'stuck', nowMs: 3 })
      t.equal((await store.change({ ...about, type: 'quarantine', reason: 'stuck again', nowMs: 4 }))?.device.failures, 2)
      await store.change({ ...about, type: 'settle', nowMs: 5 })
      await store.change({ type: 'unhold', deviceId: 'a', kind: 'block', by: 'op', nowMs: 6 })

      const entries = await store.audit({ limit: 10 })

      const lease = 'ls_123'
      t.strictSame(entries.map(({ id, ...entry }) => entry), [
        { atMs: 6, event: 'unblock', deviceId: 'a', by: 'op' },
        { atMs: 5, event: 'return', deviceId: 'a' },
        { atMs: 3, event: 'quarantine', deviceId: 'a', reason: 'stuck' },
        { atMs: 2, event: 'end', deviceId: 'a', lease, principal, by: 'op', reason: 'revoked: too long' },
        { atMs: 1, event: 'block', deviceId: 'a', by: 'op', reason: 'mine' },
        { atMs: nowMs, event: 'grant', deviceId: 'a', lease, principal }
      ])
      t.match(await store.lease('ls_1234567'), { end: { reason: 'revoked', note: 'too long' } })
      t.equal((await store.occupancies())[0]?.device.failures, 0)
      const page = await store.audit({ limit: 2 })
      t.strictSame([...page, ...await store.audit({ limit: 9, before: page[1]?.id ?? 0 })], entries)
      t.equal(await store.purgeAudit(3, 2), 2)
      t.equal(await store.purgeAudit(3, 2), 1)
      t.equal((await store.audit({ limit: 9 })).length, 3)
    })

    t.test('the last sign of life is remembered', async (t) => {
      const { store, reopen } = await open(t)
      t.equal(await store.aliveAtMs(), undefined)
      await store.noteAlive(5)
      await store.noteAlive(3)

      t.equal(await (await reopen()).aliveAtMs(), 3)
    })

    t.test('granted leases come in the order of their expiry', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c'])
      await store.change(grant('a', 'ls_1', { ttlMs: 50_000 }))
      await store.change(grant('b', 'ls_2', { ttlMs: 40_000 }))
      await store.change(grant('c', 'ls_3', { ttlMs: 60_000 }))

      t.strictSame((await store.liveLeases()).map(({ handle }) => handle), ['ls_2', 'ls_1', 'ls_3'])
    })

    t.test('a purge forgets ended leases by age, and no others', async (t) => {
      const { store } = await open(t)
      await store.enroll(['a', 'b', 'c'])
      for (const [deviceId, handle, endedAtMs] of [['a', 'ls_old', 100], ['b', 'ls_young', 200]] as const) {
        await store.change(grant(deviceId, handle, { nowMs: 0 }))
        await store.change({ type: 'end', deviceId, handle, fence: 1, reason: 'released', nowMs: endedAtMs })
        await store.change({ type: 'settle', deviceId, fence: 2, nowMs })
      }
      await store.change(grant('c', 'ls_releasing', { nowMs: 0 }))
      await store.change({ type: 'end', deviceId: 'c', handle: 'ls_releasing', fence: 1, reason: 'released', nowMs: 100 })
      await store.change(grant('a', 'ls_granted', { nowMs: 0 }))

      t.equal(await store.purgeEnded(100, 10), 1)

      t.equal(await store.lease('ls_old'), undefined)
      for (const kept of ['ls_young', 'ls_releasing', 'ls_granted']) t.equal((await store.lease(kept))?.handle, kept)
      t.equal(await store.purgeEnded(100, 10), 0)
    })

    t.test('everything is there again for the next process', async (t) => {
      const { store, reopen } = await open(t)
      await store.enroll(['a', 'b', 'c', 'd'])
      await store.change(grant('a', 'ls_1', { purpose: 'kept' }))
      await store.change({ type: 'extend', deviceId: 'a', handle: 'ls_1', fence: 1, nowMs: nowMs + 1, by: 'look', isVetoed: true, durable: false })
      await store.change(grant('b', 'ls_2'))
      await store.change({ type: 'end', deviceId: 'b', handle: 'ls_2', fence: 1, reason: 'revoked', nowMs })
      await store.change(grant('c', 'ls_3'))
      await store.change({ type: 'end', deviceId: 'c', handle: 'ls_3', fence: 1, reason: 'released', nowMs })
      await store.change({ type: 'quarantine', deviceId: 'c', fence: 2, reason: 'stuck', nowMs })
      const before = { occupancies: await store.occupancies(), ended: await store.lease('ls_3') }

      const reopened = await reopen()

      t.strictSame({ occupancies: await reopened.occupancies(), ended: await reopened.lease('ls_3') }, before)
      t.match(await reopened.change({ type: 'settle', deviceId: 'c', fence: 2, nowMs }), { device: { state: 'free' } })
      t.equal((await reopened.change(grant('c', 'ls_4')))?.lease?.fence, 3)
    })
  })
}
