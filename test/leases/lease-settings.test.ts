import t from 'tap'
import { leaseSettings } from '../../src/leases/lease-settings.ts'

t.test('everything has a default', async (t) => {
  t.strictSame(leaseSettings.parse({}), {
    ttlMs: 600_000, maxTtlMs: 86_400_000, cleanupTimeoutMs: 10_000, probeTimeoutMs: 2_000, keepEndedMs: 86_400_000
  })
})

t.test('every setting is described for the reference page', async (t) => {
  for (const [name, { description }] of Object.entries(leaseSettings.shape)) t.match(description, /milliseconds.*\.$/, name)
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
