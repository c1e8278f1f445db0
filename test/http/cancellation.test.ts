import { once } from 'node:events'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { nameForm } from '../support/asking-offer.ts'
import { idle } from '../support/idle.ts'
import { startAskingApp, type AskingApp } from '../support/start-asking-app.ts'

interface Work {
  readonly label: string
  readonly signal: AbortSignal
  finish (): void
}

/** A server whose tool `work` goes on until it is told to finish or to stop. */
async function setup (t: Test): Promise<AskingApp & { begun (label: string): Promise<Work> }> {
  const works = new Map<string, Work>()
  let announce = () => {}
  const work = defineTool({
    name: 'work',
    title: 'Work',
    description: 'Works until it is told otherwise.',
    input: z.strictObject({ label: z.string(), quiet: z.boolean().default(false) }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    reports: true,
    async run ({ label, quiet }, { signal, progress, log }) {
      await new Promise<void>((resolve) => {
        works.set(label, { label, signal, finish: resolve })
        signal.addEventListener('abort', () => resolve(), { once: true })
        log('info', { label })
        progress({ progress: 1 })
        announce()
      })
      // Work can go on reporting for a moment after it has been told to stop.
      if (!quiet) progress({ progress: 2 })
      return { content: [{ type: 'text', text: signal.aborted ? 'stopped' : 'finished' }], structuredContent: {} }
    }
  })
  const app = await startAskingApp(t, { offer: { tools: [work] } })

  async function begun (label: string): Promise<Work> {
    for (;;) {
      const found = works.get(label)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => { announce = resolve })
    }
  }
  return { ...app, begun }
}

const params = (label: string, more: object = {}) => ({ name: 'work', arguments: { label }, ...more })
const cancelled = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'changed my mind' } })

t.test('LEGACY-13: a cancelled call stops, and its stream ends without an answer', async (t) => {
  const { legacy, post, begun } = await setup(t)
  const call = await legacy('tools/call', params('a', { _meta: { progressToken: 'p' } }), { id: 7 })
  const { signal } = await begun('a')
  t.match(await call.next(), { method: 'notifications/message', params: { level: 'info', data: { label: 'a' } } }, 'LEGACY-08: a legacy call logs at info')
  t.match(await call.next(), { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } })

  const reply = await post(cancelled(7))

  t.equal(reply.status, 202)
  t.equal(reply.text, '')
  t.equal(signal.aborted, true)
  t.equal(await call.next(), undefined, 'PROG-02: no progress either')
})

t.test('D-15, LEGACY-13: a closed socket does not stop a legacy call; cancelling it does', async (t) => {
  const { legacy, post, begun, everybodyLeft } = await setup(t)
  const call = await legacy('tools/call', params('a'), { id: 'x' })
  const { signal } = await begun('a')

  call.close()
  await everybodyLeft()
  await idle()
  t.equal(signal.aborted, false, 'it keeps running')

  await post(cancelled('x'))
  t.equal(signal.aborted, true, 'and then stops')
})

t.test('LEGACY-13, CANCEL-03: a call whose caller has gone stops at the time limit', async (t) => {
  const { legacy, begun, everybodyLeft, time } = await setup(t)
  const call = await legacy('tools/call', params('a'))
  const { signal } = await begun('a')
  call.close()
  await everybodyLeft()

  time.advance(59_000)
  t.equal(signal.aborted, false)
  time.advance(2_000)
  t.equal(signal.aborted, true)
})

t.test('LEGACY-13: an id that no call, or more than one, has cancels nothing', async (t) => {
  const { legacy, post, begun } = await setup(t)
  await legacy('tools/call', params('a'), { id: 1 })
  await legacy('tools/call', params('b'), { id: 1 })
  await legacy('tools/call', params('c'), { id: '1' })
  const [a, b, c] = [await begun('a'), await begun('b'), await begun('c')]

  for (const id of [1, 2, null, undefined, { id: 1 }]) t.equal((await post(cancelled(id))).status, 202)
  t.same([a, b, c].map(({ signal }) => signal.aborted), [false, false, false])

  await post(cancelled('1'))
  t.same([a, b, c].map(({ signal }) => signal.aborted), [false, false, true], 'a text is not the number it looks like')
})

