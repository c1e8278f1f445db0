import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import { createLine, type Line, type LineDevice, type LineRequest, type LineSettings, type Turn } from '../../../src/leases/queue/acquire-queue.ts'
import { matchesSelector } from '../../../src/leases/queue/match-device.ts'
import { lineDevice, lineRequest, served, settings } from './queue-bench.ts'

const labels = ['a', 'b', 'c']
const neverOverdue: LineSettings = { ageMs: 1_000, reserveAfterMs: Infinity, maxBypasses: Infinity }

const selector: fc.Arbitrary<DeviceSelector> = fc.oneof(
  fc.constant({}),
  fc.record({ labels: fc.subarray(labels, { minLength: 1, maxLength: 2 }) }),
  fc.record({ withoutLabels: fc.constantFrom(...labels).map((label) => [label]) }),
  fc.record({ device: fc.constantFrom('p1', 'p2', 'p3', 'p9') })
)
const wanted = fc.oneof({ weight: 2, arbitrary: selector.map((one) => [one]) }, fc.array(selector, { minLength: 2, maxLength: 4 }))
const priority = fc.constantFrom('low', 'normal', 'high')

const pool: fc.Arbitrary<readonly LineDevice[]> = fc.array(fc.record({
  labels: fc.subarray(labels),
  isFree: fc.boolean(),
  lastUsedAtMs: fc.nat({ max: 3 }),
  failures: fc.nat({ max: 2 }),
  freeAtMs: fc.option(fc.nat({ max: 5_000 }), { nil: undefined })
}), { maxLength: 6 }).map((facts) => facts.map((device, i) => lineDevice(`p${i + 1}`, device)))

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('join' as const), priority, wanted }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), who: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 1_500 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('walk' as const), devices: pool, granted: fc.boolean() }) }
)
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never
const history = fc.array(act, { maxLength: 30 })

interface Walk {
  readonly devices: readonly LineDevice[]
  /** The order of the line, and who was served. */
  readonly order: readonly LineRequest[]
  readonly turns: readonly Turn[]
  readonly left: ReadonlySet<string>
}

/** Everything that happens in a history, for a rule to look at. */
function walksOf (acts: readonly Act[], settings: LineSettings, line: Line = createLine(settings)): readonly Walk[] {
  const walks: Walk[] = []
  const left = new Set<string>()
  let nowMs = 0
  let joined = 0

  function leave (id: string) {
    line.leave(id)
    left.add(id)
  }

  for (const act of acts) {
    switch (act.do) {
      case 'join':
        line.join(lineRequest(`r${++joined}`, { priority: act.priority, wanted: act.wanted, joinedAtMs: nowMs }))
        break
      case 'leave': {
        const { requests } = line
        const who = requests[act.who % requests.length]
        if (who !== undefined) leave(who.id)
        break
      }
      case 'pass':
        nowMs += act.ms
        break
      case 'walk': {
        const turns = line.walk(act.devices, nowMs)
        walks.push({ devices: act.devices, order: line.requests, turns, left: new Set(left) })
        if (act.granted) for (const { request } of turns) leave(request.id)
        break
      }
    }
  }
  return walks
}

/** Whether each wish can have a device of its own, found by trying everything. */
function canBeMet (wanted: readonly DeviceSelector[], devices: readonly LineDevice[]): boolean {
  const [first, ...rest] = wanted
  if (first === undefined) return true
  return devices.some((device) => matchesSelector(device.description, first) && canBeMet(rest, devices.filter((other) => other !== device)))
}

function couldUse ({ wanted }: LineRequest, device: LineDevice): boolean {
  return wanted.some((selector) => matchesSelector(device.description, selector))
}

/** Walks with what was free before each turn. */
function eachTurn ({ devices, turns }: Walk, look: (turn: Turn, free: readonly LineDevice[]) => void): readonly LineDevice[] {
  let free = devices.filter(({ isFree }) => isFree)
  for (const turn of turns) {
    look(turn, free)
    free = free.filter(({ description }) => !turn.deviceIds.includes(description.id))
  }
  return free
}

const runs = { numRuns: 1_500 }

