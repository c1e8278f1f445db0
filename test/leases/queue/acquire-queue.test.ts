import t from 'tap'
import { createAcquireQueue } from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceSelector } from '../../../src/leases/contract/lease-manager.ts'
import { available, granted, queued, settings } from './queue-bench.ts'

const labelled = (...labels: string[]): DeviceSelector => ({ labels })

t.test('the request that came first is served first, and each device is granted once', async (t) => {
  const queue = createAcquireQueue(settings)
  for (const id of ['a', 'b', 'c']) queue.add(queued(id))

  t.same(granted(queue.nextGrants([available('p1'), available('p2')], 0)), [['a', 'p1'], ['b', 'p2']])
  t.same(granted(queue.nextGrants([available('p1', { canBeGranted: false })], 0)), [])
})

t.test('of the devices that would do, the least recently used is taken, then the one with the fewest failures, then by id', async (t) => {
  const queue = createAcquireQueue(settings)
  for (const id of ['a', 'b', 'c', 'd']) queue.add(queued(id))
  const devices = [
    available('p4', { lastUsedAtMs: 5 }), available('p3', { lastUsedAtMs: 1, failures: 2 }),
    available('p2', { lastUsedAtMs: 1 }), available('p1', { lastUsedAtMs: 1 })
  ]

  t.same(granted(queue.nextGrants(devices, 0)), [['a', 'p1'], ['b', 'p2'], ['c', 'p3'], ['d', 'p4']])
})

t.test('a request that cannot be served blocks no other', async (t) => {
  const queue = createAcquireQueue(settings)
  queue.add(queued('a', { wanted: [{ device: 'p9' }] }))
  queue.add(queued('b', { wanted: [{}, {}] }))
  queue.add(queued('c'))

  t.same(granted(queue.nextGrants([available('p1')], 0)), [['c', 'p1']])
})

t.test('several devices are found whenever there is an assignment, in the order of the selectors', async (t) => {
  const devices = [
    available('p1', { labels: ['x', 'y'] }), available('p2', { labels: ['x', 'z'], lastUsedAtMs: 1 }),
    available('p3', { labels: ['y'], lastUsedAtMs: 2 })
  ]
  const queue = createAcquireQueue(settings)

  // A guess would give p1 to the first selector, and then there is nothing left for the third.
  queue.add(queued('a', { wanted: [labelled('x'), labelled('z'), labelled('y')] }))
  t.same(granted(queue.nextGrants(devices, 0)), [['a', 'p1', 'p2', 'p3']])
  queue.remove('a')
  queue.add(queued('b', { wanted: [labelled('y'), labelled('x'), labelled('x')] }))
  t.same(granted(queue.nextGrants(devices, 0)), [['b', 'p3', 'p2', 'p1']])
  queue.remove('b')
  queue.add(queued('c', { wanted: [labelled('z'), labelled('z')] }))
  t.same(granted(queue.nextGrants(devices, 0)), [])
})

t.test('several devices are the least recently used ones, too', async (t) => {
  const queue = createAcquireQueue(settings)
  queue.add(queued('a', { wanted: [{}, { device: 'p1' }] }))
  const devices = [available('p1', { lastUsedAtMs: 1 }), available('p2', { lastUsedAtMs: 3 }), available('p3', { lastUsedAtMs: 2 })]

  t.same(granted(queue.nextGrants(devices, 0)), [['a', 'p3', 'p1']])
})

