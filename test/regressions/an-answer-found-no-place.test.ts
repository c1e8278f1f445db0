/**
 * Every place was taken by calls that worked on. The answer to a question of one of them was turned
 * away with 429, and so was a cancellation; the call then said that its client had not answered.
 */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { askingOffer } from '../support/asking-offer.ts'
import { idle } from '../support/idle.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startAskingApp } from '../support/start-asking-app.ts'

const ada = { action: 'accept', content: { name: 'Ada' } }
const maxRequestsInFlight = 4

/** A server with no place left: one call asks and waits, the others work until they are stopped. */
async function setup (t: Test) {
  let working = 0
  const work = defineTool({
    name: 'work',
    title: 'Work',
    description: 'Works until it is told to stop.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    reports: true,
    async run (_input, { signal }) {
      working++
      await once(signal, 'abort')
      working--
      return { content: [], structuredContent: {} }
    }
  })
  const app = await startAskingApp(t, { flags: ['--max-requests-in-flight', String(maxRequestsInFlight)], offer: { tools: [...askingOffer().tools, work] } })
  const asking = await app.legacy('tools/call', { name: 'greet' })
  const question = await asking.next()
  const workers = []
  for (let at = 1; at < maxRequestsInFlight; at++) workers.push(await app.legacy('tools/call', { name: 'work' }, { id: `work ${at}` }))
  return { ...app, asking, question, workers, port: Number(new URL(app.url).port), working: () => working }
}

t.test('LEGACY-14: the answer to a question gets in when every place is taken', async (t) => {
  const { post, asking, question } = await setup(t)
  t.equal((await post({ jsonrpc: '2.0', id: 'ping', method: 'ping' })).status, 429, 'a request does not')

  const reply = await post({ jsonrpc: '2.0', id: question.id, result: ada })

  t.equal(reply.status, 202)
  t.match(await asking.next(), { result: { content: [{ text: 'Hello, Ada!' }] } })
})

t.test('LEGACY-13, LEGACY-21: so does a cancellation, any notification, and a batch of what wants no answer', async (t) => {
  const { post, asking, question, workers, working } = await setup(t)
  const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' }
  const rootsChanged = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }

  t.equal((await post(rootsChanged)).status, 202)
  t.equal((await post([rootsChanged, ping])).status, 429, 'a batch with a request in it does not')
  t.equal((await post([rootsChanged, { jsonrpc: '2.0', id: question.id, result: ada }])).status, 202)
  t.match(await asking.next(), { result: {} })
  t.equal((await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'work 1' } })).status, 202)

  t.equal(await workers[0]?.next(), undefined, 'its stream ends without an answer')
  t.equal(working(), maxRequestsInFlight - 2)
})

t.test('HTTP-19: the places for what wants no answer are few, and what turns out to want one does not stay in them', async (t) => {
  const { app, post, port, token, question } = await setup(t)
  const ping = rawPost(token, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
  const slow = await Promise.all(Array.from({ length: 64 }, async () => {
    const connection = await rawConnection(port)
    t.teardown(() => connection.reset())
    connection.send(ping.subarray(0, -1))
    return connection
  }))
  while (app.admission.inFlight < maxRequestsInFlight + 64) await idle()

  t.equal((await post({ jsonrpc: '2.0', id: question.id, result: ada })).status, 429, 'all of them are taken by bodies that have not arrived')
  for (const connection of slow) connection.send('}')

  t.same([...new Set(await Promise.all(slow.map(async (connection) => (await connection.next())?.status)))], [429])
  while (app.admission.inFlight > maxRequestsInFlight) await idle()
  t.equal((await post({ jsonrpc: '2.0', id: question.id, result: ada })).status, 202)
})

t.test('HTTP-19: what is read in those places is small, and says so', async (t) => {
  const { post, port, token, question, asking } = await setup(t)
  const answer = (name: string): object => ({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name } } })
  const undeclared = await rawConnection(port)
  t.teardown(() => undeclared.reset())
  undeclared.send(rawPost(token, '').toString().replace('Content-Length: 0', 'Transfer-Encoding: chunked'))

  t.equal((await undeclared.next())?.status, 429)
  t.equal((await post(answer('x'.repeat(1_000_000)))).status, 429)
  t.equal((await post(answer('x'.repeat(900_000)))).status, 202)
  t.match(await asking.next(), { result: { content: [{ text: /^Hello, x/ }] } })
})

t.test('a request whose body arrives when a place has come free is served', async (t) => {
  const { app, post, port, token, question, asking } = await setup(t)
  const ping = rawPost(token, '{"jsonrpc":"2.0","id":1,"method":"ping"}')
  const connection = await rawConnection(port)
  t.teardown(() => connection.reset())
  connection.send(ping.subarray(0, -1))
  while (app.admission.inFlight < maxRequestsInFlight + 1) await idle()
  await post({ jsonrpc: '2.0', id: question.id, result: ada })
  await asking.next()
  while (app.admission.inFlight > maxRequestsInFlight) await idle()

  connection.send('}')

  t.equal((await connection.next())?.status, 200)
})