t.test('all or nothing: a device of its own for each wish, free and fitting', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const walk of walksOf(acts, settings)) {
      eachTurn(walk, ({ request, deviceIds }, free) => {
        assert.equal(new Set(deviceIds).size, request.wanted.length)
        for (const [i, id] of deviceIds.entries()) {
          const device = free.find(({ description }) => description.id === id)
          assert.ok(device, 'it is free, and nobody got it in this walk')
          assert.ok(matchesSelector(device.description, request.wanted[i] ?? {}))
        }
      })
    }
  }), runs)
})

t.test('who has left is never served, nor anybody twice in a walk', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const { turns, left } of walksOf(acts, settings)) {
      assert.ok(turns.every(({ request }) => !left.has(request.id)))
      assert.equal(new Set(turns.map(({ request }) => request.id)).size, turns.length)
    }
  }), runs)
})

t.test('of equal wishes in a band, who came first is served first, whatever is kept for whom', async () => {
  fc.assert(fc.property(history, fc.constantFrom(neverOverdue, { ageMs: 1_000, reserveAfterMs: 500, maxBypasses: 1 }), (acts, settings) => {
    for (const { order, turns } of walksOf(acts, settings)) {
      const servedIds = new Set(turns.map(({ request }) => request.id))
      for (const [i, request] of order.entries()) {
        if (servedIds.has(request.id)) continue
        const behind = order.slice(i + 1).filter(({ wanted }) => JSON.stringify(wanted) === JSON.stringify(request.wanted))
        assert.ok(behind.every(({ id }) => !servedIds.has(id)))
      }
      assert.deepEqual(turns.map(({ request }) => request), order.filter(({ id }) => servedIds.has(id)), 'turns are in the order of the line')
    }
  }), runs)
})

t.test('the order is the band after ageing, then arrival', async () => {
  fc.assert(fc.property(fc.array(fc.record({ priority, afterMs: fc.nat({ max: 1_000 }) }), { maxLength: 12 }), fc.nat({ max: 4_000 }), (arrivals, laterMs) => {
    const line = createLine(neverOverdue)
    let nowMs = 0
    for (const [i, { priority, afterMs }] of arrivals.entries()) line.join(lineRequest(`r${i}`, { priority, joinedAtMs: nowMs += afterMs }))
    nowMs += laterMs
    line.walk([], nowMs)

    const band = ({ priority, joinedAtMs }: LineRequest) => Math.min(2, { low: 0, normal: 1, high: 2 }[priority] + Math.floor((nowMs - joinedAtMs) / neverOverdue.ageMs))
    const { requests } = line
    for (const [i, request] of requests.entries()) {
      const before = requests[i - 1]
      if (before === undefined) continue
      assert.ok(band(before) > band(request) || (band(before) === band(request) && Number(before.id.slice(1)) < Number(request.id.slice(1))))
    }
  }), runs)
})

t.test('nobody is held up who could be served', async () => {
  fc.assert(fc.property(history, (acts) => {
    for (const walk of walksOf(acts, neverOverdue)) {
      const rest = eachTurn(walk, () => {})
      const servedIds = new Set(walk.turns.map(({ request }) => request.id))
      assert.ok(walk.order.every(({ id, wanted }) => servedIds.has(id) || !canBeMet(wanted, rest)))
    }
  }), runs)
})

t.test('nobody is overtaken for a device it could use, unless it cannot be met', async () => {
  fc.assert(fc.property(history, fc.constantFrom(neverOverdue, settings), (acts, settings) => {
    for (const walk of walksOf(acts, settings)) {
      const servedIds = new Set(walk.turns.map(({ request }) => request.id))
      eachTurn(walk, ({ request, deviceIds }, free) => {
        const taken = free.filter(({ description }) => deviceIds.includes(description.id))
        const inFront = walk.order.slice(0, walk.order.indexOf(request)).filter(({ id }) => !servedIds.has(id))
        for (const other of inFront) assert.ok(!taken.some((device) => couldUse(other, device)) || !canBeMet(other.wanted, free))
      })
    }
  }), runs)
})

