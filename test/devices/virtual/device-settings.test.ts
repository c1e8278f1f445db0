import t from 'tap'
import { command, phoneBench } from './phone-bench.ts'

t.test('the language is what the settings show, and the settings change it too', async (t) => {
  const bench = phoneBench()
  t.equal(await bench.driver.getLocale(command), 'en-US')

  await bench.driver.setLocale('de-de', command)
  t.equal(await bench.driver.getLocale(command), 'de-DE')
  await bench.launch('settings')
  await bench.swipe('up', 0.6)
  await bench.tapOn('language')
  t.equal((await bench.find('locale')).text, 'Dieses Telefon spricht de-DE.')
  await bench.tapOn('Ελληνικά')

  t.equal(await bench.driver.getLocale(command), 'el-GR')
  await t.rejects(bench.driver.setLocale('not a tag', command), { code: 'invalid_locale', nextAction: /BCP 47/ })
  t.equal(await bench.driver.getLocale(command), 'el-GR')
})

t.test('a simulated location shows in the settings until it is cleared', async (t) => {
  const bench = phoneBench()
  t.equal(await bench.driver.getLocation(command), undefined)
  await bench.driver.setLocation({ latitude: 52.52, longitude: -13.4 }, command)
  await bench.launch('settings')
  await bench.tapOn('Location')

  t.equal((await bench.find('simulated_location')).text, 'Simulated: 52.52, -13.4')
  t.same(await bench.driver.getLocation(command), { latitude: 52.52, longitude: -13.4 })
  await bench.driver.clearLocation(command)
  t.equal(await bench.isShown('simulated_location'), false)
  t.equal(await bench.driver.getLocation(command), undefined)
})

t.test('the networks are those of the settings; airplane mode takes the others with it', async (t) => {
  const bench = phoneBench()
  const network = () => bench.driver.getNetwork(command)
  t.same(await network(), { wifi: true, data: true, airplane: false })

  await bench.driver.setNetwork({ wifi: false }, command)
  t.same(await network(), { wifi: false, data: true, airplane: false })
  await bench.driver.setNetwork({ airplane: true }, command)
  t.same(await network(), { wifi: false, data: false, airplane: true })
  await bench.launch('settings')
  await bench.tapOn('network')
  t.match(await bench.find('airplane'), { checked: true })
  t.match(await bench.find('wifi'), { checked: false, enabled: false })

  await bench.tapOn('airplane')
  t.same(await network(), { wifi: true, data: true, airplane: false })
  await bench.driver.setNetwork({ airplane: true, wifi: true }, command)
  t.same(await network(), { wifi: true, data: false, airplane: true })
  await bench.driver.setNetwork({ airplane: true }, command)
  t.same(await network(), { wifi: true, data: false, airplane: true }, 'what is so already changes nothing else')
})

t.test('the clipboard is the one that fields paste from', async (t) => {
  const bench = phoneBench()
  await bench.driver.setClipboard('from outside', command)
  await bench.launch('settings')
  await bench.tapOn('search', { holdMs: 600 })
  await bench.tapOn('Paste')

  t.equal((await bench.find('search')).text, 'from outside')
  t.equal(await bench.driver.getClipboard(command), 'from outside')
})

t.test('the phone is turned, and says how it is held', async (t) => {
  const { driver } = phoneBench()
  await driver.setOrientation('landscape', command)
  t.equal(await driver.getOrientation(command), 'landscape')
})

t.test('an app asks for a permission once; the answer stays and can be changed from outside', async (t) => {
  const bench = phoneBench()
  const permissions = () => bench.driver.listPermissions('com.example.kitchensink', command)
  await bench.launch('kitchensink')
  await bench.tapOn('permissions')
  t.equal((await bench.find('camera_state')).text, 'Camera: ask')
  await bench.tapOn('camera')
  t.equal(await bench.isShown('Allow Kitchen Sink to use camera?'), true)
  t.equal(await bench.isShown('camera_state'), false, 'what lies below cannot be reached')

  await bench.tapOn('Allow')
  t.equal((await bench.find('camera_answer')).text, 'Last answer: camera on')
  t.same(await permissions(), { camera: 'granted', contacts: 'ask' })

  await bench.driver.setPermission('com.example.kitchensink', 'camera', 'denied', command)
  t.equal((await bench.find('camera_state')).text, 'Camera: denied')
  await bench.tapOn('camera')
  t.equal((await bench.find('camera_answer')).text, 'Last answer: no camera', 'nobody is asked again')

  await bench.driver.setPermission('com.example.kitchensink', 'camera', 'ask', command)
  await bench.tapOn('camera')
  await bench.press('back')
  t.same(await permissions(), { camera: 'ask', contacts: 'ask' }, 'no answer is none')
  await bench.tapOn('camera')
  await bench.tapOn('deny')
  t.same(await permissions(), { camera: 'denied', contacts: 'ask' })
})

t.test('a question goes with the app that asked', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('permissions')
  await bench.tapOn('camera')
  await bench.driver.terminateApp('com.example.kitchensink', command)
  t.equal(await bench.isShown('Allow'), false)
})

t.test('a permission that an app never asks for cannot be given', async (t) => {
  const { driver } = phoneBench()
  await t.rejects(driver.setPermission('com.example.kitchensink', 'toString', 'granted', command), { code: 'unknown_permission', details: { permissions: ['camera', 'contacts'] } })
  await t.rejects(driver.setPermission('com.example.shop', 'camera', 'granted', command), { code: 'unknown_permission', nextAction: /asks for no permissions/ })
  await t.rejects(driver.listPermissions('com.example.nothing', command), { code: 'app_not_installed' })
})
