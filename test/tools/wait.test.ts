import { getEventListeners } from 'node:events'
import t from 'tap'
import { DeviceOfflineRefusal } from '../../src/devices/device-refusals.ts'
import type { UiNode } from '../../src/devices/device-types.ts'
import { pause } from '../../src/runtime/abortable.ts'
import { countedTime } from '../support/counted-time.ts'
import { toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const loading = () => node('text', { text: 'Loading' })
const done = (facts = {}) => node('group', {}, [
  node('text', { text: 'Order 17', id: 'title' }), node('button', { text: 'Pay', enabled: false, ...facts }), node('switch', { text: 'Gift', checked: false, ...facts })
])

async function setup (shows: UiNode = loading(), options: Pick<NonNullable<Parameters<typeof toolBench>[0]>, 'time'> = {}) {
  const bench = await toolBench({ shows, ...options })
  const lease = await bench.acquire()
  return {
    ...bench,
    lease,
    /** Shows another screen from the nth look on. */
    showAt: (nth: number, next: UiNode) => bench.phone.on('observe', () => { if (bench.phone.looks === nth) bench.phone.show(next) }),
    wait: (args: object, call = {}) => bench.call('waitFor', { lease, ...args }, call)
  }
}

t.test('waitFor answers at the first look on which the element is there', async (t) => {
  const { wait, showAt, phone } = await setup()
  showAt(3, done())

  const { text, structuredContent } = await wait({ for: { text: 'Order' } })

  t.equal(text.split('\n')[0], 'Found e2 text "Order 17" after 600 ms.')
  t.match(text, /\nrev 2, /)
  t.match(structuredContent, { found: true, waitedMs: 600, element: { ref: 'e2', role: 'text', label: 'Order 17' }, screen: { rev: 2 } })
  t.equal(phone.looks, 3)
})

t.test('waitFor needs one look when there is nothing to wait for', async (t) => {
  const { wait, phone } = await setup()

  t.match((await wait({ for: { text: 'Loading' }, timeoutMs: 0 })).structuredContent, { found: true, waitedMs: 0 })
  t.equal(phone.looks, 1)
})

t.test('several matches are visible all the same, and an index wants that many', async (t) => {
  const { wait } = await setup(node('group', {}, [node('button', { text: 'OK' }), node('button', { text: 'OK' })]))

  t.match((await wait({ for: { text: 'OK' } })).structuredContent, { element: { ref: 'e1' } })
  t.match((await wait({ for: { text: 'OK', index: 1 } })).structuredContent, { element: { ref: 'e2' } })
  await t.rejects(wait({ for: { text: 'OK', index: 2 } }), { code: 'timeout' })
})

t.test('waitFor waits until an element is gone', async (t) => {
  const { wait, showAt } = await setup()
  showAt(2, done())

  const { text, structuredContent } = await wait({ for: { text: 'Loading' }, state: 'gone' })

  t.match(text, /^It is gone after 300 ms\./)
  t.match(structuredContent, { found: true, element: undefined })
})

t.test('a ref can be waited for to go', async (t) => {
  const { wait, showAt } = await setup()
  showAt(2, done())

  t.match((await wait({ for: { ref: 'e1' }, state: 'gone' })).structuredContent, { found: true, waitedMs: 300 })
  await t.rejects(wait({ for: { ref: 'e77' }, state: 'gone' }), { code: 'no_match' })
})

t.test('waitFor waits until an element is enabled, checked or says a text', async (t) => {
  const { wait, showAt, phone } = await setup(done())
  showAt(2, done({ enabled: true, checked: true }))

  t.match((await wait({ for: { text: 'Pay' }, state: 'enabled' })).structuredContent, { waitedMs: 300 })
  phone.show(done())
  showAt(4, done({ enabled: true, checked: true }))
  t.match((await wait({ for: { text: 'Gift' }, state: 'checked' })).structuredContent, { element: { flags: ['checked'] } })
  phone.show(done())
  showAt(6, node('text', { text: 'Order 18', id: 'title' }))
  t.match((await wait({ for: { id: 'title' }, state: 'text', text: '18' })).structuredContent, { element: { label: 'Order 18' } })
})

t.test('text goes with state text, and only then', async (t) => {
  const { wait } = await setup()

  await t.rejects(wait({ for: { text: 'a' }, state: 'text' }), { name: 'ZodError' })
  await t.rejects(wait({ for: { text: 'a' }, text: 'b' }), { name: 'ZodError' })
})

t.test('a state of one element is refused for several', async (t) => {
  const { wait } = await setup(node('group', {}, [node('button', { text: 'OK' }), node('button', { text: 'OK' })]))

  await t.rejects(wait({ for: { text: 'OK' }, state: 'enabled' }), { code: 'ambiguous' })
})

t.test('waitFor looks a last time when the time is up, then refuses with the last screen', async (t) => {
  const { wait, phone } = await setup()

  await t.rejects(wait({ for: { text: 'Done' }, timeoutMs: 1_000, pollMs: 400 }), {
    code: 'timeout',
    retryable: true,
    message: 'Waited 1000 ms for text "Done" to be visible in vain.',
    nextAction: String,
    details: { waitedMs: 1_000, screen: [/^rev 1/, 'e1 text "Loading"'] }
  })
  t.equal(phone.looks, 4)
})

t.test('the screen in a refusal is bounded', async (t) => {
  const { wait } = await setup(node('group', {}, Array.from({ length: 300 }, (_, index) => node('button', { text: `${index}` }))))

  const refusal = await wait({ for: { text: 'Done' }, timeoutMs: 0 }).catch((error) => error)

  t.equal(refusal.details.screen.length, 42)
  t.match(refusal.details.screen.at(-1), /40 of 300/)
})

t.test('a look that fails in a way that may pass is taken again', async (t) => {
  const { wait, phone } = await setup()
  const offline = () => { throw new DeviceOfflineRefusal('phone-1', { retryAfterMs: 500 }) }
  phone.on('observe', () => { if (phone.looks < 3) offline() })

  t.match((await wait({ for: { text: 'Loading' } })).structuredContent, { found: true, waitedMs: 600 })

  phone.on('observe', offline)
  await t.rejects(wait({ for: { text: 'Loading' }, timeoutMs: 600 }), { code: 'device_offline' })
})

t.test('waitFor reports progress at once and then every second, rising', async (t) => {
  const { wait } = await setup()
  const steps: Array<{ progress: number, total?: number, message?: string }> = []

  await t.rejects(wait({ for: { text: 'Done' }, timeoutMs: 5_000 }, { progress: (step: typeof steps[number]) => { steps.push(step) } }), { code: 'timeout' })

  t.same(steps.map(({ progress }) => progress), [0, 1_200, 2_400, 3_600, 4_800])
  t.match(steps[0], { total: 5_000, message: 'Waiting for text "Done" to be visible' })
})

t.test('LOG-03: waitFor logs each new screen it sees, without what is on it', async (t) => {
  const { wait, showAt } = await setup(node('text', { text: 'secret' }))
  const logged: Array<readonly [string, unknown]> = []
  showAt(3, done())

  await wait({ for: { text: 'Order' } }, { log: (level: string, data: unknown) => { logged.push([level, data]) } })

  t.notMatch(JSON.stringify(logged), 'secret')
  t.same(logged.filter(([, data]) => (data as { event: string }).event === 'screenSeen'), [['debug', { event: 'screenSeen', rev: 1, app: 'com.example.app', waitedMs: 0 }]])
})

t.test('a caller that goes ends the wait at once and leaves nothing behind', async (t) => {
  const time = countedTime()
  const { wait, phone } = await setup(loading(), { time })
  const caller = new AbortController()
  const waiting = wait({ for: { text: 'Done' } }, { signal: caller.signal })
  while (time.timers() === 0) await new Promise((resolve) => setImmediate(resolve))

  caller.abort()

  await t.rejects(waiting, { code: 'cancelled' })
  t.equal(time.timers(), 0)
  time.advance(60_000)
  t.equal(phone.looks, 1)
})

t.test('the end of the lease ends the wait at once', async (t) => {
  const time = countedTime()
  const { wait, call, lease } = await setup(loading(), { time })
  const waiting = wait({ for: { text: 'Done' } })
  while (time.timers() === 0) await new Promise((resolve) => setImmediate(resolve))

  await Promise.all([t.rejects(waiting, { code: 'lease_ended' }), call('releaseDevice', { lease })])

  t.equal(time.timers(), 0)
})

t.test('a wait does not keep others from acting', async (t) => {
  const { wait, call, lease, phone } = await setup()
  phone.on('tap', () => phone.show(done()))

  const [waited] = await Promise.all([wait({ for: { text: 'Order' } }), call('tapOn', { lease, target: { text: 'Loading' } })])

  t.match(waited.structuredContent, { found: true })
})

t.test('a pause leaves neither timer nor listener, however it ends', async (t) => {
  const time = countedTime()
  const { signal } = new AbortController()
  const passed = pause(time.scheduler, 100, signal)
  time.advance(100)
  await passed
  t.equal(getEventListeners(signal, 'abort').length, 0)

  const caller = new AbortController()
  const aborted = pause(time.scheduler, 100, caller.signal)
  caller.abort()
  await t.rejects(aborted, { code: 'cancelled' })
  await t.rejects(pause(time.scheduler, 100, caller.signal), { code: 'cancelled' })
  t.equal(time.timers(), 0)
})
