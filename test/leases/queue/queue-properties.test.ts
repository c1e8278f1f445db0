import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import {
  createAcquireQueue, type AcquireQueue, type FairnessSettings, type NextGrant, type QueuedRequest
} from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceAvailability } from '../../../src/leases/queue/availability.ts'
import { matchesSelector } from '../../../src/leases/queue/match-device.ts'
import { available, granted, queued, settings } from './queue-bench.ts'

t.setTimeout(240_000)

const labels = ['a', 'b', 'c']
const neverOverdue: FairnessSettings = { ageMs: 1_000, reserveAfterMs: Infinity, maxBypasses: Infinity }

const selector: fc.Arbitrary<DeviceSelector> = fc.oneof(
  fc.constant({}),
  fc.record({ labels: fc.subarray(labels, { minLength: 1, maxLength: 2 }) }),
  fc.record({ withoutLabels: fc.constantFrom(...labels).map((label) => [label]) }),
  fc.record({ device: fc.constantFrom('p1', 'p2', 'p3', 'p9') })
)
const wanted = fc.oneof({ weight: 2, arbitrary: selector.map((one) => [one]) }, fc.array(selector, { minLength: 2, maxLength: 4 }))
const priority = fc.constantFrom('low', 'normal', 'high')

const pool: fc.Arbitrary<readonly DeviceAvailability[]> = fc.array(fc.record({
  labels: fc.subarray(labels),
  canBeGranted: fc.boolean(),
  lastUsedAtMs: fc.nat({ max: 3 }),
  failures: fc.nat({ max: 2 }),
  expectedAtMs: fc.option(fc.nat({ max: 5_000 }), { nil: undefined })
}), { maxLength: 6 }).map((facts) => facts.map((device, i) => available(`p${i + 1}`, device)))

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), priority, wanted }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 1_500 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('grant' as const), devices: pool, isGranted: fc.boolean() }) }
)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
const history = fc.array(act, { maxLength: 30 })

interface Pass {
  readonly devices: readonly DeviceAvailability[]
  /** The order of the queue, and which requests were served. */
  readonly order: readonly QueuedRequest[]
  readonly grants: readonly NextGrant[]
  readonly left: ReadonlySet<string>
}

/** Everything that happens in a history, for a rule to look at. */
function passesOf (acts: readonly Act[], settings: FairnessSettings, queue: AcquireQueue = createAcquireQueue(settings)): readonly Pass[] {
  const passes: Pass[] = []
  const left = new Set<string>()
  let nowMs = 0
  let joined = 0

  function leave (id: string) {
    queue.remove(id)
    left.add(id)
  }

  for (const act of acts) {
    switch (act.do) {
      case 'add':
        queue.add(queued(`r${++joined}`, { priority: act.priority, wanted: act.wanted, joinedAtMs: nowMs }))
        break
      case 'remove': {
        const { requests } = queue
        const request = requests[act.which % requests.length]
        if (request !== undefined) leave(request.id)
        break
      }
      case 'pass':
        nowMs += act.ms
        break
      case 'grant': {
        const grants = queue.nextGrants(act.devices, nowMs)
        passes.push({ devices: act.devices, order: queue.requests, grants, left: new Set(left) })
        if (act.isGranted) for (const { request } of grants) leave(request.id)
        break
      }
    }
  }
  return passes
}

/** Whether each selector can have a device of its own, found by trying everything. */
function canBeServed (wanted: readonly DeviceSelector[], devices: readonly DeviceAvailability[]): boolean {
  const [first, ...rest] = wanted
  if (first === undefined) return true
  return devices.some((device) => {
    return matchesSelector(device.description, first) && canBeServed(rest, devices.filter((other) => other !== device))
  })
}

function couldUse ({ wanted }: QueuedRequest, device: DeviceAvailability): boolean {
  return wanted.some((selector) => matchesSelector(device.description, selector))
}

/** Goes through the grants with what was free before each. */
function eachGrant (
  { devices, grants }: Pass, look: (grant: NextGrant, free: readonly DeviceAvailability[]) => void
): readonly DeviceAvailability[] {
  let free = devices.filter(({ canBeGranted }) => canBeGranted)
  for (const grant of grants) {
    look(grant, free)
    free = free.filter(({ description }) => !grant.deviceIds.includes(description.id))
  }
  return free
}

