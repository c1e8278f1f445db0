import fc from 'fast-check'
import type { CleanupLevel } from '../../../src/leases/cleanup/cleanup-level.ts'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import type { Priority } from '../../../src/leases/contract/lease.ts'

/** Whatever can happen to a pool. Leases, requests and runs are named by their number, round and round. */
export type Act =
  | { readonly do: 'acquire', readonly who: number, readonly wanted: readonly DeviceSelector[], readonly waitMs: number, readonly priority: Priority, readonly ttlMs?: number, readonly heartbeatMs?: number, readonly leavesAfter?: number }
  | { readonly do: 'renew', readonly lease: number, readonly isStranger: boolean, readonly ttlMs?: number }
  | { readonly do: 'release', readonly lease: number, readonly isStranger: boolean, readonly cleanup?: CleanupLevel }
  | { readonly do: 'undo', readonly lease: number }
  | { readonly do: 'heartbeat', readonly lease: number }
  | { readonly do: 'use', readonly lease: number, readonly isStranger: boolean, readonly kind: 'control' | 'look', readonly isLong: boolean, readonly byAcquirer: boolean, readonly limitMs?: number }
  | { readonly do: 'finish', readonly run: number }
  | { readonly do: 'leave', readonly request: number }
  | { readonly do: 'vanish', readonly phone: number }
  | { readonly do: 'appear', readonly phone: number, readonly isSameBoot: boolean }
  | { readonly do: 'reboot', readonly phone: number }
  /** Its source has lost it, or has found it again. */
  | { readonly do: 'unplug', readonly phone: number }
  | { readonly do: 'plug', readonly phone: number, readonly isSameBoot: boolean }
  /** An operator takes it out of the pool, or puts it back. */
  | { readonly do: 'remove', readonly phone: number, readonly lease: 'goes_on' | 'ends' }
  | { readonly do: 'add', readonly phone: number, readonly isSameBoot: boolean }
  | { readonly do: 'resist', readonly phone: number, readonly times: number }
  | { readonly do: 'linger', readonly phone: number }
  | { readonly do: 'revoke', readonly lease: number }
  | { readonly do: 'block', readonly phone: number }
  | { readonly do: 'unblock', readonly phone: number }
  | { readonly do: 'drain', readonly phone: number | 'all', readonly deadlineMs?: number }
  | { readonly do: 'undrain', readonly phone: number | 'all' }
  | { readonly do: 'set clock', readonly ms: number }
  | { readonly do: 'pass', readonly ms: number }
  /** `after`: so many steps into what else happens at once. */
  | { readonly do: 'crash', readonly isInOrder: boolean, readonly downMs: number, readonly after: number }

export const phones = [
  { id: 'p1', labels: ['a'] },
  { id: 'p2', labels: ['a', 'b'] },
  { id: 'p3', labels: ['b'] }
] as const

const any = fc.nat({ max: 40 })
const phone = fc.nat({ max: phones.length - 1 })
const selector: fc.Arbitrary<DeviceSelector> = fc.constantFrom({}, {}, { labels: ['a'] }, { labels: ['b'] }, { device: 'p1' }, { withoutLabels: ['a'] })
/** What the pool can serve, if nobody else had anything. */
const wanted = fc.oneof(
  { weight: 5, arbitrary: selector.map((one) => [one]) },
  { weight: 2, arbitrary: fc.constantFrom<readonly DeviceSelector[]>([{}, {}], [{ labels: ['a'] }, { labels: ['a'] }], [{ labels: ['a'] }, { labels: ['b'] }], [{}, { device: 'p1' }], [{}, {}, {}]) }
)