t.test('nothing is kept but for who is overdue and can be met some day, and no more than it lacks', async () => {
  fc.assert(fc.property(history, fc.record({ reserveAfterMs: fc.nat({ max: 2_000 }), maxBypasses: fc.nat({ max: 2 }) }), (acts, when) => {
    for (const walk of walksOf(acts, { ageMs: 1_000, ...when })) {
      const rest = eachTurn(walk, () => {})
      const servedIds = new Set(walk.turns.map(({ request }) => request.id))
      const unserved = walk.order.filter(({ id }) => !servedIds.has(id))
      const foreseeable = walk.devices.filter(({ isFree, freeAtMs }) => isFree || freeAtMs !== undefined)
      const first = unserved.findIndex(({ wanted }) => canBeMet(wanted, rest))
      if (first === -1) continue
      // Somebody goes without although it could be served: for those in front of it.
      const keepers = unserved.slice(0, first).filter(({ wanted }) => canBeMet(wanted, foreseeable))
      assert.ok(keepers.length > 0)
      assert.ok(keepers.reduce((sum, { wanted }) => sum + wanted.length - 1, 0) >= 1)
    }
  }), runs)
})

t.test('the devices are those that were used least recently, of all that would do', async () => {
  fc.assert(fc.property(wanted, pool, (wanted, devices) => {
    const line = createLine(settings)
    line.join(lineRequest('a', { wanted }))
    const [turn] = line.walk(devices, 0)
    const free = devices.filter(({ isFree }) => isFree)
    assert.equal(turn !== undefined, canBeMet(wanted, free))
    if (turn === undefined) return

    // No device in the assignment can give way to one that should go before it.
    const rank = (device: LineDevice) => [device.lastUsedAtMs, device.failures, device.description.id] as const
    const before = (one: LineDevice, other: LineDevice) => JSON.stringify(rank(one)) < JSON.stringify(rank(other))
    const taken = free.filter(({ description }) => turn.deviceIds.includes(description.id))
    const others = free.filter((device) => !taken.includes(device))
    for (const device of taken) {
      const rest = taken.filter((other) => other !== device)
      for (const other of others) assert.ok(!before(other, device) || !canBeMet(wanted, [...rest, other]))
    }
  }), runs)
})

t.test('a place is one more than those in front who compete, and the head of what is free waits for nothing', async () => {
  fc.assert(fc.property(history, pool, (acts, devices) => {
    const line = createLine(neverOverdue)
    walksOf(acts, neverOverdue, line)
    const nowMs = acts.reduce((sum, act) => sum + (act.do === 'pass' ? act.ms : 0), 0)
    line.walk([], nowMs)
    const { requests } = line
    assert.deepEqual([...line.places(devices, nowMs)], requests.map(({ id }) => [id, line.place(id, devices, nowMs)]))
    for (const [i, request] of requests.entries()) {
      const rivals = requests.slice(0, i).filter((other) => devices.some((device) => couldUse(request, device) && couldUse(other, device)))
      const place = line.place(request.id, devices, nowMs)
      assert.equal(place?.position, rivals.length + 1)
      const usable = devices.filter(({ isFree, freeAtMs }) => isFree || freeAtMs !== undefined)
      const isKnown = request.wanted.every((selector) => usable.some(({ description }) => matchesSelector(description, selector)))
      assert.equal(place?.estimateMs !== undefined, isKnown)
      if (place?.position === 1 && canBeMet(request.wanted, devices.filter(({ isFree }) => isFree)) && request.wanted.length === 1) assert.equal(place.estimateMs, 0)
      if (place?.estimateMs !== undefined) assert.ok(place.estimateMs >= 0 && Number.isInteger(place.estimateMs))
    }
    assert.equal(line.place('stranger', devices, nowMs), undefined)
  }), runs)
})

t.test('the same history has the same outcome', async () => {
  fc.assert(fc.property(history, (acts) => {
    const outcome = () => walksOf(acts, settings).map(({ turns, order }) => [served(turns), order.map(({ id }) => id)])
    assert.deepEqual(outcome(), outcome())
  }), { numRuns: 300 })
})