const runs = { numRuns: 1_500 }

t.test('all or nothing: a device of its own for each selector, free and matching', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const pass of passesOf(acts, settings)) {
      eachGrant(pass, ({ request, deviceIds }, free) => {
        assert.equal(new Set(deviceIds).size, request.wanted.length)
        for (const [i, id] of deviceIds.entries()) {
          const device = free.find(({ description }) => description.id === id)
          assert.ok(device, 'it is free, and no other request got it this time')
          assert.ok(matchesSelector(device.description, request.wanted[i] ?? {}))
        }
      })
    }
  }), runs)
})

t.test('a request that has left is never served, and none twice at a time', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const { grants, left } of passesOf(acts, settings)) {
      assert.ok(grants.every(({ request }) => !left.has(request.id)))
      assert.equal(new Set(grants.map(({ request }) => request.id)).size, grants.length)
    }
  }), runs)
})

t.test('of equal requests in a band the first to come is served first, whatever is kept', async () => {
  fc.assert(fc.property(history, fc.constantFrom(neverOverdue, { ageMs: 1_000, reserveAfterMs: 500, maxBypasses: 1 }), (acts, settings) => {
    for (const { order, grants } of passesOf(acts, settings)) {
      const servedIds = new Set(grants.map(({ request }) => request.id))
      for (const [i, request] of order.entries()) {
        if (servedIds.has(request.id)) continue
        const behind = order.slice(i + 1).filter(({ wanted }) => JSON.stringify(wanted) === JSON.stringify(request.wanted))
        assert.ok(behind.every(({ id }) => !servedIds.has(id)))
      }
      const inOrder = order.filter(({ id }) => servedIds.has(id))
      assert.deepEqual(grants.map(({ request }) => request), inOrder, 'grants are in the order of the queue')
    }
  }), runs)
})

t.test('the order is the band after ageing, then arrival', async () => {
  const arrivals = fc.array(fc.record({ priority, afterMs: fc.nat({ max: 1_000 }) }), { maxLength: 12 })

  fc.assert(fc.property(arrivals, fc.nat({ max: 4_000 }), (arrivals, laterMs) => {
    const queue = createAcquireQueue(neverOverdue)
    let nowMs = 0
    for (const [i, { priority, afterMs }] of arrivals.entries()) queue.add(queued(`r${i}`, { priority, joinedAtMs: nowMs += afterMs }))
    nowMs += laterMs
    queue.nextGrants([], nowMs)

    const band = ({ priority, joinedAtMs }: QueuedRequest) => {
      return Math.min(2, { low: 0, normal: 1, high: 2 }[priority] + Math.floor((nowMs - joinedAtMs) / neverOverdue.ageMs))
    }
    const { requests } = queue
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined) continue
      const isEarlier = Number(before.id.slice(1)) < Number(request.id.slice(1))
      assert.ok(band(before) > band(request) || (band(before) === band(request) && isEarlier))
    }
  }), runs)
})

t.test('no request waits that could be served', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const pass of passesOf(acts, neverOverdue)) {
      const rest = eachGrant(pass, () => {})
      const servedIds = new Set(pass.grants.map(({ request }) => request.id))
      assert.ok(pass.order.every(({ id, wanted }) => servedIds.has(id) || !canBeServed(wanted, rest)))
    }
  }), runs)
})

t.test('no request is overtaken for a matching device, unless it cannot be served', async () => {
  fc.assert(fc.property(history, fc.constantFrom(neverOverdue, settings), (acts, settings) => {
    for (const pass of passesOf(acts, settings)) {
      const servedIds = new Set(pass.grants.map(({ request }) => request.id))
      eachGrant(pass, ({ request, deviceIds }, free) => {
        const taken = free.filter(({ description }) => deviceIds.includes(description.id))
        const inFront = pass.order.slice(0, pass.order.indexOf(request)).filter(({ id }) => !servedIds.has(id))
        for (const other of inFront) assert.ok(!taken.some((device) => couldUse(other, device)) || !canBeServed(other.wanted, free))
      })
    }
  }), runs)
})

