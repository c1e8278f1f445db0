import t from 'tap'
import type { DeviceDriver } from '../../../src/devices/device-driver.ts'
import type { Departure, DeviceSink } from '../../../src/devices/device-source.ts'
import { virtualSettings } from '../../../src/devices/virtual/virtual-settings.ts'
import { createVirtualSource } from '../../../src/devices/virtual/virtual-source.ts'
import { randomIds } from '../../../src/runtime/ids.ts'
import { idle } from '../../support/idle.ts'
import { manualTime } from '../../support/manual-time.ts'
import { command } from './phone-bench.ts'

const by = 'issuer\0olga'
const removal = { reason: 'not needed', by, lease: 'goes_on' } as const

/** A sink that keeps what it is told, and closes a driver when the test says so. */
function setup (settings: object = {}, known: readonly string[] = []) {
  const { clock, scheduler } = manualTime()
  const drivers = new Map<string, DeviceDriver>()
  const orders: Array<readonly [id: string, by: string | undefined]> = []
  const departures: Array<readonly [id: string, departure: Departure]> = []
  const sink: DeviceSink = {
    async appeared (driver, order) {
      await idle()
      drivers.set(driver.description.id, driver)
      orders.push([driver.description.id, order?.by])
    },
    async gone (id, departure) { departures.push([id, departure]) },
    async isKnown (id) {
      await idle()
      return known.includes(id)
    }
  }
  const source = createVirtualSource({ settings: virtualSettings.parse(settings), clock, scheduler, ids: randomIds })
  return { source, sink, drivers, orders, departures }
}

t.test('the phones of the settings are there once it has started, by no order', async (t) => {
  const { source, sink, orders } = setup({ android: 2, ios: 1 })

  await source.start(sink)

  t.same([...orders].sort(), [['virtual-android-1', undefined], ['virtual-android-2', undefined], ['virtual-ios-1', undefined]])
})

t.test('a phone that is added is like the others, or as it was ordered', async (t) => {
  const { source, sink, drivers, orders } = setup()
  await source.start(sink)

  const plain = await source.add({ platform: 'ios', by })
  const ordered = await source.add({ platform: 'android', name: 'Kiosk', model: 'Pixel 9', labels: ['kiosk', 'virtual'], by })

  t.same(plain, {
    id: 'virtual-ios-2', name: 'Virtual iPhone 2', platform: 'ios', kind: 'virtual', model: 'Virtual iPhone', osVersion: '18.2', labels: ['virtual']
  })
  t.same(ordered, {
    id: 'virtual-android-2', name: 'Kiosk', platform: 'android', kind: 'virtual', model: 'Pixel 9', osVersion: '15', labels: ['virtual', 'kiosk']
  })
  t.same(orders.slice(2), [['virtual-ios-2', by], ['virtual-android-2', by]])
  t.match(await drivers.get('virtual-android-2')?.observe(command), { app: null })
})

t.test('an id is given out once: neither a phone that has left nor one that the store knows makes room for it', async (t) => {
  const { source, sink, drivers } = setup({}, ['virtual-android-3', 'virtual-android-4'])
  await source.start(sink)

  const [one, other] = await Promise.all([source.add({ platform: 'android', by }), source.add({ platform: 'android', by })])
  t.same([one.id, other.id].sort(), ['virtual-android-2', 'virtual-android-5'])
  await source.remove({ device: 'virtual-android-5', ...removal })
  await drivers.get('virtual-android-5')?.close()

  t.equal((await source.add({ platform: 'android', by })).id, 'virtual-android-6')
})

t.test('any of its phones can be removed, as it was ordered, and no other device', async (t) => {
  const { source, sink, departures } = setup()
  await source.start(sink)
  const { id } = await source.add({ platform: 'ios', by })

  t.equal(await source.remove({ device: id, ...removal, lease: 'ends' }), true)
  t.equal(await source.remove({ device: 'virtual-android-1', ...removal }), true)
  t.equal(await source.remove({ device: 'phone-1', ...removal }), false)

  t.same(departures, [
    [id, { kind: 'removed', ...removal, lease: 'ends' }],
    ['virtual-android-1', { kind: 'removed', ...removal }]
  ])
})

t.test('there are so many phones at most; one that is to leave counts until the pool has closed it', async (t) => {
  const { source, sink, drivers } = setup({ android: 198, ios: 0 })
  await source.start(sink)

  const outcomes = await Promise.all(Array.from({ length: 4 }, async () => await source.add({ platform: 'android', by }).then(() => 'added', ({ code }) => code)))
  t.same(outcomes.sort(), ['added', 'added', 'virtual_device_limit', 'virtual_device_limit'])

  await source.remove({ device: 'virtual-android-1', ...removal })
  await t.rejects(source.add({ platform: 'ios', by }), { code: 'virtual_device_limit', kind: 'limit', details: { most: 200 } })
  await drivers.get('virtual-android-1')?.close()
  await source.add({ platform: 'ios', by })
  t.equal(await source.remove({ device: 'virtual-android-1', ...removal }), false)
})

t.test('an id that could not be looked up takes no place', async (t) => {
  const { source, sink } = setup({ android: 199, ios: 0 })
  await source.start({ ...sink, isKnown: async () => { throw new Error('disk gone') } })

  for (let turn = 0; turn < 3; turn += 1) await t.rejects(source.add({ platform: 'ios', by }), { message: 'disk gone' })
})
