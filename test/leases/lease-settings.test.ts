import t from 'tap'
import { leaseSettings } from '../../src/leases/contract/lease-settings.ts'

t.test('everything has a default', async (t) => {
  t.strictSame(leaseSettings.parse({}), {
    ttlMs: 600_000,
    maxTtlMs: 86_400_000,
    firstUseMs: 120_000,
    idleMs: 1_800_000,
    maxLengthMs: 28_800_000,
    longestVetoMs: 600_000,
    awaitOwnerMs: 15_000,
    recoveryMs: 120_000,
    watchEveryMs: 5_000,
    maxWaiting: 1_000,
    topPriority: 'normal',
    ageMs: 60_000,
    reserveAfterMs: 30_000,
    maxBypasses: 8,
    cleanupTimeoutMs: 10_000,
    lowestCleanup: 'apps',
    probeTimeoutMs: 2_000,
    keepEndedMs: 86_400_000,
    keepAuditMs: 2_592_000_000
  })
})

t.test('every setting is described for the reference page', async (t) => {
  for (const [name, { description }] of Object.entries(leaseSettings.shape)) t.match(description, name.endsWith('Ms') ? /milliseconds.*\.$/ : /\.$/, name)
})

t.test('values outside their bounds are refused', async (t) => {
  for (const wrong of [
    { ttlMs: 29_999 }, { ttlMs: 86_400_001 }, { ttlMs: 30_000.5 }, { maxTtlMs: 86_400_001 }, { cleanupTimeoutMs: 0 }, { probeTimeoutMs: 99 },
    { keepEndedMs: 59_999 }, { unheardOf: 1 }
  ]) t.notOk(leaseSettings.safeParse(wrong).success, JSON.stringify(wrong))
})

t.test('the default ttl has to be one that may be asked for', async (t) => {
  const { error } = leaseSettings.safeParse({ ttlMs: 60_000, maxTtlMs: 30_000 })

  t.match(error?.issues, [{ path: ['ttlMs'], message: 'must not be longer than maxTtlMs' }])
  t.ok(leaseSettings.safeParse({ ttlMs: 60_000, maxTtlMs: 60_000 }).success)
})
