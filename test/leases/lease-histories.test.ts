import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import type { Lease } from '../../src/leases/contract/lease.ts'
import type { LeaseManager } from '../../src/leases/contract/lease-manager.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { fakePool } from '../support/fake-driver.ts'
import { idle } from '../support/idle.ts'
import { leaseBench, type LeaseBench } from '../support/lease-bench.ts'
import { manualTime } from '../support/manual-time.ts'
import { memoryLeaseStore } from '../support/memory-lease-store.ts'
import { scratchFile } from '../support/scratch-file.ts'
import { sequenceIds } from '../support/sequence-ids.ts'

/*
 * Random histories of several holders over a small pool: whatever they do, in whatever order and
 * however much of it at once, with phones that reboot, vanish and resist cleanup and with
 * processes that end and start, what a lease promises holds.
 */

const holders = ['ann', 'ben', 'cal'].map((name) => ({ principal: `issuer\u0000${name}` }))
const ttlMs = 60_000
const tap = { count: 1, holdMs: 0 }

const index = fc.nat({ max: 30 })
const phone = fc.nat({ max: 1 })
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('acquire' as const), who: index, device: fc.option(phone), leavesAfter: fc.option(fc.nat({ max: 6 })) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('renew' as const), who: index, lease: index, foreign: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), who: index, lease: index, foreign: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('use' as const), who: index, lease: index, foreign: fc.boolean(), deaf: fc.boolean(), long: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), work: index }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 1_000, 10_000, ttlMs - 1, ttlMs, 3 * ttlMs) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set clock' as const), ms: fc.constantFrom(-3_600_000, 30_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reboot' as const), phone }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('vanish' as const), phone }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resist' as const), phone, times: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), inOrder: fc.boolean() }) }
)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

/** Acts in one inner list happen at once. */
const histories = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 25 })

interface Work {
  readonly lease: Lease
  finish (): void
  signal: AbortSignal | undefined
}

