import t from 'tap'
import { principalTopic, type Change, type EventBus, type Topic } from '../../src/events/event-bus.ts'
import { createDeviceResources } from '../../src/tools/device-resources.ts'
import { createPoolChanges, publishPoolChange, publishScreenChange } from '../../src/tools/pool-changes.ts'
import { createScreenResource } from '../../src/tools/screen-resource.ts'
import { grantedLease } from '../support/lease-events.ts'
import { alice, bob, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const lease = grantedLease({ handle: 'ls_1', deviceId: 'phone-1', holder: { principal: alice.key } })

function setup () {
  const published: Array<readonly [Topic, Change]> = []
  const bus: EventBus = { publish: (topic, change) => { published.push([topic, change]) }, subscribe: () => () => {} }
  return { published, bus }
}

t.test('a change of a device is told of the device and of the pool, to everybody', (t) => {
  const { published, bus } = setup()

  publishPoolChange(bus, { deviceId: 'phone-1', ended: undefined })

  t.strictSame(published, [
    ['global', { type: 'resource', uri: 'mooring://devices' }],
    ['device:phone-1', { type: 'resource', uri: 'mooring://devices/phone-1' }]
  ])
  t.end()
})

t.test('a change of a screen, and the end of the lease it is seen under, are told to the holder alone', (t) => {
  const { published, bus } = setup()
  const screen: Array<readonly [Topic, Change]> = [
    [principalTopic(alice.key), { type: 'resource', uri: 'mooring://leases/ls_1/screen' }],
    [principalTopic(alice.key), { type: 'resource', uri: 'mooring://leases/ls_1/screenshot' }]
  ]

  publishScreenChange(bus, lease)
  t.strictSame(published.splice(0), screen)
  publishPoolChange(bus, { deviceId: 'phone-1', ended: lease })
  t.strictSame(published.slice(2), screen)
  t.end()
})

t.test('SUB-09, D-20: the screen of somebody else\'s lease is no more there to subscribe to than one that never was', async (t) => {
  const bench = await toolBench({ shows: node('text', { text: 'Hi' }) })
  const handle = await bench.acquire()
  const [devices, device, ...ofLease] = createDeviceResources({ leases: bench.leases, screen: createScreenResource(bench.deviceUses), uses: bench.deviceUses })
  const { signal } = new AbortController()

  t.equal(await devices?.topicOf({}, { principal: bob, signal }), 'global')
  t.equal(await device?.topicOf({ id: 'phone-1' }, { principal: bob, signal }), 'device:phone-1')
  t.equal(await device?.topicOf({ id: 'phone-9' }, { principal: bob, signal }), undefined)
  const screens = ofLease.filter(({ name }) => name !== 'file')
  t.same(screens.map(({ name }) => name), ['screen', 'screenshot'])
  for (const { topicOf } of screens) {
    t.equal(await topicOf({ lease: handle }, { principal: alice, signal }), principalTopic(alice.key))
    t.equal(await topicOf({ lease: handle }, { principal: bob, signal }), undefined)
    t.equal(await topicOf({ lease: 'ls_none' }, { principal: alice, signal }), undefined)
  }
  t.equal(bench.phone.looks, 0)
})

t.test('a look tells of a screen that differs from the look before, and of no other', async (t) => {
  const { call, acquire, phone, screenChanges } = await toolBench({ shows: node('text', { text: 'One' }) })
  const handle = await acquire()

  await call('observe', { lease: handle })
  await call('observe', { lease: handle })
  t.same(screenChanges, [], 'there was nothing before, and then nothing new')
  phone.show(node('text', { text: 'Two' }))
  await call('observe', { lease: handle })
  await call('captureScreenshot', { lease: handle })

  t.same(screenChanges, [handle])
})

t.test('an action tells when the look after it finds another screen, or when there is no look to compare', async (t) => {
  const { call, acquire, phone, screenChanges } = await toolBench({ shows: node('button', { text: 'OK', rect: [0, 0, 100, 100] }) })
  const handle = await acquire()
  const tap = async (args: object = {}) => await call('tapOn', { lease: handle, target: { text: 'OK' }, ...args })

  await tap()
  t.same(screenChanges.splice(0), [], 'the tap looks before and after, and nothing has changed')
  phone.on('tap', () => phone.show(node('button', { text: 'OK', checked: true, rect: [0, 0, 100, 100] })))
  await tap()
  t.same(screenChanges.splice(0), [handle])
  await tap({ observe: 'none' })
  t.same(screenChanges.splice(0), [handle], 'nobody looked')
  await t.rejects(tap({ target: { text: 'Gone' } }), { code: 'no_match' })
  t.same(screenChanges, [], 'a refused action has done nothing')
})

t.test('an action without any look before it tells', async (t) => {
  const { call, acquire, screenChanges } = await toolBench({ shows: node('text', { text: 'One' }) })
  const handle = await acquire()

  await call('pressButton', { lease: handle, button: 'home' })

  t.same(screenChanges, [handle])
})

t.test('SUB-02: a device that comes or goes is a change of the list of resources, once, and nothing else is', async (t) => {
  const { published, bus } = setup()
  const there = new Set(['a', 'b'])
  const changes = createPoolChanges(bus)
  const tell = (deviceId: string): boolean => {
    published.length = 0
    changes.tell({ deviceId, ended: undefined })
    return published.some(([topic, change]) => topic === 'global' && change.type === 'list' && change.list === 'resources')
  }

  t.equal(tell('a'), false, 'before it is watched, all is of the start')
  await changes.watch({ devices: async () => [...there].map((id) => ({ description: { id } })) as any, hasDevice: (id) => there.has(id) })
  t.equal(tell('a'), false)
  there.add('c')
  t.equal(tell('c'), true)
  t.equal(tell('c'), false)
  there.delete('a')
  t.equal(tell('b'), false, 'another device')
  t.equal(tell('a'), true)
  t.equal(tell('a'), false)
  there.add('a')
  t.equal(tell('a'), true, 'and back')
})