t.test('devices are kept only for requests that are overdue and can be served some day, and no more than they lack', async () => {
  fc.assert(fc.property(history, fc.record({ reserveAfterMs: fc.nat({ max: 2_000 }), maxBypasses: fc.nat({ max: 2 }) }), (acts, when) => {
    for (const pass of passesOf(acts, { ageMs: 1_000, ...when })) {
      const rest = eachGrant(pass, () => {})
      const servedIds = new Set(pass.grants.map(({ request }) => request.id))
      const unserved = pass.order.filter(({ id }) => !servedIds.has(id))
      const foreseeable = pass.devices.filter(({ canBeGranted, expectedAtMs }) => canBeGranted || expectedAtMs !== undefined)
      const first = unserved.findIndex(({ wanted }) => canBeServed(wanted, rest))
      if (first === -1) continue
      // A request goes without although it could be served: for those in front of it.
      const keepers = unserved.slice(0, first).filter(({ wanted }) => canBeServed(wanted, foreseeable))
      assert.ok(keepers.length > 0)
      assert.ok(keepers.reduce((sum, { wanted }) => sum + wanted.length - 1, 0) >= 1)
    }
  }), runs)
})

t.test('the devices are those that were used least recently, of all that would do', async () => {
  fc.assert(fc.property(wanted, pool, (wanted, devices) => {
    const queue = createAcquireQueue(settings)
    queue.add(queued('a', { wanted }))
    const [grant] = queue.nextGrants(devices, 0)
    const free = devices.filter(({ canBeGranted }) => canBeGranted)
    assert.equal(grant !== undefined, canBeServed(wanted, free))
    if (grant === undefined) return

    // No device in the assignment can give way to one that should go before it.
    const rank = (device: DeviceAvailability) => [device.lastUsedAtMs, device.failures, device.description.id] as const
    const before = (one: DeviceAvailability, other: DeviceAvailability) => JSON.stringify(rank(one)) < JSON.stringify(rank(other))
    const taken = free.filter(({ description }) => grant.deviceIds.includes(description.id))
    const others = free.filter((device) => !taken.includes(device))
    for (const device of taken) {
      const rest = taken.filter((other) => other !== device)
      for (const other of others) assert.ok(!before(other, device) || !canBeServed(wanted, [...rest, other]))
    }
  }), runs)
})

t.test('a position is one more than the rivals in front, and the first in front of what is free waits for nothing', async () => {
  fc.assert(fc.property(history, pool, (acts, devices) => {
    const queue = createAcquireQueue(neverOverdue)
    passesOf(acts, neverOverdue, queue)
    const nowMs = acts.reduce((sum, act) => sum + (act.do === 'pass' ? act.ms : 0), 0)
    queue.nextGrants([], nowMs)
    const { requests } = queue
    assert.deepEqual([...queue.positions(devices, nowMs)], requests.map(({ id }) => [id, queue.position(id, devices, nowMs)]))
    for (const [i, request] of requests.entries()) {
      const rivals = requests.slice(0, i).filter((other) => devices.some((device) => couldUse(request, device) && couldUse(other, device)))
      const position = queue.position(request.id, devices, nowMs)
      assert.equal(position?.position, rivals.length + 1)
      const usable = devices.filter(({ canBeGranted, expectedAtMs }) => canBeGranted || expectedAtMs !== undefined)
      const isKnown = request.wanted.every((selector) => usable.some(({ description }) => matchesSelector(description, selector)))
      assert.equal(position?.estimateMs !== undefined, isKnown)
      const isFree = canBeServed(request.wanted, devices.filter(({ canBeGranted }) => canBeGranted))
      if (position?.position === 1 && isFree && request.wanted.length === 1) assert.equal(position.estimateMs, 0)
      if (position?.estimateMs !== undefined) assert.ok(position.estimateMs >= 0 && Number.isInteger(position.estimateMs))
    }
    assert.equal(queue.position('stranger', devices, nowMs), undefined)
  }), runs)
})

