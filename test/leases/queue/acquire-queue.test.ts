import t from 'tap'
import { createLine } from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import { lineDevice, lineRequest, served, settings } from './queue-bench.ts'

const labelled = (...labels: string[]): DeviceSelector => ({ labels })

t.test('who comes first is served first, and each device once', async (t) => {
  const line = createLine(settings)
  for (const id of ['a', 'b', 'c']) line.join(lineRequest(id))

  t.same(served(line.walk([lineDevice('p1'), lineDevice('p2')], 0)), [['a', 'p1'], ['b', 'p2']])
  t.same(served(line.walk([lineDevice('p1', { isFree: false })], 0)), [])
})

t.test('of the devices that would do, the least recently used is taken, then the one with the fewest failures, then by id', async (t) => {
  const line = createLine(settings)
  for (const id of ['a', 'b', 'c', 'd']) line.join(lineRequest(id))
  const devices = [
    lineDevice('p4', { lastUsedAtMs: 5 }), lineDevice('p3', { lastUsedAtMs: 1, failures: 2 }),
    lineDevice('p2', { lastUsedAtMs: 1 }), lineDevice('p1', { lastUsedAtMs: 1 })
  ]

  t.same(served(line.walk(devices, 0)), [['a', 'p1'], ['b', 'p2'], ['c', 'p3'], ['d', 'p4']])
})

t.test('who cannot be met holds up nobody', async (t) => {
  const line = createLine(settings)
  line.join(lineRequest('a', { wanted: [{ device: 'p9' }] }))
  line.join(lineRequest('b', { wanted: [{}, {}] }))
  line.join(lineRequest('c'))

  t.same(served(line.walk([lineDevice('p1')], 0)), [['c', 'p1']])
})

t.test('several devices are found whenever there is an assignment, in the order of the wishes', async (t) => {
  const devices = [lineDevice('p1', { labels: ['x', 'y'] }), lineDevice('p2', { labels: ['x', 'z'], lastUsedAtMs: 1 }), lineDevice('p3', { labels: ['y'], lastUsedAtMs: 2 })]
  const line = createLine(settings)

  // A guess would give p1 to the first wish, and then there is nothing left for the third.
  line.join(lineRequest('a', { wanted: [labelled('x'), labelled('z'), labelled('y')] }))
  t.same(served(line.walk(devices, 0)), [['a', 'p1', 'p2', 'p3']])
  line.leave('a')
  line.join(lineRequest('b', { wanted: [labelled('y'), labelled('x'), labelled('x')] }))
  t.same(served(line.walk(devices, 0)), [['b', 'p3', 'p2', 'p1']])
  line.leave('b')
  line.join(lineRequest('c', { wanted: [labelled('z'), labelled('z')] }))
  t.same(served(line.walk(devices, 0)), [])
})

t.test('several devices are the least recently used ones, too', async (t) => {
  const line = createLine(settings)
  line.join(lineRequest('a', { wanted: [{}, { device: 'p1' }] }))
  const devices = [lineDevice('p1', { lastUsedAtMs: 1 }), lineDevice('p2', { lastUsedAtMs: 3 }), lineDevice('p3', { lastUsedAtMs: 2 })]

  t.same(served(line.walk(devices, 0)), [['a', 'p3', 'p1']])
})

t.test('a higher priority goes first, until the others have waited', async (t) => {
  const line = createLine(settings)
  line.join(lineRequest('low', { priority: 'low' }))
  line.join(lineRequest('normal', { joinedAtMs: 1 }))
  line.join(lineRequest('high', { joinedAtMs: 2, priority: 'high' }))
  t.same(line.requests.map(({ id }) => id), ['high', 'normal', 'low'])
  line.join(lineRequest('late', { joinedAtMs: settings.ageMs - 1 }))
  t.same(line.requests.map(({ id }) => id), ['high', 'normal', 'late', 'low'])

  t.same(served(line.walk([lineDevice('p1')], settings.ageMs)), [['high', 'p1']])
  t.same(line.requests.map(({ id }) => id), ['high', 'low', 'normal', 'late'])
  line.walk([], settings.ageMs + 1)
  t.same(line.requests.map(({ id }) => id), ['normal', 'high', 'low', 'late'])
  line.walk([], 2 * settings.ageMs)
  t.same(line.requests.map(({ id }) => id), ['low', 'normal', 'high', 'late'])
})

