import fc from 'fast-check'
import t from 'tap'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import { askingOffer, capital, nameForm } from '../support/asking-offer.ts'
import { mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest, principal } from '../support/mcp-request.ts'

const everything = { elicitation: {}, sampling: {}, roots: {} }
const ada = { action: 'accept', content: { name: 'Ada' } }
const paris = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } }

function setup () {
  const { did, ...offer } = askingOffer()
  const { answer, log, time } = mcpBench({ offer })
  const call = (name: string, params: object = {}, overrides: Partial<McpRequest> = {}) =>
    answer(mcpRequest('tools/call', { name, arguments: {}, ...params }, { clientCapabilities: everything, ...overrides }))
  return { call, answer, did, log, time }
}

t.test('MRTR-01, MRTR-02: a question is the result, with a state and without hints to cache it', async (t) => {
  const { call, did } = setup()

  const asked = await call('greet')

  t.same(Object.keys(asked).sort(), ['_meta', 'inputRequests', 'requestState', 'resultType'])
  t.equal(asked.resultType, 'input_required')
  t.same(asked.inputRequests, { user_name: { method: 'elicitation/create', params: nameForm.params } })
  t.type(asked.requestState, 'string')
  t.same(did, [])
})

t.test('MRTR-04: the retry with the answer does the work, once', async (t) => {
  const { call, did } = setup()
  const { requestState } = await call('greet')

  const done = await call('greet', { requestState, inputResponses: { user_name: ada } })

  t.match(done, { resultType: 'complete', content: [{ text: 'Hello, Ada!' }] })
  t.notOk('requestState' in done)
  t.same(did, ['greeted Ada'])
})

t.test('MRTR-08: several rounds follow each other, each with a new state that has the answers so far', async (t) => {
  const { call, did } = setup()

  const first = await call('paint')
  const second = await call('paint', { requestState: first.requestState, inputResponses: { step1: ada } })
  t.same(Object.keys(second.inputRequests), ['step2'])
  t.not(second.requestState, first.requestState)
  t.same(did, [])
  const done = await call('paint', { requestState: second.requestState, inputResponses: { step2: { action: 'accept', content: { color: 'violet' } } } })

  t.match(done, { content: [{ text: 'Ada likes violet.' }] })
  t.same(did, ['painted violet'])
})

t.test('MRTR-02: several questions go out in one round, and what is missing is asked again alone', async (t) => {
  const { call } = setup()

  const asked = await call('together')
  t.same(Object.keys(asked.inputRequests), ['user_name', 'capital_question', 'client_roots'])
  t.same(asked.inputRequests.client_roots, { method: 'roots/list' })
  t.same(asked.inputRequests.capital_question, { method: 'sampling/createMessage', params: capital.params })

  const again = await call('together', { requestState: asked.requestState, inputResponses: { user_name: ada, client_roots: { roots: [{ uri: 'file:///work' }] } } })
  t.same(Object.keys(again.inputRequests), ['capital_question'])
  t.match(await call('together', { requestState: again.requestState, inputResponses: { capital_question: paris } }), { content: [{ text: 'Ada Paris file:///work' }] })
})

t.test('questions asked at once without askAll go out together too', async (t) => {
  const { call } = setup()
  t.same(Object.keys((await call('several')).inputRequests), ['a', 'b'])
})

t.test('MRTR-08: an answer that is none is asked for again, and unknown keys mean nothing', async (t) => {
  const { call, did } = setup()
  const { requestState } = await call('greet')

  for (const inputResponses of [{}, undefined, { wrong: ada }, { user_name: 12345 }, { user_name: null }, { user_name: { action: 'accept', content: { name: 7 } } }]) {
    const again = await call('greet', { requestState, inputResponses })
    t.match(again, { resultType: 'input_required', inputRequests: { user_name: {} } }, JSON.stringify(inputResponses))
    t.not(again.requestState, requestState)
  }
  t.same(did, [])
  t.match(await call('greet', { requestState, inputResponses: { user_name: ada, extra: { action: 'accept' } }, extra: 1 }), { resultType: 'complete' })
})

t.test('MRTR-08: answers without a state answer nothing that was asked', async (t) => {
  const { call, did } = setup()
  t.match(await call('greet', { inputResponses: { user_name: ada } }), { resultType: 'input_required' })
  t.same(did, [])
})