t.test('a holder never gets more than its allowance, and without any it takes nothing from other holders', async () => {
  const request = fc.record({ principal: fc.constantFrom('ann', 'ben'), priority, wanted })
  const requests = fc.array(request, { maxLength: 8 }).map((all) => all.map((facts, i) => queued(`r${i}`, facts)))
  const overdue = { ageMs: 1_000, reserveAfterMs: 0, maxBypasses: 8 }

  const keeping = fc.constantFrom(neverOverdue, overdue)

  fc.assert(fc.property(requests, pool, fc.nat({ max: 3 }), keeping, (requests, devices, allowance, settings) => {
    const grantsOf = (all: readonly QueuedRequest[], allowance: number) => {
      const queue = createAcquireQueue(settings)
      for (const one of all) queue.add(one)
      return queue.nextGrants(devices, 1, (principal) => principal === 'ann' ? allowance : Infinity)
    }
    const own = grantsOf(requests, allowance).filter(({ request }) => request.principal === 'ann')
    assert.ok(own.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0) <= allowance)
    const others = requests.filter(({ principal }) => principal !== 'ann')
    assert.deepEqual(granted(grantsOf(requests, 0)), granted(grantsOf(others, 0)))
  }), runs)
})

t.test('the same history has the same outcome', async () => {
  fc.assert(fc.property(history, (acts) => {
    const outcome = () => passesOf(acts, settings).map(({ grants, order }) => [granted(grants), order.map(({ id }) => id)])
    assert.deepEqual(outcome(), outcome())
  }), { numRuns: 300 })
})

interface Simulation {
  readonly devices: number
  readonly wide: number
  readonly priority: 'low' | 'normal'
  readonly lengths: readonly number[]
  readonly settings: FairnessSettings
  /** How many leases the holder of the wide request may have; each second small request is of that holder then. */
  readonly limit?: number
  /** For how long it is simulated. */
  readonly untilMs?: number
}

/** How long a wide request waits on a pool of leases of bounded length, for which new small requests come all the time. */
function simulate ({ devices, wide, priority, lengths, settings, limit, untilMs = 1_000_000 }: Simulation): number {
  const queue = createAcquireQueue(settings)
  const stepMs = 100
  const all = Array.from({ length: devices }, (_, i) => available(`p${i}`))
  const expectedAtMs = all.map(() => 0)
  const holders = all.map(() => '')
  let lease = 0
  const nextLength = () => (lengths[lease++ % lengths.length] ?? 1) * stepMs

  for (let nowMs = 0; nowMs < untilMs; nowMs += stepMs) {
    if (nowMs === 10 * stepMs) {
      queue.add(queued('wide', { principal: 'ann', priority, wanted: Array.from({ length: wide }, () => ({})), joinedAtMs: nowMs }))
    }
    for (let i = 0; i < devices; i++) {
      const principal = limit === undefined || i % 2 === 1 ? 'ben' : 'ann'
      queue.add(queued(`small ${nowMs} ${i}`, { principal, joinedAtMs: nowMs }))
    }
    const pool = all.map((device, i) => {
      const atMs = expectedAtMs[i] ?? 0
      return { ...device, canBeGranted: atMs <= nowMs, lastUsedAtMs: atMs, expectedAtMs: atMs }
    })
    const held = holders.filter((holder, i) => holder === 'ann' && (expectedAtMs[i] ?? 0) > nowMs).length
    const allowanceOf = (principal: string) => principal === 'ann' && limit !== undefined ? limit - held : Infinity
    for (const { request, deviceIds } of queue.nextGrants(pool, nowMs, allowanceOf)) {
      if (request.id === 'wide') return nowMs - 10 * stepMs
      queue.remove(request.id)
      for (const id of deviceIds) {
        const index = all.findIndex(({ description }) => description.id === id)
        expectedAtMs[index] = nowMs + nextLength()
        holders[index] = request.principal
      }
    }
    // Small ones are patient for a while.
    for (const { id, joinedAtMs } of queue.requests) if (id !== 'wide' && nowMs - joinedAtMs > 2_000) queue.remove(id)
  }
  throw new Error('never served')
}