t.test('a higher priority goes first, until the others have waited', async (t) => {
  const queue = createAcquireQueue(settings)
  queue.add(queued('low', { priority: 'low' }))
  queue.add(queued('normal', { joinedAtMs: 1 }))
  queue.add(queued('high', { joinedAtMs: 2, priority: 'high' }))
  t.same(queue.requests.map(({ id }) => id), ['high', 'normal', 'low'])
  queue.add(queued('late', { joinedAtMs: settings.ageMs - 1 }))
  t.same(queue.requests.map(({ id }) => id), ['high', 'normal', 'late', 'low'])

  t.same(granted(queue.nextGrants([available('p1')], settings.ageMs)), [['high', 'p1']])
  t.same(queue.requests.map(({ id }) => id), ['high', 'low', 'normal', 'late'])
  queue.nextGrants([], settings.ageMs + 1)
  t.same(queue.requests.map(({ id }) => id), ['normal', 'high', 'low', 'late'])
  queue.nextGrants([], 2 * settings.ageMs)
  t.same(queue.requests.map(({ id }) => id), ['low', 'normal', 'high', 'late'])
})

t.test('devices are kept for a request that was overtaken too often, as many as it can use', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = (...free: string[]) => ['p1', 'p2', 'p3', 'p4'].map((id) => {
    return available(id, { canBeGranted: free.includes(id), expectedAtMs: 9 })
  })
  queue.add(queued('wide', { wanted: [{}, {}, {}] }))
  for (let bypass = 0; bypass <= settings.maxBypasses; bypass++) {
    queue.add(queued(`small ${bypass}`))
    t.same(granted(queue.nextGrants(devices('p1'), 1)), [[`small ${bypass}`, 'p1']])
    queue.remove(`small ${bypass}`)
  }

  queue.add(queued('late'))
  t.same(granted(queue.nextGrants(devices('p1'), 1)), [])
  t.same(granted(queue.nextGrants(devices('p1', 'p2'), 1)), [])
  t.same(granted(queue.nextGrants(devices('p1', 'p2', 'p4'), 1)), [['wide', 'p1', 'p2', 'p4']])
  t.same(granted(queue.nextGrants(devices('p1', 'p2', 'p3', 'p4'), 1)), [['wide', 'p1', 'p2', 'p3'], ['late', 'p4']])
})

t.test('devices are kept for a request that has waited too long, from those behind it only', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = [available('p1'), available('p2', { canBeGranted: false, expectedAtMs: 40_000 })]
  queue.add(queued('wide', { wanted: [{}, {}] }))
  queue.add(queued('late', { joinedAtMs: 1 }))

  t.same(granted(queue.nextGrants(devices, settings.reserveAfterMs)), [['late', 'p1']])
  t.same(granted(queue.nextGrants(devices, settings.reserveAfterMs + 1)), [])
  queue.add(queued('high', { priority: 'high', joinedAtMs: settings.reserveAfterMs + 1 }))
  t.same(granted(queue.nextGrants(devices, settings.reserveAfterMs + 1)), [['high', 'p1']])
})

t.test('only devices that it can use are kept for it', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = [available('p1'), available('p2'), available('p3', { canBeGranted: false, expectedAtMs: 40_000 })]
  queue.add(queued('wide', { wanted: [{ device: 'p1' }, { device: 'p3' }] }))
  for (const id of ['b', 'c']) queue.add(queued(id))

  t.same(granted(queue.nextGrants(devices, settings.reserveAfterMs + 1)), [['b', 'p2']])
})

t.test('nothing is kept for a request that needs a device that may never come', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = [available('p1'), available('p2', { canBeGranted: false })]
  queue.add(queued('wide', { wanted: [{}, {}] }))
  queue.add(queued('late'))

  t.same(granted(queue.nextGrants(devices, settings.reserveAfterMs + 1)), [['late', 'p1']])
})

t.test('a request that has left is not served, and those behind it move up', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = [available('p1', { canBeGranted: false, expectedAtMs: 500 })]
  for (const id of ['a', 'b', 'c']) queue.add(queued(id))
  t.equal(queue.position('c', devices, 0)?.position, 3)

  queue.remove('a')
  queue.remove('a')

  t.equal(queue.position('c', devices, 0)?.position, 2)
  t.equal(queue.position('a', devices, 0), undefined)
  t.same(granted(queue.nextGrants([available('p1')], 0)), [['b', 'p1']])
})

