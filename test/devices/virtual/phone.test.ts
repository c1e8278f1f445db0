import t from 'tap'
import { allNodes, asItWas, command, middleOf, phoneBench, signIn } from './phone-bench.ts'

t.test('the home screen shows every installed app, and a tap opens it', async (t) => {
  const bench = phoneBench()
  t.same(await bench.texts(), ['Home', 'Field Notes', 'Kitchen Sink', 'Messenger', 'Settings', 'Shop'])
  t.match(await bench.observe(), { app: null, size: { width: 1080, height: 2400 }, orientation: 'portrait', keyboardShown: false, locked: false })

  await bench.tapOn('Kitchen Sink')

  t.match(await bench.observe(), { app: 'com.example.kitchensink', activity: 'menu' })
})

t.test('an iPhone has another size and the same apps', async (t) => {
  const bench = phoneBench({ platform: 'ios' })
  t.match(await bench.observe(), { size: { width: 1179, height: 2556 } })
  t.match(bench.driver.description, { platform: 'ios', kind: 'virtual', model: 'Virtual iPhone', osVersion: '18.2', labels: ['virtual'] })
  t.equal(await bench.isShown('Shop'), true)
})

t.test('back closes the keyboard, then the dialog, then the screen, then leaves the app running', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('messages')
  await bench.tapOn('open_form')
  await bench.tapOn('name')
  t.match(await bench.observe(), { keyboardShown: true })

  await bench.press('back')
  t.match(await bench.observe(), { keyboardShown: false })
  t.equal(await bench.isShown('form'), true)
  await bench.press('back')
  t.equal(await bench.isShown('form'), false)
  await bench.press('back')
  t.match(await bench.observe(), { activity: 'menu' })
  await bench.press('back')
  t.match(await bench.observe(), { app: null })
  t.equal((await bench.driver.listApps(command)).find(({ id }) => id === 'com.example.kitchensink')?.running, true)
})

t.test('a phone without a back key says what to do instead, and its screens have a Back button', async (t) => {
  const bench = phoneBench({ platform: 'ios' })
  await bench.launch('kitchensink')
  await bench.tapOn('scripts')

  await t.rejects(bench.press('back'), { code: 'unsupported', nextAction: /Tap the Back button at the top left/ })
  await t.rejects(bench.press('menu'), { code: 'unsupported' })
  await bench.tapOn('Back')

  t.match(await bench.observe(), { activity: 'menu' })
  t.equal(await bench.isShown('Back'), false)
})

t.test('what lies below a dialog is neither in the tree nor in reach', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('messages')
  const toastButton = middleOf((await bench.find('show_toast')).rect)
  await bench.tapOn('open_dialog')

  t.equal(await bench.isShown('show_toast'), false)
  await bench.driver.tap(toastButton, { count: 1, holdMs: 0 }, command)
  t.equal(await bench.isShown('toast'), false)

  await bench.tapOn('yes')
  t.equal((await bench.find('answer')).text, 'Last answer: yes')
  await bench.driver.tap(toastButton, { count: 1, holdMs: 0 }, command)
  t.equal(await bench.isShown('toast'), true)
})

t.test('a toast is there for its time, and touches go through it', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('messages')
  await bench.tapOn('show_toast')
  t.equal((await bench.find('toast')).text, 'Hello from a toast')

  bench.time.advance(3_499)
  t.equal(await bench.isShown('toast'), true)
  bench.time.advance(1)
  t.equal(await bench.isShown('toast'), false)
})

t.test('what an app does later happens at its time, unless the app has ended', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('messages')
  await bench.tapOn('late')
  t.equal((await bench.find('late')).enabled, false)
  bench.time.advance(3_000)
  t.equal((await bench.find('answer')).text, 'Last answer: late answer')

  await bench.tapOn('late')
  await bench.driver.launchApp('com.example.kitchensink', { ...asItWas, restart: true }, command)
  await bench.tapOn('messages')
  bench.time.advance(3_000)
  t.equal((await bench.find('answer')).text, 'Last answer: nothing yet')
})

