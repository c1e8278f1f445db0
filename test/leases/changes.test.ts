import t from 'tap'
import { idle } from '../support/idle.ts'
import { alice, bob, leaseBench, ttlMs } from '../support/lease-bench.ts'

t.test('a grant, the end of a lease and the cleanup after it are each told once they are recorded', async (t) => {
  const { acquire, leases, changes } = await leaseBench()

  const { handle } = await acquire()
  t.strictSame(changes.splice(0), [{ deviceId: 'phone-1', ended: undefined }])
  await leases.release({ handle, holder: alice })

  t.match(changes, [{ deviceId: 'phone-1', ended: { handle, end: { reason: 'released' } } }, { deviceId: 'phone-1', ended: undefined }])
  t.equal(changes.length, 2)
})

t.test('an expiry is told like any other end', async (t) => {
  const { acquire, changes, time } = await leaseBench()
  const { handle } = await acquire()
  changes.splice(0)

  time.advance(ttlMs)
  await idle()

  t.match(changes[0], { deviceId: 'phone-1', ended: { handle, end: { reason: 'expired' } } })
})

t.test('that a lease lasts longer, or that its holder knows of it, is not told', async (t) => {
  const { acquire, leases, changes } = await leaseBench()
  const { handle } = await acquire()
  changes.splice(0)

  await leases.isHolding({ handle, holder: alice })
  await leases.renew({ handle, holder: alice })
  await leases.use({ handle, holder: alice, signal: new AbortController().signal, kind: 'control' }, async () => {})
  await leases.devices()

  t.same(changes, [])
})

t.test('quarantine and the way out of it are told', async (t) => {
  const { acquire, leases, phone, changes, time } = await leaseBench()
  const { handle } = await acquire()
  phone.failingCleanups = 1
  await leases.release({ handle, holder: alice })
  changes.splice(0)

  time.advance(5_000)
  await idle()

  t.strictSame(changes, [{ deviceId: 'phone-1', ended: undefined }])
})

t.test('a device that goes offline is told once, and again when it is back', async (t) => {
  const { acquire, phone, changes, time, stateOf } = await leaseBench()
  phone.boot = undefined
  await acquire().catch(() => {})
  t.equal(await stateOf(), 'offline')
  time.advance(1_000)
  await idle()
  t.strictSame(changes.splice(0), [{ deviceId: 'phone-1', ended: undefined }])

  phone.boot = 'boot-1'
  time.advance(2_000)
  await idle()

  t.equal(await stateOf(), 'free')
  t.strictSame(changes, [{ deviceId: 'phone-1', ended: undefined }])
})

t.test('whether a device is there and a lease goes on can be asked without using either', async (t) => {
  const { acquire, leases, time } = await leaseBench()
  const { handle, expiresAtMs } = await acquire()
  time.advance(1_000)

  t.equal(leases.hasDevice('phone-1'), true)
  t.equal(leases.hasDevice('phone-2'), false)
  t.equal(await leases.isHolding({ handle, holder: alice }), true)
  t.equal(await leases.isHolding({ handle, holder: bob }), false)
  t.equal(await leases.isHolding({ handle: 'ls_none', holder: alice }), false)
  t.equal((await leases.list(alice))[0]?.expiresAtMs, expiresAtMs)
  await leases.release({ handle, holder: alice })
  t.equal(await leases.isHolding({ handle, holder: alice }), false)
})

t.test('holds, and the end of the wait for an owner, are told', async (t) => {
  const { acquire, leases, changes, restarted, time } = await leaseBench()
  await acquire()
  changes.splice(0)

  await leases.operations.block({ device: 'phone-1', reason: 'mine', by: 'op' })
  t.equal(changes.splice(0).length, 1)
  await leases.operations.unblock({ device: 'phone-1', by: 'op' })
  t.equal(changes.splice(0).length, 1)
  await leases.stop()
  await restarted().start()
  t.equal(changes.splice(0).length, 1, 'awaits its owner')
  time.advance(15_000)
  await idle()

  t.strictSame(changes, [{ deviceId: 'phone-1', ended: undefined }])
})
