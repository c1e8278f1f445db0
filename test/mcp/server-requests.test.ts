import fc from 'fast-check'
import t from 'tap'
import { createServerRequests } from '../../src/mcp/server-requests.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { principal } from '../support/mcp-request.ts'

const [ada, eve] = [principal('ada'), principal('eve')]

function setup ({ maxWaiting = 10 } = {}) {
  const requests = createServerRequests({ ids: randomIds, maxWaiting })
  const written: any[] = []
  const leaving = new AbortController()
  const send = (owner = ada, { signal = leaving.signal, isRead = true } = {}) => requests.send({
    method: 'elicitation/create',
    params: { message: 'Who?' },
    principal: owner,
    signal,
    write (message) {
      if (isRead) written.push(JSON.parse(message))
      return isRead
    }
  })
  return { requests, written, leaving, send }
}

t.test('LEGACY-14: a request has an id of 128 random bits, and its answer settles it once', async (t) => {
  const { requests, written, send } = setup()
  const reply = send()
  const [{ id }] = written

  t.match(written, [{ jsonrpc: '2.0', id: /^ask_[\w-]{22}$/, method: 'elicitation/create', params: { message: 'Who?' } }])
  requests.receive({ id, body: { id, result: { action: 'decline' } } }, ada)
  requests.receive({ id, body: { id, result: { action: 'accept' } } }, ada)

  t.same(await reply, { kind: 'answer', result: { action: 'decline' } })
  t.equal(requests.waiting, 0)
})

t.test('LEGACY-14: an answer is its principal\'s alone to give', async (t) => {
  const { requests, written, send } = setup()
  const reply = send()
  const [{ id }] = written

  requests.receive({ id, body: { id, result: 'from eve' } }, eve)
  requests.receive({ id: undefined, body: { result: 'without an id' } }, ada)
  t.equal(requests.waiting, 1)
  requests.receive({ id, body: { id, result: 'from ada' } }, ada)

  t.same(await reply, { kind: 'answer', result: 'from ada' })
})

t.test('errors say that the client cannot be asked, or could not answer', async (t) => {
  for (const [error, kind] of [[{ code: -32601 }, 'unsupported'], [{ code: -32602 }, 'unsupported'], [{ code: -1 }, 'failed'], [null, 'failed'], ['no', 'failed']] as const) {
    const { requests, written, send } = setup()
    const reply = send()
    requests.receive({ id: written[0].id, body: { error } }, ada)
    t.same(await reply, { kind })
  }
})

t.test('when the call that asks ends, nobody waits, and the client is told', async (t) => {
  const { requests, written, leaving, send } = setup()
  const reply = send()

  leaving.abort()

  await t.rejects(reply, { code: 'cancelled' })
  t.match(written[1], { method: 'notifications/cancelled', params: { requestId: written[0].id } })
  t.equal(requests.waiting, 0)
  await t.rejects(send(), { code: 'cancelled' }, 'and a call that has ended asks nothing')
  t.equal(written.length, 2)
})

t.test('a stream that nobody reads carries no question', async (t) => {
  const { requests, send } = setup()
  await t.rejects(send(ada, { isRead: false }), { code: 'cancelled' })
  t.equal(requests.waiting, 0)
})

t.test('only so many answers are waited for, and half of them of one principal', async (t) => {
  const { requests, written, leaving, send } = setup({ maxWaiting: 3 })
  const open = [send(ada), send(ada)]
  await t.rejects(send(ada), { code: 'too_many_questions', retryable: true })
  open.push(send(eve))
  await t.rejects(send(principal('bob')), { code: 'too_many_questions' })

  requests.receive({ id: written[0].id, body: { result: 1 } }, ada)
  open.push(send(principal('bob')))
  t.equal(requests.waiting, 3)

  leaving.abort()
  await Promise.allSettled(open)
  t.equal(requests.waiting, 0)
})

t.test('whatever happens, each wait ends once and nothing is left', async (t) => {
  const step = fc.record({ owner: fc.constantFrom(ada, eve), what: fc.constantFrom('send', 'answer', 'foreign', 'abort'), which: fc.nat(5) })
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const { requests, written, send } = setup({ maxWaiting: 6 })
    const sent: Array<{ owner: typeof ada, id: string, controller: AbortController, settled: Promise<unknown> }> = []
    for (const { owner, what, which } of steps) {
      const target = sent[which]
      const controller = new AbortController()
      if (what === 'send') {
        const before = written.length
        const settled = send(owner, { signal: controller.signal }).catch((error: unknown) => error)
        if (written.length > before) sent.push({ owner, id: written[before].id, controller, settled })
      } else if (target !== undefined) {
        if (what === 'abort') target.controller.abort()
        else requests.receive({ id: target.id, body: { result: what } }, what === 'answer' ? target.owner : target.owner === ada ? eve : ada)
      }
    }
    for (const { controller } of sent) controller.abort()
    const outcomes = await Promise.all(sent.map(({ settled }) => settled))
    return requests.waiting === 0 && outcomes.every((outcome: any) => outcome.kind === 'answer' ? outcome.result === 'answer' : outcome.code === 'cancelled')
  }))
})