t.test('LEGACY-13: an ambiguous id is no longer so when all but one of its calls have ended', async (t) => {
  const { legacy, post, begun } = await setup(t)
  const first = await legacy('tools/call', params('a'), { id: 1 })
  await legacy('tools/call', params('b'), { id: 1 })
  const [a, b] = [await begun('a'), await begun('b')]
  a.finish()
  while ((await first.next()) !== undefined);

  await post(cancelled(1))

  t.same([a.signal.aborted, b.signal.aborted], [false, true])
})

t.test('LEGACY-13: nobody cancels the calls of another principal, or makes their ids ambiguous', async (t) => {
  const { legacy, post, begun } = await setup(t)
  await legacy('tools/call', params('of ada'), { id: 1, who: 'ada' })
  await legacy('tools/call', params('of eve'), { id: 1, who: 'eve' })
  const [ofAda, ofEve] = [await begun('of ada'), await begun('of eve')]

  await post(cancelled(1), {}, 'mallory')
  t.same([ofAda.signal.aborted, ofEve.signal.aborted], [false, false])
  await post(cancelled(1), {}, 'eve')
  t.same([ofAda.signal.aborted, ofEve.signal.aborted], [false, true])
})

t.test('CANCEL-02: in modern traffic nothing is cancelled by name', async (t) => {
  const { legacy, modern, post, begun } = await setup(t)
  const answer = modern('tools/call', params('modern'))
  await legacy('tools/call', params('legacy'), { id: 9 })
  const [ofModern, ofLegacy] = [await begun('modern'), await begun('legacy')]

  t.equal((await post(cancelled(9), { 'mcp-protocol-version': '2026-07-28' })).status, 202, 'a modern notification')
  t.equal(ofLegacy.signal.aborted, false)
  t.equal((await post(cancelled(1), { 'mcp-protocol-version': '2025-11-25' })).status, 202, 'the id of a modern call')
  t.equal(ofModern.signal.aborted, false)
  ofModern.finish()
  t.match((await answer).json().result, { content: [{ text: 'finished' }] })
})

t.test('LEGACY-13, LEGACY-21: an element of a batch can be cancelled, also from a batch', async (t) => {
  const { post, begun } = await setup(t)
  const answers = post([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: params(`${id}`) })))
  const [one, two] = [await begun('1'), await begun('2')]

  t.equal((await post([cancelled(1)])).status, 202)
  t.same([one.signal.aborted, two.signal.aborted], [true, false])
  two.finish()

  t.match((await answers).json(), [{ id: 1, result: { content: [{ text: 'stopped' }] } }, { id: 2, result: { content: [{ text: 'finished' }] } }])
})

t.test('a cancelled call that waits for an answer stops waiting, and takes its question back', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' }, { id: 'g' })
  const { id } = await call.next()

  await post(cancelled('g'))

  t.match(await call.next(), { method: 'notifications/cancelled', params: { requestId: id } })
  t.equal(await call.next(), undefined)
})

t.test('a legacy caller that has gone before it is asked is not waited for', async (t) => {
  const { legacy, everybodyLeft, begun } = await setupLateQuestion(t)
  const call = await legacy('tools/call', { name: 'late', arguments: {} })
  const { proceed, outcome } = await begun()
  call.close()
  await everybodyLeft()

  proceed()

  await t.rejects(outcome, { code: 'cancelled' })
})

/** A tool that asks when the test lets it. */
async function setupLateQuestion (t: Test) {
  let begin = (_work: { proceed (): void, outcome: Promise<unknown> }): void => {}
  const started = new Promise<{ proceed (): void, outcome: Promise<unknown> }>((resolve) => { begin = resolve })
  const late = defineTool({
    name: 'late',
    title: 'Late',
    description: 'Asks when it is told to.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    asks: true,
    reports: true,
    async run (_input, { ask, log }) {
      log('info', {})
      let proceed = () => {}
      const told = new Promise<void>((resolve) => { proceed = resolve })
      const outcome = told.then(async () => await ask('user_name', nameForm))
      begin({ proceed, outcome })
      await outcome
      return { content: [], structuredContent: {} }
    }
  })
  return { ...await startAskingApp(t, { offer: { tools: [late] } }), begun: async () => await started }
}

t.test('CANCEL-01, PROG-02: when a modern caller closes its stream, the work is told and nothing more is written', async (t) => {
  const { app, url, token, begun } = await setup(t)
  const leaving = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'work'
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: params('a', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, progressToken: 1 } })
    })
  })
  t.equal(response.status, 200)
  const { signal } = await begun('a')

  leaving.abort()
  await once(signal, 'abort')
  await app.admission.idle()

  t.equal(signal.aborted, true)
})