t.test('MRTR-08: inputResponses that are no object are refused, also where nothing is asked', async (t) => {
  const { call } = setup()
  for (const inputResponses of [null, [], 'yes', 7]) {
    t.match(await call('greet', { inputResponses }), { status: 200, code: -32602 }, JSON.stringify(inputResponses))
    t.match(await call('plain', { inputResponses }), { status: 200, code: -32602 })
  }
})

t.test('MRTR-06, MRTR-07, D-19: a state that is changed, foreign or too old is refused, always in the same words', async (t) => {
  const { call, answer, did, time } = setup()
  const { requestState } = await call('greet', { arguments: { greeting: 'Hi' } })
  const retry = { requestState, inputResponses: { user_name: ada }, arguments: { greeting: 'Hi' } }
  const { requestState: ofPrompt } = await answer(mcpRequest('prompts/get', { name: 'introduce' }, { clientCapabilities: everything }))

  const refusals = [
    await call('greet', { ...retry, requestState: `${requestState}-TAMPERED` }),
    await call('greet', { ...retry, requestState: '' }),
    await call('greet', { ...retry, requestState: 7 }),
    await call('greet', { ...retry, requestState: null }),
    await call('greet', { ...retry, requestState: ofPrompt }),
    await call('greet', { ...retry, arguments: { greeting: 'Hey' } }),
    await call('greet', { ...retry, arguments: undefined }),
    await call('paint', retry),
    await call('plain', retry),
    await call('greet', retry, { principal: principal('eve') })
  ]
  time.advance(600_000)
  refusals.push(await call('greet', retry))

  for (const refusal of refusals) {
    t.match(refusal, { status: 200, code: -32602 })
    t.same(refusal, refusals[0])
  }
  t.same(did, [])
})

t.test('MRTR-07: a state is not used up by its use', async (t) => {
  const { call, did } = setup()
  const { requestState } = await call('greet')
  const retry = { requestState, inputResponses: { user_name: ada } }

  await call('greet', retry)
  await call('greet', retry)

  t.same(did, ['greeted Ada', 'greeted Ada'])
})

