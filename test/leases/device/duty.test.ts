import fc from 'fast-check'
import t from 'tap'
import { dutyAt, nextAtMs, type LeaseFacts } from '../../../src/leases/device/duty.ts'
import { grantedLease } from '../../support/lease-events.ts'

const nowMs = 1_000_000

function facts (different: Partial<LeaseFacts> = {}): LeaseFacts {
  return {
    device: { id: 'a', state: 'leased', fence: 1, reason: undefined, holds: [], lastUsedAtMs: 0, failures: 0 },
    lease: {
      ...grantedLease({ handle: 'ls_1', deviceId: 'a' }),
      expiresAtMs: nowMs + 1,
      mustEndAtMs: nowMs + 100,
      lastControlAtMs: nowMs,
      idleMs: 50
    },
    vetoUntilMs: 0,
    unusedAtMs: Number.POSITIVE_INFINITY,
    heardAtMs: nowMs,
    isSuspect: false,
    awaySinceMs: undefined,
    awaySeenAtMs: 0,
    isLookedAt: false,
    lastBootId: 'boot-1',
    windowMs: 120_000,
    awaitedUntilMs: 0,
    eviction: undefined,
    ...different
  }
}

const expired = { lease: { ...facts().lease, expiresAtMs: nowMs } }
const silent = { lease: { ...facts().lease, heartbeatMs: 5_000 }, heardAtMs: nowMs - 9_000 }

t.test('a lease that has time left, on a device that is there, has nothing due', async (t) => {
  t.equal(dutyAt(facts(), nowMs), undefined)
  t.equal(nextAtMs(facts()), nowMs + 1)
})

t.test('each reason for an end', async (t) => {
  const drain = { kind: 'drain' as const, reason: 'moving', by: 'op', atMs: 0, deadlineAtMs: nowMs }
  for (const [different, expected] of [
    [expired, { do: 'end', reason: 'expired' }],
    [{ unusedAtMs: nowMs }, { do: 'end', reason: 'unused' }],
    [silent, { do: 'end', reason: 'heartbeat_lost' }],
    [{ device: { ...facts().device, holds: [drain] } }, { do: 'end', reason: 'drained', note: 'moving', by: 'op' }],
    [{ eviction: { reason: 'it is old', by: 'op' } }, { do: 'end', reason: 'drained', note: 'it is old', by: 'op' }],
    [{ lastBootId: 'boot-2' }, { do: 'end', reason: 'device_restarted' }],
    [{ awaySinceMs: nowMs - 120_000, awaySeenAtMs: nowMs }, { do: 'end', reason: 'device_lost' }]
  ] as const) {
    t.strictSame(dutyAt(facts(different), nowMs), expected)
  }
})

t.test('a running call holds off the end by time and that of a silent holder, and no other', async (t) => {
  const vetoUntilMs = nowMs + 1

  t.equal(dutyAt(facts({ ...expired, vetoUntilMs }), nowMs), undefined)
  t.equal(dutyAt(facts({ ...silent, vetoUntilMs }), nowMs), undefined)
  t.equal(dutyAt(facts({ unusedAtMs: nowMs, vetoUntilMs }), nowMs), undefined)
  t.match(dutyAt(facts({ lastBootId: 'boot-2', vetoUntilMs }), nowMs), { reason: 'device_restarted' })
})

t.test('a device that has been away for long enough is looked at once more before its lease ends', async (t) => {
  const away = { awaySinceMs: nowMs - 120_000, awaySeenAtMs: nowMs - 1 }

  t.strictSame(dutyAt(facts(away), nowMs), { do: 'look' })
  t.equal(dutyAt(facts({ ...away, isLookedAt: true }), nowMs), undefined)
  t.match(dutyAt(facts({ ...away, awaySeenAtMs: nowMs }), nowMs), { reason: 'device_lost' })
})

t.test('an owner that did not come back is not blamed for a device that did not', async (t) => {
  const awaiting = { lease: { ...expired.lease, state: 'awaiting_owner' as const } }

  t.match(dutyAt(facts(awaiting), nowMs), { reason: 'owner_lost' })
  t.match(dutyAt(facts({ ...awaiting, awaySinceMs: nowMs - 1 }), nowMs), { reason: 'device_lost' })
})

t.test('a lease that has time left after it was awaited goes on, but not while its device is away', async (t) => {
  const awaiting = { lease: { ...facts().lease, state: 'awaiting_owner' as const }, awaitedUntilMs: nowMs }

  t.strictSame(dutyAt(facts(awaiting), nowMs), { do: 'resume' })
  t.equal(dutyAt(facts({ ...awaiting, awaySinceMs: nowMs - 1 }), nowMs), undefined)
})

t.test('a silent holder is suspect first, and given up four seconds later', async (t) => {
  const quiet = { ...silent, heardAtMs: nowMs - 5_000 }

  t.strictSame(dutyAt(facts(quiet), nowMs), { do: 'suspect' })
  t.equal(dutyAt(facts({ ...quiet, isSuspect: true }), nowMs), undefined)
})

t.test('when nothing is due, the next instant is still to come: no timer fires in vain for ever', async (t) => {
  const instant = fc.integer({ min: -3, max: 3 }).map((steps) => nowMs + steps * 2_000)
  const someFacts = fc.record({
    expiresAtMs: instant,
    mustEndAtMs: instant,
    lastControlAtMs: instant,
    idleMs: fc.constantFrom(0, 2_000, 4_000),
    heartbeatMs: fc.constantFrom(undefined, 2_000, 4_000),
    state: fc.constantFrom('granted' as const, 'awaiting_owner' as const),
    deadlineAtMs: fc.option(instant, { nil: undefined }),
    vetoUntilMs: fc.oneof(fc.constant(0), instant),
    unusedAtMs: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), instant),
    heardAtMs: instant,
    isSuspect: fc.boolean(),
    awaySinceMs: fc.option(instant, { nil: undefined }),
    awaySeenAtMs: instant,
    isLookedAt: fc.boolean(),
    lastBootId: fc.constantFrom(undefined, 'boot-1', 'boot-2'),
    windowMs: fc.constantFrom(2_000, 4_000),
    awaitedUntilMs: instant
  }).map(({ expiresAtMs, mustEndAtMs, lastControlAtMs, idleMs, heartbeatMs, state, deadlineAtMs, ...others }) => facts({
    ...others,
    lease: { ...facts().lease, expiresAtMs, mustEndAtMs, lastControlAtMs, idleMs, heartbeatMs, state },
    device: {
      ...facts().device,
      holds: deadlineAtMs === undefined ? [] : [{ kind: 'drain', reason: '', by: '', atMs: 0, deadlineAtMs }]
    }
  }))

  fc.assert(fc.property(someFacts, (some) => dutyAt(some, nowMs) !== undefined || nextAtMs(some) > nowMs), { numRuns: 5_000 })
  t.pass()
})