t.test('a wide request is served in bounded time, however many small ones keep coming', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 7 })
  const size = fc.integer({ min: 2, max: 6 })
    .chain((devices) => fc.record({ devices: fc.constant(devices), wide: fc.integer({ min: 2, max: devices }) }))

  fc.assert(fc.property(size, lengths, fc.constantFrom('low' as const, 'normal' as const), (size, lengths, priority) => {
    const longestMs = Math.max(...lengths) * 100
    const settings = { ageMs: 8_000, reserveAfterMs: 5_000, maxBypasses: 8 }
    // A low one has to come up to the band of the others first.
    const overdueMs = priority === 'low' ? settings.ageMs : settings.reserveAfterMs
    assert.ok(simulate({ ...size, priority, lengths, settings }) <= overdueMs + longestMs + 100)
  }), { numRuns: 150 })
})

t.test('a wide request is served in bounded time, however many small ones of its own limited holder keep coming', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 7 })
  const size = fc.integer({ min: 2, max: 6 })
    .chain((devices) => fc.record({ devices: fc.constant(devices), limit: fc.integer({ min: 2, max: devices }) }))
    .chain(({ devices, limit }) => fc.integer({ min: 2, max: limit }).map((wide) => ({ devices, limit, wide })))
  const reserveAfterMs = fc.constantFrom(5_000, Infinity)

  fc.assert(fc.property(size, lengths, reserveAfterMs, (size, lengths, reserveAfterMs) => {
    const longestMs = Math.max(...lengths) * 100
    const settings = { ageMs: 8_000, reserveAfterMs, maxBypasses: 8 }
    // Overdue by time; or by nine that overtake it, one with each lease that ends, after those that came before it.
    const overdueMs = reserveAfterMs === Infinity ? 2_000 + 10 * longestMs : reserveAfterMs
    // Then the leases of its holder end, and then those on the devices that it needs.
    assert.ok(simulate({ ...size, priority: 'normal', lengths, settings }) <= overdueMs + 2 * longestMs + 200)
  }), { numRuns: 100 })
})

t.test('a wide request would starve behind its own holder if no allowance were kept for it', async (t) => {
  // The two leases of the holder never end at the same time.
  const lengths = [1, ...Array.from({ length: 5_000 }, () => 2)]
  const starving = { devices: 6, wide: 2, limit: 2, priority: 'normal' as const, lengths, untilMs: 60_000 }
  t.throws(() => simulate({ ...starving, settings: neverOverdue }), /never served/)
  t.ok(simulate({ ...starving, settings: { ...neverOverdue, maxBypasses: 8 } }) <= 4_000)
})

t.test('a wide request would starve if nothing were kept for it', async (t) => {
  // Two devices that are never free at the same time.
  const starving = { devices: 2, wide: 2, priority: 'normal' as const, lengths: [1, ...Array.from({ length: 2_000 }, () => 2)], untilMs: 60_000 }
  t.throws(() => simulate({ ...starving, settings: neverOverdue }), /never served/)
  const waitedMs = simulate({ ...starving, settings: { ...neverOverdue, maxBypasses: 8 } })
  t.ok(waitedMs <= 3_200, 'the requests before it, nine that overtake it, and the last lease')
})

t.test('a low request is served before fresh normal ones once it has aged', async (t) => {
  const queue = createAcquireQueue(settings)
  const busy = [available('p1', { canBeGranted: false })]
  const free = [available('p1')]
  queue.add(queued('low', { priority: 'low' }))
  for (let nowMs = 0; nowMs < settings.ageMs; nowMs += 20_000) {
    queue.add(queued(`normal ${nowMs}`, { joinedAtMs: nowMs }))
    t.same(granted(queue.nextGrants(free, nowMs)), [[`normal ${nowMs}`, 'p1']])
    queue.remove(`normal ${nowMs}`)
    t.same(granted(queue.nextGrants(busy, nowMs)), [])
  }
  queue.add(queued('fresh', { joinedAtMs: settings.ageMs }))
  t.same(granted(queue.nextGrants(free, settings.ageMs)), [['low', 'p1']])
})