t.test('devices are kept for who was overtaken too often, as many as could serve it', async (t) => {
  const line = createLine(settings)
  const devices = (...free: string[]) => ['p1', 'p2', 'p3', 'p4'].map((id) => lineDevice(id, { isFree: free.includes(id), freeAtMs: 9 }))
  line.join(lineRequest('wide', { wanted: [{}, {}, {}] }))
  for (let bypass = 0; bypass <= settings.maxBypasses; bypass++) {
    line.join(lineRequest(`small ${bypass}`))
    t.same(served(line.walk(devices('p1'), 1)), [[`small ${bypass}`, 'p1']])
    line.leave(`small ${bypass}`)
  }

  line.join(lineRequest('late'))
  t.same(served(line.walk(devices('p1'), 1)), [])
  t.same(served(line.walk(devices('p1', 'p2'), 1)), [])
  t.same(served(line.walk(devices('p1', 'p2', 'p4'), 1)), [['wide', 'p1', 'p2', 'p4']])
  t.same(served(line.walk(devices('p1', 'p2', 'p3', 'p4'), 1)), [['wide', 'p1', 'p2', 'p3'], ['late', 'p4']])
})

t.test('devices are kept for who has waited too long, from those behind it only', async (t) => {
  const line = createLine(settings)
  const devices = [lineDevice('p1'), lineDevice('p2', { isFree: false, freeAtMs: 40_000 })]
  line.join(lineRequest('wide', { wanted: [{}, {}] }))
  line.join(lineRequest('late', { joinedAtMs: 1 }))

  t.same(served(line.walk(devices, settings.reserveAfterMs)), [['late', 'p1']])
  t.same(served(line.walk(devices, settings.reserveAfterMs + 1)), [])
  line.join(lineRequest('high', { priority: 'high', joinedAtMs: settings.reserveAfterMs + 1 }))
  t.same(served(line.walk(devices, settings.reserveAfterMs + 1)), [['high', 'p1']])
})

t.test('only devices that it can use are kept for it', async (t) => {
  const line = createLine(settings)
  const devices = [lineDevice('p1'), lineDevice('p2'), lineDevice('p3', { isFree: false, freeAtMs: 40_000 })]
  line.join(lineRequest('wide', { wanted: [{ device: 'p1' }, { device: 'p3' }] }))
  for (const id of ['b', 'c']) line.join(lineRequest(id))

  t.same(served(line.walk(devices, settings.reserveAfterMs + 1)), [['b', 'p2']])
})

t.test('nothing is kept for who needs a device that may never come', async (t) => {
  const line = createLine(settings)
  const devices = [lineDevice('p1'), lineDevice('p2', { isFree: false })]
  line.join(lineRequest('wide', { wanted: [{}, {}] }))
  line.join(lineRequest('late'))

  t.same(served(line.walk(devices, settings.reserveAfterMs + 1)), [['late', 'p1']])
})

t.test('who has left is not served, and its place closes up', async (t) => {
  const line = createLine(settings)
  const devices = [lineDevice('p1', { isFree: false, freeAtMs: 500 })]
  for (const id of ['a', 'b', 'c']) line.join(lineRequest(id))
  t.equal(line.place('c', devices, 0)?.position, 3)

  line.leave('a')
  line.leave('a')

  t.equal(line.place('c', devices, 0)?.position, 2)
  t.equal(line.place('a', devices, 0), undefined)
  t.same(served(line.walk([lineDevice('p1')], 0)), [['b', 'p1']])
})

t.test('who has stepped aside is passed by without counting as passed over, and steps back to where it was', async (t) => {
  const line = createLine({ ...settings, maxBypasses: 0 })
  const devices = [lineDevice('p1'), lineDevice('p2', { isFree: false, freeAtMs: 500 })]
  line.join(lineRequest('wide', { wanted: [{}, {}] }))
  line.join(lineRequest('a'))
  line.join(lineRequest('b'))

  line.stepAside('wide')
  line.stepAside('stranger')
  t.same(line.requests.map(({ id }) => id), ['a', 'b'])
  t.equal(line.place('wide', devices, 0), undefined)
  t.equal(line.place('a', devices, 0)?.position, 1)
  t.same(served(line.walk(devices, 0)), [['a', 'p1']])

  line.stepBack('wide')
  line.stepAside('a')
  t.same(line.requests.map(({ id }) => id), ['wide', 'b'])
  t.same(served(line.walk(devices, 0)), [['b', 'p1']])
  t.same(served(line.walk(devices, 0)), [], 'overtaken once')
  line.leave('a')
  line.stepBack('a')
})