t.test('a suspended request is skipped without counting as overtaken, and is resumed at its old position', async (t) => {
  const queue = createAcquireQueue({ ...settings, maxBypasses: 0 })
  const devices = [available('p1'), available('p2', { canBeGranted: false, expectedAtMs: 500 })]
  queue.add(queued('wide', { wanted: [{}, {}] }))
  queue.add(queued('a'))
  queue.add(queued('b'))

  queue.suspend('wide')
  queue.suspend('stranger')
  t.same(queue.requests.map(({ id }) => id), ['a', 'b'])
  t.equal(queue.position('wide', devices, 0), undefined)
  t.equal(queue.position('a', devices, 0)?.position, 1)
  t.same(granted(queue.nextGrants(devices, 0)), [['a', 'p1']])

  queue.resume('wide')
  queue.suspend('a')
  t.same(queue.requests.map(({ id }) => id), ['wide', 'b'])
  t.same(granted(queue.nextGrants(devices, 0)), [['b', 'p1']])
  t.same(granted(queue.nextGrants(devices, 0)), [], 'overtaken once')
  queue.remove('a')
  queue.resume('a')
})

t.test('a request over its holder\'s limit is passed over, no device is kept for it, and other holders do not overtake it', async (t) => {
  const queue = createAcquireQueue({ ...settings, maxBypasses: 0 })
  const devices = ['p1', 'p2', 'p3'].map((id) => available(id))
  queue.add(queued('wide', { principal: 'ann', wanted: [{}, {}] }))
  queue.add(queued('a', { principal: 'ann' }))
  queue.add(queued('b', { principal: 'ann' }))
  queue.add(queued('c'))
  const allowanceOf = (principal: string) => principal === 'ann' ? 1 : Infinity
  const lateMs = settings.reserveAfterMs + 1

  t.same(granted(queue.nextGrants(devices, 0, allowanceOf)), [['a', 'p1'], ['c', 'p2']])
  t.same(granted(queue.nextGrants(devices, lateMs)), [['wide', 'p1', 'p2'], ['a', 'p3']])
  const young = createAcquireQueue({ ...settings, maxBypasses: 0 })
  young.add(queued('wide', { principal: 'ann', wanted: [{}, {}] }))
  young.add(queued('c'))
  young.nextGrants(devices, 0, allowanceOf)
  const few = [available('p1'), available('p2', { canBeGranted: false, expectedAtMs: 9 })]
  t.same(granted(young.nextGrants(few, 0)), [['c', 'p1']], 'it was not overtaken before')
})

t.test('the allowance of a holder is kept for its request that waits for it too long, or is overtaken too often by its own', async (t) => {
  const devices = ['p1', 'p2', 'p3'].map((id) => available(id))
  const allowanceOf = (principal: string) => principal === 'ann' ? 1 : Infinity
  function setup () {
    const queue = createAcquireQueue({ ...settings, maxBypasses: 1 })
    queue.add(queued('wide', { principal: 'ann', wanted: [{}, {}] }))
    queue.add(queued('small', { principal: 'ann' }))
    queue.add(queued('other'))
    return queue
  }

  const late = setup()
  t.same(granted(late.nextGrants(devices, settings.reserveAfterMs + 1, allowanceOf)), [['other', 'p1']])
  t.same(['wide', 'small', 'other', 'stranger'].map((id) => late.waitsForAllowance(id)), [false, true, false, false])
  late.remove('wide')
  t.notOk(late.waitsForAllowance('small'))
  t.same(granted(late.nextGrants(devices, settings.reserveAfterMs + 1, allowanceOf)), [['small', 'p1'], ['other', 'p2']])

  const overtaken = setup()
  for (let time = 0; time < 2; time++) t.same(granted(overtaken.nextGrants(devices, 0, allowanceOf)), [['small', 'p1'], ['other', 'p2']])
  t.same(granted(overtaken.nextGrants(devices, 0, allowanceOf)), [['other', 'p1']])

  const hopeless = setup()
  hopeless.add(queued('stuck', { principal: 'ann', priority: 'high', wanted: [{ device: 'p9' }] }))
  const away = available('p9', { canBeGranted: false })
  t.same(granted(hopeless.nextGrants([...devices, away], 0, allowanceOf)), [['small', 'p1'], ['other', 'p2']])
  hopeless.remove('wide')
  const grants = hopeless.nextGrants([...devices, away], settings.reserveAfterMs + 1, allowanceOf)
  t.same(granted(grants), [['small', 'p1'], ['other', 'p2']], 'nothing is kept for what may never come')
})

