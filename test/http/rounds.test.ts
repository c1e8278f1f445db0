import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import t from 'tap'
import { z } from 'zod'
import { defineTool, type ToolDefinition } from '../../src/tools/tool-definition.ts'
import { nameForm } from '../support/asking-offer.ts'
import { eventsOf } from '../support/mcp-wire.ts'
import { startAskingApp } from '../support/start-asking-app.ts'

const ada = { action: 'accept', content: { name: 'Ada' } }
const violet = { action: 'accept', content: { color: 'violet' } }
const legacyHeader = { 'mcp-protocol-version': '2025-11-25' }

t.test('MRTR-01…08: rounds by hand, in the modern era', async (t) => {
  const { modern, did } = await startAskingApp(t)

  const first = await modern('tools/call', { name: 'paint', arguments: {} })
  t.equal(first.status, 200)
  t.match(first.headers['content-type'], /^application\/json/)
  const { inputRequests, requestState, resultType } = first.json().result
  t.equal(resultType, 'input_required')
  t.same(Object.keys(inputRequests), ['step1'])
  const second = (await modern('tools/call', { name: 'paint', arguments: {}, requestState, inputResponses: { step1: ada } })).json().result
  t.same(Object.keys(second.inputRequests), ['step2'])
  const done = (await modern('tools/call', { name: 'paint', requestState: second.requestState, inputResponses: { step2: violet } })).json().result

  t.match(done, { resultType: 'complete', content: [{ text: 'Ada likes violet.' }] })
  t.same(did, ['painted violet'])
})

t.test('MRTR-06, D-19: a state is worth nothing to another principal, on the wire too', async (t) => {
  const { modern, did, time } = await startAskingApp(t)
  const { requestState } = (await modern('tools/call', { name: 'greet' })).json().result
  const retry = { name: 'greet', requestState, inputResponses: { user_name: ada } }

  const foreign = await modern('tools/call', retry, { who: 'eve' })
  const tampered = await modern('tools/call', { ...retry, requestState: `${requestState}-TAMPERED` })
  t.match(foreign.json().error, { code: -32602 })
  t.equal(foreign.status, 200)
  t.same(tampered.json().error, foreign.json().error)
  t.match((await modern('tools/call', retry)).json().result, { content: [{ text: 'Hello, Ada!' }] })
  time.advance(600_000)
  t.same((await modern('tools/call', retry)).json().error, foreign.json().error)
  t.same(did, ['greeted Ada'])
})

t.test('VAL-16, ERR-06: a missing capability is a 400 before anything is sent', async (t) => {
  const { modern } = await startAskingApp(t)
  const reply = await modern('tools/call', { name: 'greet' }, { capabilities: { sampling: {} } })

  t.equal(reply.status, 400)
  t.match(reply.json(), { id: 1, error: { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } } })
})

/** A tool that can report and asks, in this order or without a report. */
function reporting (name: string, { reportsFirst }: { reportsFirst: boolean }): ToolDefinition {
  return defineTool({
    name,
    title: name,
    description: 'Reports and asks.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    reports: true,
    asks: true,
    async run (_input, { progress, ask }) {
      if (reportsFirst) progress({ progress: 1 })
      const { action } = await ask('user_name', nameForm)
      return { content: [{ type: 'text', text: action }], structuredContent: {} }
    }
  })
}

t.test('ERR-06, ERR-17, HTTP-18: it is a 400 while a stream has not begun, and in the stream afterwards', async (t) => {
  const { modern } = await startAskingApp(t, {
    offer: { tools: [reporting('late', { reportsFirst: true }), reporting('early', { reportsFirst: false })] }
  })
  const call = (name: string, capabilities: object) => modern('tools/call', { name }, { capabilities, meta: { progressToken: 'p' } })

  const early = await call('early', {})
  t.equal(early.status, 400)
  t.match(early.headers['content-type'], /^application\/json/)
  t.match(early.json().error, { code: -32021 })

  const late = await call('late', {})
  t.equal(late.status, 200)
  t.match(late.headers['content-type'], /^text\/event-stream/)
  t.match(eventsOf(late.text), [{ method: 'notifications/progress' }, { error: { code: -32021 } }])
})

