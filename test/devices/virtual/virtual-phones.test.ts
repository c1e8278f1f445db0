import t from 'tap'
import { randomIds } from '../../../src/runtime/ids.ts'
import { createVirtualPhones } from '../../../src/devices/virtual/virtual-phones.ts'
import { virtualSettings } from '../../../src/devices/virtual/virtual-settings.ts'
import { manualTime } from '../../support/manual-time.ts'
import { command } from './phone-bench.ts'

function phonesFor (settings: unknown) {
  const { clock, scheduler } = manualTime()
  return createVirtualPhones({ settings: virtualSettings.parse(settings), clock, scheduler, ids: randomIds })
}

t.test('there is one phone of each kind unless the settings say otherwise', async (t) => {
  const described = phonesFor({}).map(({ description }) => description)

  t.same(described, [
    { id: 'virtual-android-1', name: 'Virtual Android 1', platform: 'android', kind: 'virtual', model: 'Virtual Android 15', osVersion: '15', labels: ['virtual'] },
    { id: 'virtual-ios-1', name: 'Virtual iPhone 1', platform: 'ios', kind: 'virtual', model: 'Virtual iPhone', osVersion: '18.2', labels: ['virtual'] }
  ])
  t.same(phonesFor({ android: 2, ios: 0 }).map(({ description }) => description.id), ['virtual-android-1', 'virtual-android-2'])
  t.same(phonesFor({ android: 0, ios: 0 }), [])
})

t.test('two phones have nothing in common but their apps', async (t) => {
  const [one, other] = phonesFor({ android: 2, ios: 0 })
  await one!.launchApp('com.example.shop', { clearData: false, restart: false }, command)
  t.match(await other!.observe(command), { app: null })
  t.not(await one!.bootId(command.signal), await other!.bootId(command.signal))
})

t.test('each phone has luck of its own', async (t) => {
  const phones = phonesFor({ android: 2, ios: 0, faults: { swallowedTapPercent: 50 } })
  const fates = await Promise.all(phones.map(async (phone) => {
    const struck: boolean[] = []
    for (let count = 0; count < 30; count += 1) {
      await phone.tap({ x: 130, y: 660 }, { count: 1, holdMs: 0 }, command)
      struck.push((await phone.observe(command)).app === null)
      await phone.pressKey('home', { count: 1, long: false }, command)
    }
    return struck
  }))
  t.ok(fates[0]!.includes(true) && fates[0]!.includes(false))
  t.notSame(fates[0], fates[1])
})

t.test('settings out of bounds or misspelt are refused', async (t) => {
  for (const settings of [
    { android: 150, ios: 51 }, { android: -1 }, { ios: 1.5 }, { phones: 3 }, { appsFolder: '' }, { faults: { swallowedTapPercent: 101 } },
    { faults: { latency: { fixedMs: -1 } } }, { faults: { offline: { forMs: 10, everyMs: 10 } } }, { faults: { luck: 1 } }
  ]) {
    t.equal(virtualSettings.safeParse(settings).success, false, JSON.stringify(settings))
  }
})

t.test('apps come from a folder of one\'s own as well', async (t) => {
  const folder = t.testdir({
    'hello.yaml': 'id: com.example.hello\nname: Hello\nversion: "1"\nicon: H\ncolor: "#123456"\nfirstScreen: hello\nscreens: { hello: { title: Hello, content: [] } }'
  })
  const [phone] = phonesFor({ ios: 0, appsFolder: folder })
  t.equal((await phone!.listApps(command)).length, 6)
  await phone!.launchApp('com.example.hello', { clearData: false, restart: false }, command)
  t.match(await phone!.observe(command), { app: 'com.example.hello', activity: 'hello' })
  t.throws(() => phonesFor({ appsFolder: `${folder}/missing` }), { code: 'apps_folder_unusable', message: /cannot be read: ENOENT/ })
})