function act (name: Act['do'], facts: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Act> {
  const all: Record<string, fc.Arbitrary<unknown>> = { do: fc.constant(name), ...facts, ...optional }
  // The names of the facts are those of the act; the type above says which.
  return fc.record(all, { requiredKeys: ['do', ...Object.keys(facts)] }) as fc.Arbitrary<unknown> as fc.Arbitrary<Act>
}

const isStranger = fc.nat({ max: 9 }).map((number) => number === 0)
const ttlMs = fc.constantFrom(30_000, 70_000)

const oneAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 12, arbitrary: act('acquire', { who: any, wanted, waitMs: fc.constantFrom(0, 0, 3_000, 20_000, 60_000), priority: fc.constantFrom('normal', 'normal', 'low', 'high') }, { ttlMs }) },
  { weight: 2, arbitrary: act('acquire', { who: any, wanted, waitMs: fc.constantFrom(0, 20_000), priority: fc.constant('normal'), leavesAfter: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: act('acquire', { who: any, wanted, waitMs: fc.constantFrom(0, 20_000), priority: fc.constant('normal'), heartbeatMs: fc.constantFrom(2_000, 5_000) }) },
  { weight: 2, arbitrary: act('renew', { lease: any, isStranger }, { ttlMs }) },
  { weight: 6, arbitrary: act('release', { lease: any, isStranger }, { cleanup: fc.constantFrom('none', 'apps', 'full') }) },
  { weight: 2, arbitrary: act('undo', { lease: any }) },
  { weight: 1, arbitrary: act('heartbeat', { lease: any }) },
  { weight: 4, arbitrary: act('use', { lease: any, isStranger, kind: fc.constantFrom('control', 'look'), isLong: fc.boolean(), byAcquirer: fc.boolean() }, { limitMs: fc.constantFrom(5_000, 60_000) }) },
  { weight: 3, arbitrary: act('finish', { run: any }) },
  { weight: 2, arbitrary: act('leave', { request: any }) },
  { weight: 2, arbitrary: act('vanish', { phone }) },
  { weight: 2, arbitrary: act('appear', { phone, isSameBoot: fc.boolean() }) },
  { weight: 1, arbitrary: act('reboot', { phone }) },
  { weight: 2, arbitrary: act('unplug', { phone }) },
  { weight: 3, arbitrary: act('plug', { phone, isSameBoot: fc.boolean() }) },
  { weight: 1, arbitrary: act('remove', { phone, lease: fc.constantFrom('goes_on', 'ends') }) },
  { weight: 2, arbitrary: act('add', { phone, isSameBoot: fc.boolean() }) },
  { weight: 1, arbitrary: act('resist', { phone, times: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: act('linger', { phone }) },
  { weight: 1, arbitrary: act('revoke', { lease: any }) },
  { weight: 1, arbitrary: act('block', { phone }) },
  { weight: 1, arbitrary: act('unblock', { phone }) },
  { weight: 1, arbitrary: act('drain', { phone: fc.oneof(phone, fc.constant('all' as const)) }, { deadlineMs: fc.constantFrom(0, 4_000) }) },
  { weight: 1, arbitrary: act('undrain', { phone: fc.oneof(phone, fc.constant('all' as const)) }) },
  { weight: 1, arbitrary: act('set clock', { ms: fc.constantFrom(-3_600_000, 3_600_000, 45_000) }) },
  { weight: 8, arbitrary: act('pass', { ms: fc.constantFrom(1, 1_000, 3_000, 9_000, 16_000, 29_999, 31_000, 61_000) }) },
  { weight: 2, arbitrary: act('crash', { isInOrder: fc.boolean(), downMs: fc.constantFrom(0, 100, 8_000, 100_000), after: fc.nat({ max: 15 }) }) }
)

/** What happens at the same time; time passes and the process ends last. */
export const burst: fc.Arbitrary<readonly Act[]> = fc.oneof(
  { weight: 3, arbitrary: oneAct.map((one) => [one]) },
  { weight: 1, arbitrary: fc.array(oneAct, { minLength: 2, maxLength: 4 }).map(inOrder) }
)

function inOrder (acts: readonly Act[]): readonly Act[] {
  const rank = ({ do: name }: Act) => name === 'crash' ? 2 : name === 'pass' ? 1 : 0
  const sorted = [...acts].sort((one, other) => rank(one) - rank(other))
  // One end of the process is enough, and time does not pass before it.
  const end = sorted.find(({ do: name }) => name === 'crash')
  return end === undefined ? sorted : [...sorted.filter((one) => rank(one) === 0), end]
}