t.test('row 300 can be reached by swiping, no row is skipped, and it can be picked', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('rows')
  const seen = new Set<string>()
  t.equal(await bench.isShown('Row 300'), false)

  for (let swipes = 0; swipes < 60 && !await bench.isShown('Row 300'); swipes += 1) {
    for (const text of await bench.texts()) seen.add(text)
    await bench.swipe('up', 0.6)
  }
  for (const text of await bench.texts()) seen.add(text)

  t.equal([...seen].filter((text) => text.startsWith('Row ')).length, 300)
  await bench.tapOn('Row 300')
  t.equal((await bench.find('picked')).text, 'Picked: row 300')
  await bench.tapOn('Row 299', { holdMs: 500 })
  t.equal((await bench.find('picked')).text, 'Picked: row 299, held')
})

t.test('a list has only the rows that show, a scrolling screen marks what does not', async (t) => {
  const bench = phoneBench()
  await bench.launch('kitchensink')
  await bench.tapOn('rows')
  const rows = allNodes((await bench.observe()).root).filter(({ role }) => role === 'item')
  t.ok(rows.length > 5 && rows.length < 20)
  t.ok(rows.every(({ rect }) => rect.height > 0))

  await bench.launch('settings')
  const about = () => bench.observe().then(({ root }) => allNodes(root).find(({ id }) => id === 'about'))
  t.match(await about(), { rect: { width: 0, height: 0 } })
  await bench.swipe('up')
  t.ok((await about())!.rect.height > 0)
})

t.test('rects are clipped to what can be seen of them', async (t) => {
  const bench = phoneBench()
  await bench.launch('settings')
  await bench.driver.swipe({ x: 500, y: 1_000 }, { x: 500, y: 900 }, { durationMs: 300 }, command)
  const { root, size } = await bench.observe()
  const top = 276

  t.equal(allNodes(root).find(({ id }) => id === 'search')?.rect.y, top)
  t.equal(allNodes(root).find(({ id }) => id === 'search')?.rect.height, 162 - (100 - 24))
  for (const { rect } of allNodes(root)) {
    t.ok(rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= size.width && rect.y + rect.height <= size.height)
  }
})

t.test('turning the phone lays the screen out anew and keeps what was typed', async (t) => {
  const bench = phoneBench()
  await bench.launch('fieldnotes')
  await bench.tapOn('email')
  await bench.type('ada')
  const upright = await bench.find('sign_in')

  await bench.driver.setOrientation('landscape', command)

  t.match(await bench.observe(), { size: { width: 2400, height: 1080 }, orientation: 'landscape', keyboardShown: true })
  t.match(await bench.find('email'), { text: 'ada', focused: true })
  await bench.press('back')
  await bench.swipe('up')
  t.ok((await bench.find('sign_in')).rect.width > upright.rect.width)
  await bench.tapOn('sign_in')
  await bench.swipe('down')
  t.equal((await bench.find('email_error')).text, 'This is not an e-mail address.')
})

t.test('turning the phone with the keyboard up keeps the focused field above it', async (t) => {
  for (const platform of ['android', 'ios'] as const) {
    const bench = phoneBench({ platform })
    await bench.launch('fieldnotes')
    await bench.tapOn('password')

    for (const orientation of ['landscape', 'portrait'] as const) {
      await bench.driver.setOrientation(orientation, command)

      const { rect, focused } = await bench.find('password')
      const keyboard = await bench.find('Keyboard')
      t.equal(focused, true)
      t.ok(rect.height > 0 && rect.y + rect.height <= keyboard.rect.y, `${platform} ${orientation}: ${JSON.stringify(rect)} above ${keyboard.rect.y}`)
    }
  }
})

t.test('links open the screen they name, in the app that claims them or the one that is named', async (t) => {
  const bench = phoneBench()
  for (const url of ['shop://product/p03', 'https://shop.example.com/product/p03?from=mail']) {
    await bench.driver.openLink(url, {}, command)
    t.match(await bench.observe(), { app: 'com.example.shop', activity: 'product' })
    t.equal((await bench.find('product_name')).text, 'Compass')
    await bench.driver.terminateApp('com.example.shop', command)
  }
  for (const id of ['p99', '1', 'p']) {
    await bench.driver.openLink(`shop://product/${id}`, { appId: 'com.example.shop' }, command)
    t.equal((await bench.find('no_product')).text, `There is no product ${id}.`)
  }

  await t.rejects(bench.driver.openLink('shop://product/p03', { appId: 'com.example.settings' }, command), { code: 'link_not_handled' })
  await t.rejects(bench.driver.openLink('tel:112', {}, command), { code: 'link_not_handled' })
  await t.rejects(bench.driver.openLink('shop://cart', { appId: 'com.example.absent' }, command), { code: 'app_not_installed' })
})