/** Leases of bounded length on a pool for which new small requests come all the time. */
function simulate ({ devices, wide, priority, lengths, settings }: {
  readonly devices: number, readonly wide: number, readonly priority: 'low' | 'normal', readonly lengths: readonly number[], readonly settings: LineSettings
}): number {
  const line = createLine(settings)
  const stepMs = 100
  const descriptions = Array.from({ length: devices }, (_, i) => lineDevice(`p${i}`).description)
  const freeAtMs = descriptions.map(() => 0)
  let lease = 0
  const nextLength = () => (lengths[lease++ % lengths.length] ?? 1) * stepMs

  for (let nowMs = 0; nowMs < 1_000_000; nowMs += stepMs) {
    if (nowMs === 10 * stepMs) line.join(lineRequest('wide', { priority, wanted: Array.from({ length: wide }, () => ({})), joinedAtMs: nowMs }))
    for (let i = 0; i < devices; i++) line.join(lineRequest(`small ${nowMs} ${i}`, { joinedAtMs: nowMs }))
    const pool = descriptions.map((description, i) => ({
      description, isFree: (freeAtMs[i] ?? 0) <= nowMs, lastUsedAtMs: freeAtMs[i] ?? 0, failures: 0, freeAtMs: freeAtMs[i]
    }))
    for (const { request, deviceIds } of line.walk(pool, nowMs)) {
      if (request.id === 'wide') return nowMs - 10 * stepMs
      line.leave(request.id)
      for (const id of deviceIds) freeAtMs[descriptions.findIndex((description) => description.id === id)] = nowMs + nextLength()
    }
    // Small ones are patient for a while.
    for (const { id, joinedAtMs } of line.requests) if (id !== 'wide' && nowMs - joinedAtMs > 2_000) line.leave(id)
  }
  throw new Error('never served')
}

t.test('a wide request is served in bounded time, however many small ones keep coming', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 7 })
  const size = fc.integer({ min: 2, max: 6 }).chain((devices) => fc.record({ devices: fc.constant(devices), wide: fc.integer({ min: 2, max: devices }) }))

  fc.assert(fc.property(size, lengths, fc.constantFrom('low' as const, 'normal' as const), (size, lengths, priority) => {
    const longestMs = Math.max(...lengths) * 100
    const settings = { ageMs: 8_000, reserveAfterMs: 5_000, maxBypasses: 8 }
    // A low one has to come up to the band of the others first.
    const overdueMs = priority === 'low' ? settings.ageMs : settings.reserveAfterMs
    assert.ok(simulate({ ...size, priority, lengths, settings }) <= overdueMs + longestMs + 100)
  }), { numRuns: 150 })
})

t.test('a wide request would starve if nothing were kept for it', async (t) => {
  // Two devices that are never free at the same time.
  const starving = { devices: 2, wide: 2, priority: 'normal' as const, lengths: [1, ...Array.from({ length: 20_000 }, () => 2)] }
  t.throws(() => simulate({ ...starving, settings: neverOverdue }), /never served/)
  t.ok(simulate({ ...starving, settings: { ...neverOverdue, maxBypasses: 8 } }) <= 3_200, 'those who came before it, nine who overtake it, and the last lease')
})

t.test('a low request is served before fresh normal ones once it has aged', async (t) => {
  const line = createLine(settings)
  const busy = [lineDevice('p1', { isFree: false })]
  const free = [lineDevice('p1')]
  line.join(lineRequest('low', { priority: 'low' }))
  for (let nowMs = 0; nowMs < settings.ageMs; nowMs += 20_000) {
    line.join(lineRequest(`normal ${nowMs}`, { joinedAtMs: nowMs }))
    t.same(served(line.walk(free, nowMs)), [[`normal ${nowMs}`, 'p1']])
    line.leave(`normal ${nowMs}`)
    t.same(served(line.walk(busy, nowMs)), [])
  }
  line.join(lineRequest('fresh', { joinedAtMs: settings.ageMs }))
  t.same(served(line.walk(free, settings.ageMs)), [['low', 'p1']])
})