t.test('who would have more than its holder may is passed by, without counting as passed over and with nothing kept for it', async (t) => {
  const line = createLine({ ...settings, maxBypasses: 0 })
  const devices = ['p1', 'p2', 'p3'].map((id) => lineDevice(id))
  line.join(lineRequest('wide', { principal: 'ann', wanted: [{}, {}] }))
  line.join(lineRequest('a', { principal: 'ann' }))
  line.join(lineRequest('b', { principal: 'ann' }))
  line.join(lineRequest('c'))
  const spareOf = (principal: string) => principal === 'ann' ? 1 : Infinity
  const lateMs = settings.reserveAfterMs + 1

  for (let walk = 0; walk < 2; walk++) t.same(served(line.walk(devices, lateMs, spareOf)), [['a', 'p1'], ['c', 'p2']])
  t.same(served(line.walk(devices, lateMs)), [['wide', 'p1', 'p2'], ['a', 'p3']])
  const young = createLine({ ...settings, maxBypasses: 0 })
  young.join(lineRequest('wide', { principal: 'ann', wanted: [{}, {}] }))
  young.join(lineRequest('c'))
  young.walk(devices, 0, spareOf)
  t.same(served(young.walk([lineDevice('p1'), lineDevice('p2', { isFree: false, freeAtMs: 9 })], 0)), [['c', 'p1']], 'it was not overtaken before')
})

t.test('a request joins once, and wants something', async (t) => {
  const line = createLine(settings)
  line.join(lineRequest('a'))

  t.throws(() => line.join(lineRequest('a')), /in the line already/)
  t.throws(() => line.join(lineRequest('b', { wanted: [] })), /wants nothing/)
})

t.test('a place counts those in front that compete for a device it could use', async (t) => {
  const line = createLine(settings)
  const devices = [lineDevice('p1', { isFree: false, freeAtMs: 1_000 }), lineDevice('p2', { isFree: false, freeAtMs: 3_000 }), lineDevice('p3', { isFree: false })]
  line.join(lineRequest('a', { wanted: [{ device: 'p1' }] }))
  line.join(lineRequest('b', { wanted: [{ device: 'p2' }] }))
  line.join(lineRequest('c', { wanted: [{ device: 'p2' }, { device: 'p1' }] }))
  line.join(lineRequest('d', { wanted: [{ device: 'p3' }] }))
  line.join(lineRequest('e'))
  line.join(lineRequest('f', { wanted: [{ device: 'p2' }] }))

  t.same(line.place('a', devices, 200), { position: 1, estimateMs: 800 })
  t.same(line.place('b', devices, 200), { position: 1, estimateMs: 2_800 })
  t.same(line.place('c', devices, 200), { position: 3, estimateMs: 5_600 }, 'the second turn at p2')
  t.same(line.place('d', devices, 200), { position: 1, estimateMs: undefined }, 'nobody knows of p3')
  t.same(line.place('e', devices, 200), { position: 5, estimateMs: 2_800 + 2_800 + 2_800 }, 'the sixth turn at two devices')
  t.same(line.place('f', devices, 200)?.position, 4)
  t.same([...line.places(devices, 200)], line.requests.map(({ id }) => [id, line.place(id, devices, 200)]))
  t.same(line.place('a', [lineDevice('p1'), lineDevice('p2')], 200), { position: 1, estimateMs: 0 })
  t.same(line.place('a', devices, 1_500), { position: 1, estimateMs: 0 }, 'overdue')
})

t.test('the pool may change between two looks', async (t) => {
  const line = createLine(settings)
  line.join(lineRequest('a', { wanted: [labelled('new')] }))
  t.same(served(line.walk([lineDevice('p1'), lineDevice('p2')], 0)), [])

  t.same(served(line.walk([lineDevice('p2'), lineDevice('p1', { labels: ['new'] })], 0)), [['a', 'p1']])
  t.same(served(line.walk([lineDevice('p1', { labels: ['new'] })], 0)), [['a', 'p1']])
})