t.test('an app comes back as it was left, starts anew when asked to, and loses its data only when told', async (t) => {
  const bench = phoneBench()
  await bench.launch('shop')
  await bench.tapOn('Compass')
  await bench.tapOn('add_to_cart')
  await bench.press('home')
  await bench.launch('shop')
  t.match(await bench.observe(), { activity: 'product' })

  await bench.driver.launchApp('com.example.shop', { clearData: false, restart: true }, command)
  t.match(await bench.observe(), { activity: 'products' })
  t.equal(await bench.isShown('Cart (1)'), true)

  await bench.driver.launchApp('com.example.shop', { clearData: true, restart: false }, command)
  t.equal(await bench.isShown('Cart (0)'), true)

  await bench.driver.terminateApp('com.example.shop', command)
  t.match(await bench.observe(), { app: null })
  await bench.driver.terminateApp('com.example.shop', command)
  await t.rejects(bench.driver.terminateApp('com.example.absent', command), { code: 'app_not_installed', details: { installed: ['com.example.fieldnotes', 'com.example.kitchensink', 'com.example.messenger', 'com.example.settings', 'com.example.shop'] } })
  await t.rejects(bench.driver.launchApp('com.example.absent', asItWas, command), { code: 'app_not_installed' })
})

t.test('recent apps are listed with the last one first, can be chosen, and cleared', async (t) => {
  const bench = phoneBench()
  for (const app of ['shop', 'settings', 'kitchensink']) await bench.launch(app)
  await bench.press('recents')
  t.same((await bench.texts()).filter((text) => !text.startsWith('Recent')), ['Kitchen Sink', 'Settings', 'Shop', 'Clear all'])

  await bench.tapOn('Shop')
  t.match(await bench.observe(), { app: 'com.example.shop' })
  await bench.press('recents')
  await bench.tapOn('Clear all')
  t.equal(await bench.isShown('No recent apps'), true)
  t.equal((await bench.driver.listApps(command)).some(({ running }) => running), false)
  await bench.press('back')
  t.equal(await bench.isShown('Home'), true)
})

t.test('the power key locks, a swipe up unlocks, and a locked phone takes nothing else', async (t) => {
  const bench = phoneBench()
  await bench.launch('settings')
  await bench.press('power')
  t.match(await bench.observe(), { app: null, locked: true, root: { children: [] } })
  await bench.swipe('up')
  t.match(await bench.observe(), { locked: true })

  await bench.press('power')
  t.equal(await bench.isShown('Swipe up to unlock'), true)
  await bench.press('home')
  await bench.driver.tap({ x: 500, y: 600 }, { count: 1, holdMs: 0 }, command)
  await t.rejects(bench.type('hello'), { code: 'no_focused_field' })
  t.match(await bench.observe(), { locked: true })

  await bench.swipe('up')
  t.match(await bench.observe(), { locked: false, app: 'com.example.settings' })
})

t.test('the volume keys say how loud it is', async (t) => {
  const bench = phoneBench()
  await bench.driver.pressKey('volume_up', { count: 20, long: false }, command)
  t.equal((await bench.find('toast')).text, 'Volume 15 of 15')
  await bench.press('volume_down')
  t.equal((await bench.find('toast')).text, 'Volume 14 of 15')
})

t.test('what was copied can be pasted by holding a field', async (t) => {
  const bench = phoneBench()
  await signIn(bench)
  await bench.tapOn('Seal count')
  await bench.tapOn('copy_text')
  await bench.press('back')
  await bench.tapOn('search_notes', { holdMs: 600 })
  await bench.tapOn('Paste')
  t.equal((await bench.find('search_notes')).text, 'Seven seals on the sandbank. One tagged 1142.')
})