t.test('MRTR-01, MRTR-10: questions end a stream, and progress is for the round that asked for it', async (t) => {
  const { modern } = await startAskingApp(t, { offer: { tools: [reporting('paint', { reportsFirst: true })] } })

  const first = await modern('tools/call', { name: 'paint' }, { meta: { progressToken: 'p' } })
  const [progress, asked, ...more] = eventsOf(first.text)
  t.match(progress, { method: 'notifications/progress', params: { progressToken: 'p' } })
  t.match(asked, { result: { resultType: 'input_required' } })
  t.same(more, [])

  const { requestState } = asked.result
  const second = await modern('tools/call', { name: 'paint', requestState, inputResponses: { user_name: ada } })
  t.match(second.headers['content-type'], /^application\/json/)
  t.match(second.json().result, { content: [{ text: 'accept' }] })
})

t.test('LEGACY-14: rounds by hand, in the legacy era: requests on the stream, answered by POSTs', async (t) => {
  const { legacy, post, did } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'paint', arguments: {} }, { id: 'c' })
  t.match(call.contentType, /^text\/event-stream/)

  const first = await call.next()
  t.match(first, { jsonrpc: '2.0', id: /^ask_[\w-]{22}$/, method: 'elicitation/create', params: { message: 'What is your name?', requestedSchema: { type: 'object' } } })
  const reply = await post({ jsonrpc: '2.0', id: first.id, result: ada }, legacyHeader)
  t.equal(reply.status, 202)
  t.equal(reply.text, '')
  const second = await call.next()
  t.match(second.params.message, 'Which color?')
  t.not(second.id, first.id)
  t.same(did, [])
  await post({ jsonrpc: '2.0', id: second.id, result: violet })

  t.match(await call.next(), { id: 'c', result: { content: [{ text: 'Ada likes violet.' }] } })
  t.equal(await call.next(), undefined, 'HTTP-16: nothing follows')
  t.same(did, ['painted violet'])
})

t.test('LEGACY-14: an answer of another principal, or to nothing, is accepted and changes nothing', async (t) => {
  const { legacy, post, did } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' })
  const { id } = await call.next()

  for (const [body, who] of [
    [{ jsonrpc: '2.0', id, result: { action: 'accept', content: { name: 'Eve' } } }, 'eve'],
    [{ jsonrpc: '2.0', id: `${id}x`, result: ada }, 'ada'],
    [{ jsonrpc: '2.0', id: 1, result: ada }, 'ada'],
    [{ jsonrpc: '2.0', result: ada }, 'ada']
  ] as const) {
    t.equal((await post(body, legacyHeader, who)).status, 202)
  }
  t.same(did, [])
  await post({ jsonrpc: '2.0', id, result: ada }, legacyHeader)
  t.equal((await post({ jsonrpc: '2.0', id, result: { action: 'decline' } }, legacyHeader)).status, 202, 'a second answer is too late')

  t.match(await call.next(), { result: { content: [{ text: 'Hello, Ada!' }] } })
  t.same(did, ['greeted Ada'])
})

t.test('ERA-09: in modern traffic a posted answer is refused, and reaches nobody', async (t) => {
  const { legacy, post, did } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' })
  const { id } = await call.next()

  const reply = await post({ jsonrpc: '2.0', id, result: ada }, { 'mcp-protocol-version': '2026-07-28' })

  t.equal(reply.status, 400)
  t.match(reply.json().error, { code: -32600 })
  t.same(did, [])
})

t.test('LEGACY-21: answers may come in a batch', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'together' })
  const asked = [await call.next(), await call.next(), await call.next()]
  const results: Record<string, object> = {
    'elicitation/create': ada,
    'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } },
    'roots/list': { roots: [{ uri: 'file:///work' }] }
  }

  const reply = await post(asked.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method] })))

  t.equal(reply.status, 202)
  t.match(await call.next(), { result: { content: [{ text: 'Ada Paris file:///work' }] } })
})

