import t from 'tap'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import { CancelledRefusal } from '../../src/refusals/cancellation.ts'
import type { UiNode } from '../../src/devices/device-types.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const home = () => node('group', {}, [
  node('text', { text: 'Sign in', rect: [0, 0, 1000, 100] }),
  node('button', { text: 'Sign in', rect: [0, 100, 1000, 100] }),
  node('button', { text: 'Help', enabled: false, rect: [0, 200, 1000, 100] })
])
const welcome = () => node('text', { text: 'Welcome' })

async function setup (shows: UiNode = home()) {
  const bench = await toolBench({ shows })
  const lease = await bench.acquire()
  return { ...bench, lease, tap: (args: object) => bench.call('tapOn', { lease, ...args }) }
}

t.test('tapOn taps the middle of the element and answers with the screen that follows', async (t) => {
  const { phone, tap } = await setup()
  phone.on('tap', () => phone.show(welcome()))

  const { text, structuredContent } = await tap({ target: { text: 'Sign in' } })

  t.same(phone.did, ['tap 500,150'])
  t.equal(text, 'Tapped e2 button "Sign in".\nrev 2, app com.example.app, activity main, 1080x2400 portrait\ne4 text "Welcome"')
  t.strictSame(structuredContent, {
    ref: 'e2',
    point: [500, 150],
    changed: true,
    screen: {
      rev: 2, app: 'com.example.app', activity: 'main', size: [1080, 2400], orientation: 'portrait', keyboard: false, locked: false, elements: [{ ref: 'e4', role: 'text', label: 'Welcome' }]
    }
  })
  t.equal(phone.looks, 2)
})

t.test('the screen that follows is told as asked for', async (t) => {
  const { phone, tap } = await setup()

  t.strictSame((await tap({ target: { ref: 'e2' }, observe: 'none' })).structuredContent, { ref: 'e2', point: [500, 150] })
  t.equal(phone.looks, 1)
  t.match((await tap({ target: { ref: 'e2' }, observe: 'full' })).structuredContent.screen.elements, [{ rect: Array }])
})

t.test('tapOn double taps and long-presses', async (t) => {
  const { phone, tap } = await setup()

  t.match((await tap({ target: { ref: 'e2' }, count: 2, observe: 'none' })).text, 'Tapped e2 button "Sign in" 2 times.')
  t.match((await tap({ target: { ref: 'e2' }, holdMs: 800, observe: 'none' })).text, 'Long-pressed e2')
  t.same(phone.did, ['tap 500,150 x2', 'tap 500,150 for 800'])
})

t.test('tapOn taps a point in pixels without looking first, and one in ratio of the screen', async (t) => {
  const { phone, tap } = await setup()

  t.strictSame((await tap({ target: { x: 12.7, y: 34 }, observe: 'none' })).structuredContent, { point: [12, 34] })
  t.equal(phone.looks, 0)
  await tap({ target: { x: 0.5, y: 1, unit: 'ratio' }, observe: 'none' })
  t.same(phone.did, ['tap 12,34', 'tap 540,2399'])
})

t.test('a target is an element or a point, whole and alone', async (t) => {
  const { tap } = await setup()
  const refused = async (target: object, message: RegExp) => {
    await t.rejects(tap({ target }), { name: 'ZodError', message }, JSON.stringify(target))
  }

  await refused({}, /Name an element by ref/)
  await refused({ index: 1 }, /Name an element by ref/)
  await refused({ x: 1 }, /both x and y/)
  await refused({ unit: 'px' }, /both x and y/)
  await refused({ x: 1, y: 1, text: 'a' }, /not both/)
  await refused({ x: 2, y: 0.5, unit: 'ratio' }, /between 0 and 1/)
  await refused({ ref: 'e1', text: 'a' }, /stands alone/)
  await refused({ text: 'a', within: {} }, /Name an element by ref/)
  await refused({ label: 'a' }, /Unrecognized key/)
})