t.test('MRTR-03, ERR-06: what the request does not declare is not asked, and its lack is said before anything is', async (t) => {
  const { call } = setup()

  t.match(await call('greet', {}, { clientCapabilities: {} }), { status: 400, code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
  t.match(await call('sign'), { status: 400, code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } })
  t.match(await call('sign', {}, { clientCapabilities: { elicitation: { url: {} } } }), { inputRequests: { page: { params: { mode: 'url' } } } })
  t.same((await call('together', {}, { clientCapabilities: { elicitation: {} } })).data, { requiredCapabilities: { sampling: {}, roots: {} } })
})

t.test('MRTR-03: of several kinds that the work can do without, only the declared ones are asked', async (t) => {
  const { call } = setup()

  const asked = await call('either', {}, { clientCapabilities: { sampling: {} } })
  t.same(Object.keys(asked.inputRequests), ['capital_question'])
  t.match(await call('either', { requestState: asked.requestState, inputResponses: { capital_question: paris } }, { clientCapabilities: { sampling: {} } }), {
    content: [{ text: 'nobody, Paris' }]
  })
  t.match(await call('either', {}, { clientCapabilities: {} }), { content: [{ text: 'nobody, nothing' }] })
})

t.test('CAP-03: what counts is what this request declares; an answer that is there stays', async (t) => {
  const { call } = setup()
  const { requestState } = await call('paint')
  t.match(await call('paint', { requestState, inputResponses: { step1: ada } }, { clientCapabilities: {} }), { code: -32021 })
})

t.test('MRTR-09: declining and closing come back for the model to read, without blame for the latter', async (t) => {
  const { call, did } = setup()
  const { requestState } = await call('greet')
  const answered = (action: string) => call('greet', { requestState, inputResponses: { user_name: { action } } })

  t.match(await answered('decline'), { isError: true, structuredContent: { code: 'not_confirmed', action: 'decline', message: /declined the greeting/ } })
  t.match(await answered('cancel'), { isError: true, structuredContent: { code: 'not_confirmed', action: 'cancel', message: /The user did not confirm the greeting/ } })
  t.same(did, [])
})

t.test('a call asks at most eight rounds', async (t) => {
  const { call } = setup()
  let params = {}
  for (let round = 0; round < 8; round++) {
    const asked = await call('endless', params)
    t.same(Object.keys(asked.inputRequests), [`step${round}`])
    params = { requestState: asked.requestState, inputResponses: { [`step${round}`]: ada } }
  }
  t.match(await call('endless', params), { isError: true, structuredContent: { code: 'asked_too_often' } })
})

t.test('asking again for the same counts as a round', async (t) => {
  const { call } = setup()
  let { requestState } = await call('greet')
  for (let round = 1; round < 8; round++) ({ requestState } = await call('greet', { requestState }))
  t.match(await call('greet', { requestState }), { isError: true, structuredContent: { code: 'asked_too_often' } })
})

t.test('work that goes on without its answer has not answered the call', async (t) => {
  const { call } = setup()
  t.match(await call('careless'), { resultType: 'input_required', inputRequests: { user_name: {} } })
})

t.test('answers that grow too large to be carried are refused', async (t) => {
  const { call } = setup()
  const { requestState } = await call('paint')
  t.match(await call('paint', { requestState, inputResponses: { step1: { action: 'accept', content: { name: 'x'.repeat(1_048_576) } } } }), { code: -32602, message: /answers/ })
})

t.test('a tool that asks without saying so is a bug, in both eras', async (t) => {
  const { call, log } = setup()
  t.match(await call('unannounced'), { isError: true, structuredContent: { code: 'internal_error' } })
  t.match(await call('unannounced', {}, { era: 'legacy', version: '2025-11-25' }), { isError: true })
  t.match(log.entries, [{ facts: { err: { message: /asks: true/ } } }, {}])
})

t.test('arguments that do not fit, and refusals, come before any question', async (t) => {
  const { call } = setup()
  t.match(await call('greet', { arguments: { greeting: 7 } }), { isError: true, structuredContent: { code: 'invalid_arguments' } })
  t.match(await call('picky'), { isError: true, structuredContent: { code: 'picky' } })
})

t.test('MRTR-01: prompts and resources ask in the same way', async (t) => {
  const { answer } = setup()
  for (const [method, params, key, result] of [
    ['prompts/get', { name: 'introduce', arguments: { style: 'long' } }, 'user_context', { messages: [{ content: { text: 'Ada, long' } }] }],
    ['resources/read', { uri: 'test://diary/monday' }, 'reader', { contents: [{ uri: 'test://diary/monday', text: 'monday for Ada' }], cacheScope: 'private' }]
  ] as const) {
    const ask = (more: object = {}, clientCapabilities: Record<string, unknown> = everything) => answer(mcpRequest(method, { ...params, ...more }, { clientCapabilities }))

    const asked = await ask()
    t.equal(asked.resultType, 'input_required')
    t.same(Object.keys(asked.inputRequests), [key])
    t.notOk('ttlMs' in asked)
    t.match(await ask({ requestState: asked.requestState, inputResponses: { [key]: ada } }), { resultType: 'complete', ...result })
    t.match(await ask({}, {}), { status: 400, code: -32021 })
    t.match(await ask({ requestState: `${asked.requestState}x` }), { code: -32602 })
    t.match(await ask({ requestState: asked.requestState, inputResponses: { [key]: { action: 'decline' } } }), { code: -32603, data: { code: 'not_confirmed' } })
  }
})

t.test('MRTR-01, MRTR-11: no other method asks, or minds what belongs to one that does', async (t) => {
  const { answer } = setup()
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    t.equal((await answer(mcpRequest(method, { inputResponses: null, requestState: 7 }))).resultType, 'complete')
  }
})

t.test('whatever comes back instead of answers and a state, nothing breaks and nothing is done', async (t) => {
  const { call, did, log } = setup()
  const { requestState } = await call('greet')
  const states = fc.oneof(fc.constant(requestState), fc.constant(undefined), fc.jsonValue(), fc.string())
  const responses = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom('user_name', 'other', 'toString'), fc.jsonValue()))

  await fc.assert(fc.asyncProperty(states, responses, async (requestState, inputResponses) => {
    const { code, resultType } = await call('greet', { requestState, inputResponses })
    return code === -32602 || resultType === 'input_required'
  }))
  t.same(did, [])
  t.same(log.entries, [])
})

t.test('MRTR-07, POOL-04: a state goes with the next round whatever a proxy adds to its arguments', async (t) => {
  const { call, did } = setup()
  const { requestState } = await call('greet', { arguments: { __mcpSessionId: 'a', __hop: 1 } })

  t.match(await call('greet', { arguments: { __hop: 2 }, requestState, inputResponses: { user_name: ada } }), { resultType: 'complete' })
  t.equal(did.length, 1)
})