t.test('MRTR-08: an answer that is none is asked for again, at most eight times', async (t) => {
  const { legacy, post, did } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' })
  const ids = new Set<string>()
  for (let round = 0; round < 8; round++) {
    const { id } = await call.next()
    ids.add(id)
    await post({ jsonrpc: '2.0', id, result: { user_name: 12345 } })
  }

  t.match(await call.next(), { result: { isError: true, structuredContent: { code: 'asked_too_often' } } })
  t.equal(ids.size, 8)
  t.same(did, [])
})

t.test('LEGACY-14: a client that cannot be asked says so, with -32601 or -32602', async (t) => {
  const { legacy, post, did } = await startAskingApp(t)
  for (const code of [-32601, -32602]) {
    const needing = await legacy('tools/call', { name: 'greet' })
    await post({ jsonrpc: '2.0', id: (await needing.next()).id, error: { code, message: 'no' } })
    t.match(await needing.next(), { result: { isError: true, structuredContent: { code: 'client_cannot_answer', requiredCapabilities: { elicitation: {} }, nextAction: /2026-07-28/ } } })

    const trying = await legacy('tools/call', { name: 'either' })
    for (let question = 0; question < 2; question++) await post({ jsonrpc: '2.0', id: (await trying.next()).id, error: { code, message: 'no' } })
    t.match(await trying.next(), { result: { content: [{ text: 'nobody, nothing' }] } })
  }
  t.same(did, [])
})

t.test('LEGACY-14: any other error is a failure to answer', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' })
  await post({ jsonrpc: '2.0', id: (await call.next()).id, error: { code: -1, message: 'rejected' } })
  t.match(await call.next(), { result: { isError: true, structuredContent: { code: 'answer_failed', retryable: true } } })
})

t.test('when one of several needed answers cannot come, the client is told to forget the others', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'together' })
  const asked = [await call.next(), await call.next(), await call.next()]
  const sampling = asked.find(({ method }) => method === 'sampling/createMessage')
  await post({ jsonrpc: '2.0', id: sampling.id, error: { code: -32601, message: 'no' } })

  const rest = [await call.next(), await call.next(), await call.next()]

  t.same(rest.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params.requestId).sort(), asked.filter((one) => one !== sampling).map(({ id }) => id).sort())
  t.match(rest.at(-1), { result: { isError: true, structuredContent: { code: 'client_cannot_answer', requiredCapabilities: { sampling: {} } } } })
})

t.test('LEGACY-14, CANCEL-03: a client that never answers is bounded by the time limit of calls', async (t) => {
  const { legacy, time } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'greet' })
  const { id } = await call.next()

  time.advance(61_000)

  t.match(await call.next(), { method: 'notifications/cancelled', params: { requestId: id } })
  t.match(await call.next(), {
    result: { isError: true, structuredContent: { code: 'no_answer', retryable: true, message: /elicitation\/create.*had not answered/, nextAction: /reaches the user/ } }
  }, 'and is told that the answer was missing, not that it asked for too much')
})

t.test('calls that wait for answers never take all the room, so that an answer always gets in', async (t) => {
  const { legacy, post } = await startAskingApp(t, { flags: ['--max-requests-in-flight', '4'] })
  const first = await legacy('tools/call', { name: 'greet' })
  const { id } = await first.next()
  const foreign = await legacy('tools/call', { name: 'greet' }, { who: 'eve' })
  t.match(await foreign.next(), { method: 'elicitation/create' })
  t.match(await (await legacy('tools/call', { name: 'greet' })).next(), { result: { isError: true, structuredContent: { code: 'too_many_questions', retryAfterMs: Number } } })

  t.equal((await post({ jsonrpc: '2.0', id, result: ada })).status, 202)
  t.match(await first.next(), { result: { content: [{ text: 'Hello, Ada!' }] } })
})

t.test('CANCEL-04: work that stops waiting for an answer leaves nothing behind, and an answer that crosses is dropped', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'impatient' })
  const { id } = await call.next()
  t.match(await call.next(), { method: 'notifications/cancelled', params: { requestId: id } })
  t.match(await call.next(), { result: { content: [{ text: 'did not wait' }] } })
  t.equal((await post({ jsonrpc: '2.0', id, result: ada })).status, 202)
})