t.test('tapOn refuses what it cannot find, before anything is touched', async (t) => {
  const { phone, tap } = await setup(node('group', {}, [node('button', { text: 'OK' }), node('button', { text: 'OK' })]))

  await t.rejects(tap({ target: { text: 'OK' } }), { code: 'ambiguous', retryable: false })
  await t.rejects(tap({ target: { text: 'Okay' } }), { code: 'no_match', retryable: true })
  await t.rejects(tap({ target: { ref: 'e9' } }), { code: 'no_match' })
  await t.rejects(tap({ target: { textMatches: '(' } }), { code: 'invalid_pattern' })
  phone.show(welcome())
  await t.rejects(tap({ target: { ref: 'e1' } }), { code: 'stale_ref', nextAction: /observe/ })
  t.same(phone.did, [])
})

t.test('tapOn says when what it tapped is disabled', async (t) => {
  const { tap } = await setup()

  t.match((await tap({ target: { text: 'Help' }, observe: 'none' })).text, 'Tapped e3 button "Help", which is disabled.')
})

t.test('a screen that has not answered yet gets a second look', async (t) => {
  const { phone, tap } = await setup()
  phone.on('observe', () => { if (phone.looks === 3) phone.show(welcome()) })

  const { structuredContent } = await tap({ target: { text: 'Sign in' } })

  t.match(structuredContent, { changed: true, screen: { elements: [{ label: 'Welcome' }] } })
})

t.test('an action that changed nothing says so', async (t) => {
  const { tap } = await setup()
  const { text, structuredContent } = await tap({ target: { text: 'Sign in' } })

  t.match(text, /^Tapped e2 button "Sign in"\. Nothing on the screen changed\.\nrev 1/)
  t.equal(structuredContent.changed, false)
})

t.test('an action is not refused because the screen after it cannot be read', async (t) => {
  const { phone, tap } = await setup()
  phone.on('tap', () => phone.on('observe', () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 1_000 }) }))

  const { text, structuredContent } = await tap({ target: { text: 'Sign in' } })

  t.match(text, /^Tapped e2 button "Sign in"\. The screen after it could not be read: .*Do not repeat/)
  t.match(structuredContent, { ref: 'e2', screenRefusal: { code: 'device_offline' }, screen: undefined })
})

t.test('tapOn waits for what should come', async (t) => {
  const { phone, tap } = await setup()
  phone.on('observe', () => { if (phone.looks === 4) phone.show(welcome()) })

  const { text, structuredContent } = await tap({ target: { text: 'Sign in' }, waitFor: { text: 'Welcome' } })

  t.match(structuredContent, { ref: 'e2', waitedMs: 600, changed: true, screen: { elements: [{ label: 'Welcome' }] } })
  t.match(text, /Waited 600 ms\./)
  t.equal(phone.looks, 4, 'and does not look again')
})

t.test('tapOn that waits in vain says that the tap was made', async (t) => {
  const { phone, tap } = await setup()

  await t.rejects(tap({ target: { text: 'Sign in' }, waitFor: { text: 'Welcome' }, waitMs: 500 }), {
    code: 'timeout',
    retryable: false,
    message: 'Tapped e2 button "Sign in". But waited 500 ms for text "Welcome" to be visible in vain.',
    nextAction: /Do not repeat/,
    details: { waitedMs: 500, screen: [/^rev 1/, 'e1 text "Sign in"', /e2/, /e3/] }
  })
  t.same(phone.did, ['tap 500,150'])
})

t.test('a tap is not refused because what should come cannot be waited for', async (t) => {
  const { phone, tap } = await setup()
  const { text, structuredContent } = await tap({ target: { text: 'Sign in' }, waitFor: { textMatches: '(' }, observe: 'none' })

  t.match(text, /^Tapped e2 button "Sign in"\. Did not wait: .* Do not repeat the tap\.$/)
  t.match(structuredContent, { ref: 'e2', waitRefusal: { code: 'invalid_pattern' }, waitedMs: undefined })
  t.same(phone.did, ['tap 500,150'])
})

t.test('a caller that goes between the look and the tap leaves the phone untouched', async (t) => {
  const { phone, tap, call, lease } = await setup()
  const caller = new AbortController()
  phone.on('observe', () => caller.abort())

  await t.rejects(call('tapOn', { lease, target: { text: 'Sign in' } }, { signal: caller.signal }), { code: 'cancelled' })

  t.same(phone.did, [])
  phone.on('observe', () => {})
  t.match((await tap({ target: { text: 'Sign in' }, observe: 'none' })).structuredContent, { ref: 'e2' }, 'and the lease goes on')
})

