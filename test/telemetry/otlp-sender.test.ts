import { createServer } from 'node:net'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { createOtlpSender } from '../../src/telemetry/otlp-sender.ts'
import { startOtlpReceiver, type Answer } from '../support/otlp-receiver.ts'

const batch = new TextEncoder().encode('a batch')

/** A sender whose pauses are over at once, and whose limit is over when the test says so. */
async function setup (t: Test, answer: (post: number) => Answer | undefined = () => ({ status: 200 })) {
  const receiver = await startOtlpReceiver(t, answer)
  return { receiver, ...senderTo(new URL('/v1/traces', receiver.endpoint)) }
}

function senderTo (url: URL) {
  const pauses: number[] = []
  const lines: Array<Record<string, unknown>> = []
  let nowMs = 0
  let timers = 0
  let endLimit = (): void => {}
  const sender = createOtlpSender({
    what: 'spans',
    url,
    headers: { 'x-key': 'secret' },
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    scheduler: {
      after (delayMs, work) {
        // The limit of a try, then the pause after it, and so on; the first try has it all.
        if (delayMs === 10_000) timers = 0
        if (timers++ % 2 === 0) {
          endLimit = work
        } else {
          pauses.push(delayMs)
          nowMs += delayMs
          setImmediate(work)
        }
        return () => {}
      },
      every: () => { throw new Error('nothing is repeated') }
    },
    log: {
      info: (facts, message) => { lines.push({ level: 'info', message, ...facts }) },
      warn: (facts, message) => { lines.push({ level: 'warn', message, ...facts }) }
    }
  })
  return { sender, pauses, lines, endLimit: () => endLimit() }
}

t.test('a batch is one POST with the headers it is to have', async (t) => {
  const { sender, receiver, lines } = await setup(t)

  t.equal(await sender.send(batch), true)

  t.match(receiver.posts, [{ path: '/v1/traces', headers: { 'x-key': 'secret' }, body: 'a batch' }])
  t.same(lines, [])
})

t.test('what passes by itself is tried again, with growing pauses', async (t) => {
  const { sender, receiver, pauses, lines } = await setup(t, (post) => ({ status: [503, 429, 502][post] ?? 200 }))

  t.equal(await sender.send(batch), true)

  t.equal(receiver.posts.length, 4)
  t.same(pauses, [1_000, 2_000, 4_000])
  t.same(lines, [])
})

t.test('a collector that says when it is back is left alone until then', async (t) => {
  const { sender, pauses } = await setup(t, (post) => post === 0 ? { status: 503, headers: { 'retry-after': '3' } } : { status: 200 })

  t.equal(await sender.send(batch), true)
  t.same(pauses, [3_000])
})

t.test('ten seconds after the first try a batch is lost', async (t) => {
  const { sender, receiver, pauses, lines } = await setup(t, () => ({ status: 503 }))

  t.equal(await sender.send(batch), false)

  t.same(pauses, [1_000, 2_000, 4_000])
  t.equal(receiver.posts.length, 4)
  t.match(lines, [{ level: 'warn', reason: 'the answer was HTTP 503' }])
})

t.test('what will not pass is not tried again', async (t) => {
  for (const status of [400, 401, 404, 500]) {
    const { sender, receiver, lines } = await setup(t, () => ({ status }))

    t.equal(await sender.send(batch), false)

    t.equal(receiver.posts.length, 1)
    t.match(lines, [{ level: 'warn', reason: `the answer was HTTP ${status}` }])
  }
})

t.test('an outage is logged when it begins and when it ends, without the headers', async (t) => {
  const { sender, lines, receiver } = await setup(t, (post) => ({ status: post < 2 ? 400 : 200 }))

  for (let sent = 0; sent < 4; sent++) await sender.send(batch)

  t.same(lines, [
    { level: 'warn', message: 'telemetry could not be delivered', what: 'spans', collector: receiver.endpoint, reason: 'the answer was HTTP 400' },
    { level: 'info', message: 'telemetry is delivered again', what: 'spans' }
  ])
})

t.test('a collector that is not there is an outage like any other', async (t) => {
  const server = createServer()
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const { sender, lines } = senderTo(new URL(`http://127.0.0.1:${port}/v1/traces`))

  t.equal(await sender.send(batch), false)
  t.match(lines, [{ level: 'warn', reason: 'ECONNREFUSED' }])
})

t.test('a collector that does not answer is given up at the limit', async (t) => {
  const { sender, receiver, endLimit, lines } = await setup(t, () => undefined)
  const arrived = receiver.next()
  const sending = sender.send(batch)
  await arrived
  const arrivedAgain = receiver.next()

  endLimit()
  await arrivedAgain
  sender.close()

  t.equal(await sending, false)
  t.equal(receiver.posts.length, 2, 'it was tried again')
  t.equal(lines.length, 1)
})

t.test('closing gives up what is under way, and nothing is sent any more', async (t) => {
  const { sender, receiver, lines } = await setup(t, () => undefined)
  const arrived = receiver.next()
  const sending = sender.send(batch)
  await arrived
  const idle = sender.idle()

  sender.close()

  t.equal(await sending, false)
  await idle
  t.match(lines, [{ level: 'warn', reason: 'the server is closing' }])
  t.equal(await sender.send(batch), false)
  t.equal(receiver.posts.length, 1)
})