t.test('LEGACY-12: revisions without elicitation are not asked, and know roots and sampling', async (t) => {
  const { legacy } = await startAskingApp(t)
  t.match(await (await legacy('tools/call', { name: 'greet' }, { version: '2025-03-26' })).next(), { result: { isError: true, content: [{ text: /client_cannot_answer/ }] } })
  t.match(await (await legacy('tools/call', { name: 'sign' }, { version: '2025-06-18' })).next(), { result: { isError: true } })
  t.match(await (await legacy('tools/call', { name: 'sign' }, { version: '2025-11-25' })).next(), { params: { mode: 'url', elicitationId: String } })
  const either = await legacy('tools/call', { name: 'either' }, { version: '2025-03-26' })
  t.match(await either.next(), { method: 'sampling/createMessage' })
})

t.test('prompts and resources ask legacy callers too', async (t) => {
  const { legacy, post } = await startAskingApp(t)
  for (const [method, params, result] of [
    ['prompts/get', { name: 'introduce' }, { messages: [{ content: { text: 'Ada, short' } }] }],
    ['resources/read', { uri: 'test://diary/monday' }, { contents: [{ text: 'monday for Ada' }] }]
  ] as const) {
    const call = await legacy(method, params)
    await post({ jsonrpc: '2.0', id: (await call.next()).id, result: ada })
    t.match(await call.next(), { result })
  }
})

t.test('legacy.serverRequests off: legacy callers are told that they cannot be asked, in one JSON object', async (t) => {
  const { legacy, modern } = await startAskingApp(t, { flags: ['--legacy-server-requests', 'off'] })
  const call = await legacy('tools/call', { name: 'greet' })
  t.match(call.contentType, /^application\/json/)
  t.match(await call.next(), { result: { isError: true, structuredContent: { code: 'client_cannot_answer', nextAction: /2026-07-28/ } } })
  t.match(await (await legacy('tools/call', { name: 'either' })).next(), { result: { content: [{ text: 'nobody, nothing' }] } })
  t.match((await modern('tools/call', { name: 'greet' })).json().result, { resultType: 'input_required' }, 'modern callers are asked as ever')
})

t.test('a batch has no stream, so nothing in it can be asked', async (t) => {
  const { post } = await startAskingApp(t)
  const reply = await post([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet' } }])
  t.match(reply.json(), [{ id: 1, result: { isError: true } }])
})

t.test('MRTR-11: a legacy caller has no states; what looks like one means nothing', async (t) => {
  const { legacy } = await startAskingApp(t)
  t.match(await (await legacy('tools/call', { name: 'plain', requestState: 7, inputResponses: null })).next(), { result: { content: [{ text: 'asked nothing' }] } })
})

t.test('the SDK client goes through all rounds by itself, in both eras', async (t) => {
  const { url, token, did } = await startAskingApp(t)
  for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const) {
    const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities: { elicitation: {}, sampling: {}, roots: {} } })
    client.setRequestHandler('elicitation/create', async ({ params }) => params.message === 'Which color?' ? { action: 'accept', content: { color: 'red' } } : { action: 'accept', content: { name: 'Ada' } })
    client.setRequestHandler('sampling/createMessage', async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } }))
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///work' }] }))
    await client.connect(new TransportV2(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }))
    t.teardown(async () => await client.close())

    t.match(await client.callTool({ name: 'paint', arguments: {} }), { content: [{ text: 'Ada likes red.' }] })
    t.match(await client.callTool({ name: 'together', arguments: {} }), { content: [{ text: 'Ada Paris file:///work' }] })
    t.match(await client.getPrompt({ name: 'introduce', arguments: {} }), { messages: [{ content: { text: 'Ada, short' } }] })
    t.match(await client.readResource({ uri: 'test://diary/friday' }), { contents: [{ text: 'friday for Ada' }] })
  }
  t.same(did, ['painted red', 'painted red'])
})
