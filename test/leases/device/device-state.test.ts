import t from 'tap'
import { shownState } from '../../../src/leases/device/device-state.ts'
import type { DeviceRecord, Hold } from '../../../src/leases/contract/lease-machine.ts'
import { grantedLease } from '../../support/lease-events.ts'

const nowMs = 1_000_000
const drain: Hold = { kind: 'drain', reason: 'moving', by: 'op', atMs: 0 }
const block: Hold = { kind: 'block', reason: 'it smokes', by: 'op', atMs: 0 }
const away = { reason: 'The device does not answer.', awaySinceMs: nowMs - 1_000, foundAtMs: nowMs, nextLookAtMs: nowMs + 3_000 }
const lease = grantedLease({ handle: 'ls_1', deviceId: 'a' })

function shown (state: DeviceRecord['state'], { holds = [], absence }: { holds?: readonly Hold[], absence?: typeof away } = {}) {
  const device = { id: 'a', state, fence: 1, reason: state === 'quarantined' ? 'stuck' : undefined, holds, lastUsedAtMs: 0, failures: 0 }
  return shownState({ device, lease: state === 'leased' ? lease : undefined }, {
    absence, unrecordedFailure: undefined, leavingBecause: undefined, recoveryMs: 120_000, nowMs
  })
}

t.test('without a hold, and there, a device is what is recorded', async (t) => {
  t.strictSame(shown('free'), { state: 'free', reason: undefined, expectedAtMs: nowMs })
  t.strictSame(shown('leased'), { state: 'leased', reason: undefined, expectedAtMs: lease.expiresAtMs })
  t.strictSame(shown('cleaning'), { state: 'cleaning', reason: undefined, expectedAtMs: nowMs })
  t.strictSame(shown('quarantined'), { state: 'quarantined', reason: 'stuck', expectedAtMs: undefined })
})

t.test('a drain shows on a free and on a leased device, a block on a free one and before a drain; neither on what is being put in order', async (t) => {
  for (const [state, holds, expected] of [
    ['free', [drain], 'draining'], ['leased', [drain], 'draining'], ['cleaning', [drain], 'cleaning'], ['quarantined', [drain], 'quarantined'],
    ['free', [block], 'blocked'], ['leased', [block], 'leased'], ['cleaning', [block], 'cleaning'], ['quarantined', [block], 'quarantined'],
    ['free', [block, drain], 'blocked'], ['leased', [block, drain], 'draining'], ['cleaning', [block, drain], 'cleaning']
  ] as const) {
    t.match(shown(state, { holds }), { state: expected, expectedAtMs: undefined }, `${state} under ${holds.map(({ kind }) => kind).join()}`)
  }
})

t.test('a device that does not answer is offline, and gone after the recovery window; a hold on a free one shows all the same', async (t) => {
  for (const state of ['free', 'leased'] as const) {
    t.match(shown(state, { absence: away }), { state: 'offline', reason: /not answer/, expectedAtMs: nowMs + 3_000 })
    t.match(shown(state, { absence: { ...away, awaySinceMs: nowMs - 120_000 } }), { state: 'gone', expectedAtMs: undefined })
  }
  t.equal(shown('free', { absence: away, holds: [block] }).state, 'blocked')
  t.match(shown('leased', { absence: away, holds: [block] }), { state: 'offline', expectedAtMs: undefined })
  t.equal(shown('quarantined', { absence: away }).state, 'quarantined')
})