/** The world a history happens in, and what has to be true of it. */
async function createWorld (store: LeaseStore) {
  const phones = fakePool(2)
  const ids = sequenceIds()
  const granted: Lease[] = []
  const refused = new Set<string>()
  const works = new Set<Work>()
  let boots = 1
  let clockSet = false
  let fault: unknown
  let bench: LeaseBench = await leaseBench({ store, phones, ids, settings: { ttlMs }, time: manualTime(Date.UTC(2026, 0, 1)) })

  /** Until everything has happened that can without time or a `finish`. */
  async function drain () {
    for (let i = 0; i < 40; i++) await idle()
  }

  /** Notes whether the handle was refused, and that it stays so. */
  async function attempt (lease: Lease, holder: Lease['holder'], work: () => Promise<unknown>) {
    const wasRefused = refused.has(lease.handle)
    try {
      await work()
      assert.equal(holder, lease.holder, 'a stranger was let in')
      assert.ok(!wasRefused, 'a refused handle was accepted again')
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
      if (holder !== lease.holder) assert.equal(code, 'lease_unknown', String(cause))
      else if (code === 'lease_ended') refused.add(lease.handle)
      else assert.ok(['cancelled', 'lease_fenced', 'device_offline'].includes(String(code)), String(cause))
    }
  }

  async function use (leases: LeaseManager, lease: Lease, holder: Lease['holder'], { deaf, long }: { deaf: boolean, long: boolean }) {
    const caller = new AbortController()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => { finish = resolve })
    const work: Work = { lease, finish, signal: undefined }
    if (long) works.add(work)
    await attempt(lease, holder, () => leases.use({ handle: lease.handle, holder, signal: caller.signal, kind: 'control' }, async (use) => {
      work.signal = use.signal
      if (long) await finished
      const signal = deaf ? caller.signal : use.signal
      await use.driver.tap({ x: 1, y: 1 }, tap, { fence: use.lease.fence, signal })
    }))
    works.delete(work)
  }

  async function restart (inOrder: boolean) {
    // Whoever is in the middle of something is never heard of again.
    works.clear()
    if (inOrder) await bench.leases.stop()
    const nowMs = bench.time.clock.nowMs()
    bench = await leaseBench({ store, phones, ids, settings: { ttlMs }, time: manualTime(nowMs) })
  }

  /** Releasing again is no error, but for a handle that was refused it is not the first time. */
  async function release (leases: LeaseManager, lease: Lease, holder: Lease['holder']) {
    const { handle } = lease
    const wasRefused = refused.has(handle)
    const { releasedNow } = await leases.release({ handle, holder })
    assert.equal(holder, lease.holder, 'a stranger was let in')
    assert.ok(!(releasedNow && wasRefused), 'a refused handle was released for the first time')
    refused.add(handle)
  }

  async function perform (act: Act): Promise<void> {
    const { leases, time } = bench
    switch (act.do) {
      case 'acquire': {
        const caller = new AbortController()
        const holder = holders[act.who % holders.length]
        assert.ok(holder)
        const acquiring = leases.acquire({
          holder, selector: act.device === null ? {} : { device: `phone-${act.device + 1}` }, signal: caller.signal
        }).then((lease) => { granted.push(lease) }, (cause: { code: string }) => {
          assert.ok(['capacity_exhausted', 'device_cleanup_in_progress', 'cancelled'].includes(cause.code), String(cause))
        })
        if (act.leavesAfter !== null) {
          for (let step = 0; step < act.leavesAfter; step++) await undefined
          caller.abort()
        }
        await acquiring
        break
      }
      case 'renew':
      case 'release':
      case 'use': {
        const lease = granted[act.lease % granted.length]
        if (lease === undefined) break
        const holder = act.foreign ? holders.find((other) => other !== lease.holder) : lease.holder
        assert.ok(holder)
        // Long work is left to itself; the others are waited for.
        if (act.do === 'use') use(leases, lease, holder, act).catch((cause: unknown) => { fault ??= cause })
        else if (act.do === 'renew') await attempt(lease, holder, () => leases.renew({ handle: lease.handle, holder }))
        else await release(leases, lease, holder).catch((cause: unknown) => attempt(lease, holder, async () => { throw cause }))
        break
      }
      case 'finish': {
        const all = [...works]
        all[act.work % all.length]?.finish()
        break
      }
      case 'advance':
        time.advance(act.ms)
        break
      case 'set clock':
        // Leases that are over by the new time may keep their row until somebody looks.
        clockSet = true
        time.setWallClock(act.ms)
        break
      case 'reboot':
      case 'vanish': {
        const rebooted = phones[act.phone]
        if (rebooted) rebooted.boot = act.do === 'reboot' ? `boot-${++boots}` : undefined
        break
      }
      case 'resist': {
        const resisting = phones[act.phone]
        if (resisting) resisting.failingCleanups = act.times
        break
      }
      case 'restart':
        // A process does not end in the middle of a batch; the kill test is for that.
        break
    }
  }

  async function check () {
    if (fault !== undefined) throw fault
    const leases = (await Promise.all(granted.map(({ handle }) => store.lease(handle)))).filter((lease) => lease !== undefined)
    const held = leases.filter(({ state }) => state !== 'ended').map(({ deviceId }) => deviceId)
    assert.equal(new Set(held).size, held.length, 'a device has two leases')

    for (const { obeyed, mostAtOnce, description: { id } } of phones) {
      const fences = granted.filter(({ deviceId }) => deviceId === id).map(({ fence }) => fence)
      assert.deepEqual(fences, [...new Set(fences)].sort((a, b) => a - b), 'fences of grants rise')
      assert.ok(obeyed.every(({ fence }, i) => i === 0 || fence >= (obeyed[i - 1]?.fence ?? 0)), 'a phone obeyed a former holder')
      assert.ok(mostAtOnce <= 1, 'a phone did two things at once')
    }

    const inUse = new Set([...works].filter(({ signal }) => signal?.aborted === false).map(({ lease: { handle } }) => handle))
    for (const lease of leases) {
      if (inUse.has(lease.handle)) assert.equal(lease.state, 'granted', 'time has cut work short')
      else if (lease.state === 'granted' && !clockSet) assert.ok(lease.expiresAtMs > bench.time.clock.nowMs(), 'a lease has outlived its time')
    }
    for (const { handle, expiresAtMs } of await bench.leases.list()) {
      assert.ok(inUse.has(handle) || expiresAtMs > bench.time.clock.nowMs(), 'a list shows a lease that is over')
    }
    for (const holder of holders) {
      for (const lease of await bench.leases.list(holder)) assert.deepEqual(lease.holder, holder, 'a list shows a stranger\'s lease')
    }
  }

  return {
    async happen (batch: readonly Act[]) {
      const outcomes = Promise.allSettled(batch.map(perform))
      await drain()
      for (const outcome of await outcomes) if (outcome.status === 'rejected') throw outcome.reason
      for (const act of batch) if (act.do === 'restart') await restart(act.inOrder)
      await drain()
      await check()
    },

    /** Everybody lets go, the phones behave: then every device is free before long. */
    async comeToRest () {
      for (const { finish } of works) finish()
      await drain()
      for (const phone of phones) {
        phone.boot ??= `boot-${++boots}`
        phone.failingCleanups = 0
      }
      for (const lease of granted) await bench.leases.release({ handle: lease.handle, holder: lease.holder }).catch(() => {})
      for (let waitedMs = 0; waitedMs <= 700_000; waitedMs += 1_000) {
        if ((await bench.leases.devices()).every(({ state }) => state === 'free')) break
        bench.time.advance(1_000)
        await idle()
      }
      assert.deepEqual((await bench.leases.devices()).map(({ state }) => state), ['free', 'free'])
      await check()
      await bench.leases.stop()
      assert.equal(bench.time.timers(), 0)
    }
  }
}

async function run (store: LeaseStore, history: readonly (readonly Act[])[]) {
  const world = await createWorld(store)
  for (const batch of history) await world.happen(batch)
  await world.comeToRest()
}

t.test('over a store that answers at once', async () => {
  await fc.assert(fc.asyncProperty(histories, (history) => run(memoryLeaseStore(), history)), { numRuns: 150 })
})

t.test('over a store that takes its time, so that everything overlaps', async () => {
  await fc.assert(fc.asyncProperty(histories, (history) => run(memoryLeaseStore({ pause: idle }), history)), { numRuns: 150 })
})

t.test('over SQLite', async (t) => {
  await fc.assert(fc.asyncProperty(histories, async (history) => {
    const store = openSqliteStore({ file: scratchFile(t) })
    try {
      await run(store.leases, history)
    } finally {
      await store.close()
    }
  }), { numRuns: 30 })
})
