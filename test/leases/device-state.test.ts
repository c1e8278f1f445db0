import t from 'tap'
import { outlook } from '../../src/leases/device-state.ts'
import type { DeviceRecord, Hold } from '../../src/leases/lease-machine.ts'
import { grantedLease } from '../support/lease-events.ts'

const nowMs = 1_000_000
const drain: Hold = { kind: 'drain', reason: 'moving', by: 'op', atMs: 0 }
const block: Hold = { kind: 'block', reason: 'it smokes', by: 'op', atMs: 0 }
const away = { reason: 'The device does not answer.', awaySinceMs: nowMs - 1_000, nextLookAtMs: nowMs + 3_000 }
const lease = grantedLease({ handle: 'ls_1', deviceId: 'a' })

function shown (state: DeviceRecord['state'], { hold, absence }: { hold?: Hold, absence?: typeof away } = {}) {
  const device = { id: 'a', state, fence: 1, reason: state === 'quarantined' ? 'stuck' : undefined, hold, lastUsedAtMs: 0, failures: 0 }
  return outlook({ device, lease: state === 'leased' ? lease : undefined }, {
    absence, recoveryMs: 120_000, nextTryAtMs: nowMs + 5_000, nowMs
  })
}

t.test('without a hold, and there, a device is what is recorded', async (t) => {
  t.strictSame(shown('free'), { state: 'free', reason: undefined, freeAtMs: nowMs })
  t.strictSame(shown('leased'), { state: 'leased', reason: undefined, freeAtMs: lease.expiresAtMs })
  t.strictSame(shown('cleaning'), { state: 'cleaning', reason: undefined, freeAtMs: nowMs })
  t.strictSame(shown('quarantined'), { state: 'quarantined', reason: 'stuck', freeAtMs: nowMs + 5_000 })
})

t.test('a drain shows on a free and on a leased device, a block on a free one; neither on what is being put in order', async (t) => {
  for (const [state, hold, expected] of [
    ['free', drain, 'draining'], ['leased', drain, 'draining'], ['cleaning', drain, 'cleaning'], ['quarantined', drain, 'quarantined'],
    ['free', block, 'blocked'], ['leased', block, 'leased'], ['cleaning', block, 'cleaning'], ['quarantined', block, 'quarantined']
  ] as const) {
    t.match(shown(state, { hold }), { state: expected, freeAtMs: undefined }, `${state} under ${hold.kind}`)
  }
})

t.test('a device that does not answer is offline, and gone after the recovery window; a hold on a free one shows all the same', async (t) => {
  for (const state of ['free', 'leased'] as const) {
    t.match(shown(state, { absence: away }), { state: 'offline', reason: /not answer/, freeAtMs: nowMs + 3_000 })
    t.match(shown(state, { absence: { ...away, awaySinceMs: nowMs - 120_000 } }), { state: 'gone', freeAtMs: undefined })
  }
  t.equal(shown('free', { absence: away, hold: block }).state, 'blocked')
  t.match(shown('leased', { absence: away, hold: block }), { state: 'offline', freeAtMs: undefined })
  t.equal(shown('quarantined', { absence: away }).state, 'quarantined')
})