t.test('a request that waits for its device is overtaken by its own holder, too, whatever that one takes', async (t) => {
  const queue = createAcquireQueue({ ...settings, maxBypasses: 0 })
  const devices = [available('p1', { canBeGranted: false, expectedAtMs: 9 }), available('p2')]
  const allowanceOf = () => 1
  queue.add(queued('patient', { principal: 'ann', wanted: [{ device: 'p1' }] }))
  queue.add(queued('quick', { principal: 'ann', wanted: [{ device: 'p2' }] }))

  t.same(granted(queue.nextGrants(devices, 0, allowanceOf)), [['quick', 'p2']])
  t.same(granted(queue.nextGrants(devices, 0, allowanceOf)), [])
  t.same(granted(queue.nextGrants(devices, 0, () => 2)), [['quick', 'p2']], 'with an allowance for both there is nothing to keep')
})

t.test('a request is added once, and wants something', async (t) => {
  const queue = createAcquireQueue(settings)
  queue.add(queued('a'))

  t.throws(() => queue.add(queued('a')), /in the queue already/)
  t.throws(() => queue.add(queued('b', { wanted: [] })), /wants nothing/)
})

t.test('a position counts those in front that compete for a matching device', async (t) => {
  const queue = createAcquireQueue(settings)
  const devices = [
    available('p1', { canBeGranted: false, expectedAtMs: 1_000 }), available('p2', { canBeGranted: false, expectedAtMs: 3_000 }),
    available('p3', { canBeGranted: false })
  ]
  queue.add(queued('a', { wanted: [{ device: 'p1' }] }))
  queue.add(queued('b', { wanted: [{ device: 'p2' }] }))
  queue.add(queued('c', { wanted: [{ device: 'p2' }, { device: 'p1' }] }))
  queue.add(queued('d', { wanted: [{ device: 'p3' }] }))
  queue.add(queued('e'))
  queue.add(queued('f', { wanted: [{ device: 'p2' }] }))

  t.same(queue.position('a', devices, 200), { position: 1, estimateMs: 800 })
  t.same(queue.position('b', devices, 200), { position: 1, estimateMs: 2_800 })
  t.same(queue.position('c', devices, 200), { position: 3, estimateMs: 5_600 }, 'the second to get p2')
  t.same(queue.position('d', devices, 200), { position: 1, estimateMs: undefined }, 'nothing is known of p3')
  t.same(queue.position('e', devices, 200), { position: 5, estimateMs: 2_800 + 2_800 + 2_800 }, 'the sixth to get one of two devices')
  t.same(queue.position('f', devices, 200)?.position, 4)
  t.same([...queue.positions(devices, 200)], queue.requests.map(({ id }) => [id, queue.position(id, devices, 200)]))
  t.same(queue.position('a', [available('p1'), available('p2')], 200), { position: 1, estimateMs: 0 })
  t.same(queue.position('a', devices, 1_500), { position: 1, estimateMs: 0 }, 'overdue')
})

t.test('the pool may change between two looks', async (t) => {
  const queue = createAcquireQueue(settings)
  queue.add(queued('a', { wanted: [labelled('new')] }))
  t.same(granted(queue.nextGrants([available('p1'), available('p2')], 0)), [])

  t.same(granted(queue.nextGrants([available('p2'), available('p1', { labels: ['new'] })], 0)), [['a', 'p1']])
  t.same(granted(queue.nextGrants([available('p1', { labels: ['new'] })], 0)), [['a', 'p1']])
})
