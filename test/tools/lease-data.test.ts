import t from 'tap'
import { leaseData } from '../../routes/operations/pool-data.ts'
import type { Lease } from '../../src/leases/contract/lease.ts'
import { endClause, endsAt, leaseTerms } from '../../src/tools/lease-data.ts'
import { alice } from '../support/tool-bench.ts'

function lease (times: Partial<Lease>): Lease {
  return {
    handle: 'ls_1',
    deviceId: 'phone-1',
    bootId: 'boot-1',
    fence: 1,
    holder: { principal: alice.key },
    sessionKey: undefined,
    state: 'granted',
    purpose: undefined,
    priority: 'normal',
    grantedAtMs: 0,
    ttlMs: 600_000,
    expiresAtMs: 600_000,
    mustEndAtMs: 3_600_000,
    idleMs: 1_800_000,
    lastControlAtMs: 0,
    isUsed: false,
    isConfirmed: false,
    heartbeatMs: undefined,
    end: undefined,
    ...times
  }
}

t.test('a lease is shown to end at the earliest of expiry, idle time and full length, to holders and operators alike', async (t) => {
  for (const [times, end, words] of [
    [{}, '1970-01-01T00:10:00.000Z', /^lasts until 1970-01-01T00:10:00\.000Z; each use extends it to 600000 ms from then$/],
    [{ expiresAtMs: 2_000_000 }, '1970-01-01T00:30:00.000Z', /^ends at 1970-01-01T00:30:00\.000Z if nothing acts on the phone until then/],
    [{ lastControlAtMs: 3_000_000, expiresAtMs: 3_600_000 }, '1970-01-01T01:00:00.000Z', /^ends at 1970-01-01T01:00:00\.000Z however much it is used$/]
  ] as const) {
    t.equal(endsAt(lease(times)), end)
    t.equal(leaseTerms(lease(times))['expiresAt'], end)
    t.match(leaseData(lease(times)), { expiresAt: end })
    t.match(endClause(lease(times)), words)
  }
})