t.test('a lease that ends between the look and the tap leaves the phone untouched', async (t) => {
  const { phone, tap, call, lease } = await setup()
  let released
  phone.on('observe', () => { released = call('releaseDevice', { lease }); return new Promise((resolve) => setImmediate(resolve)) })

  await t.rejects(tap({ target: { text: 'Sign in' } }), { code: 'lease_ended' })

  await released
  t.same(phone.did, ['restore'])
})

t.test('of two calls at once, the second finds its element on the screen the first has left', async (t) => {
  const { phone, tap } = await setup()
  phone.on('tap', () => phone.show(welcome()))

  const [first, second] = await Promise.allSettled([tap({ target: { text: 'Sign in' } }), tap({ target: { text: 'Help' } })])

  t.equal(first.status, 'fulfilled')
  t.match(second, { status: 'rejected', reason: { code: 'no_match' } })
  t.same(phone.did, ['tap 500,150'])
})

t.test('a caller that goes while it waits for its turn goes at once, and holds nobody up', async (t) => {
  const { phone, tap, call, lease } = await setup()
  const caller = new AbortController()
  let finish = () => {}
  const begun = new Promise<void>((resolve) => {
    phone.on('tap', (did) => {
      if (did !== 'tap 1,1') return
      resolve()
      return new Promise((resolve) => { finish = resolve })
    })
  })
  const first = tap({ target: { x: 1, y: 1 }, observe: 'none' })
  await begun
  const second = call('tapOn', { lease, target: { x: 2, y: 2 }, observe: 'none' }, { signal: caller.signal })
  const third = tap({ target: { x: 3, y: 3 }, observe: 'none' })

  caller.abort()
  await t.rejects(second, { code: 'cancelled' })
  t.same(phone.did, ['tap 1,1'])

  finish()
  await Promise.all([first, third])
  t.same(phone.did, ['tap 1,1', 'tap 3,3'])
})

t.test('a call is told why it was stopped, whether it is about to act, waits, or has not begun', async (t) => {
  const { phone, call, lease } = await setup()
  const stopped = new CancelledRefusal('time_limit')

  const caller = new AbortController()
  phone.on('observe', () => caller.abort(stopped))
  await t.rejects(call('tapOn', { lease, target: { text: 'Sign in' } }, { signal: caller.signal }), stopped)
  const late = new AbortController()
  phone.on('observe', () => { if (phone.looks === 3) late.abort(stopped) })
  await t.rejects(call('tapOn', { lease, target: { x: 1, y: 1 }, waitFor: { text: 'Welcome' } }, { signal: late.signal }), stopped)
  await t.rejects(call('tapOn', { lease, target: { x: 1, y: 1 } }, { signal: AbortSignal.abort(stopped) }), stopped)
})

t.test('commands carry the fence of the lease', async (t) => {
  const { phone, call, lease } = await setup()
  await call('releaseDevice', { lease })
  const { structuredContent: next } = await call('acquireDevice')

  await call('tapOn', { lease: next.lease, target: { x: 1, y: 1 }, observe: 'none' })

  t.ok(next.fence > 1)
  t.equal([...phone.fences].at(-1), next.fence)
})

t.test('pressButton presses a key, several times or long', async (t) => {
  const { phone, call, lease } = await setup()

  t.match((await call('pressButton', { lease, button: 'back' })).text, /^Pressed back\.\nrev 1/)
  t.match((await call('pressButton', { lease, button: 'delete', count: 3, long: true, observe: 'none' })).text, 'Pressed delete long 3 times.')
  t.same(phone.did, ['press back x1', 'press delete x3 long'])
  await t.rejects(call('pressButton', { lease, button: 'turbo' }), { name: 'ZodError' })
})

t.test('rotate turns the phone', async (t) => {
  const { phone, call, lease } = await setup()
  phone.on('setOrientation', () => phone.show(home(), { orientation: 'landscape', size: { width: 2400, height: 1080 } }))

  const { text, structuredContent } = await call('rotate', { lease, orientation: 'landscape' })

  t.match(text, /^Turned the device to landscape\.\nrev 1, .* 2400x1080 landscape/)
  t.match(structuredContent, { orientation: 'landscape', screen: { orientation: 'landscape', size: [2400, 1080] } })
})
