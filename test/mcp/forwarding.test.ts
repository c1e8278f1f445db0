import t from 'tap'
import { invalidParams } from '../../src/protocol/error-table.ts'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import { ProtocolError } from '../../src/protocol/rejection.ts'
import { Refusal } from '../../src/refusals/refusal.ts'
import type { ForwardedCall, ForwardedResult, ForwardingTool } from '../../src/tools/tool-definition.ts'
import { exchangeBench } from '../support/exchange-bench.ts'
import { idle } from '../support/idle.ts'
import { mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest, principal } from '../support/mcp-request.ts'

const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const ask = { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } } }
const ada = { action: 'accept', content: { name: 'Ada' } }

type Round = Pick<ForwardedCall, 'inputResponses' | 'requestState' | 'capabilities'> & { readonly given: object }

class BusyRefusal extends Refusal {
  readonly code = 'busy'
}

/** A tool of another server that answers as the test says, round by round; the last answer is repeated. */
function farTool (answers: ReadonlyArray<ForwardedResult | Error>, more: Partial<ForwardingTool> = {}) {
  const rounds: Round[] = []
  const tool: ForwardingTool = {
    name: 'far',
    published: { description: 'x', inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } },
    ...more,
    async forward (given, { inputResponses, requestState, capabilities }) {
      const answer = answers[Math.min(rounds.length, answers.length - 1)]
      rounds.push({ given, inputResponses, requestState, capabilities })
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer')
      return answer
    }
  }
  return { tool, rounds }
}

function setup (answers: ReadonlyArray<ForwardedResult | Error>, more: Partial<ForwardingTool> = {}) {
  const { tool, rounds } = farTool(answers, more)
  const bench = mcpBench({ offer: { tools: [tool] } })
  const call = (params: object = {}, overrides: Partial<McpRequest> = {}) =>
    bench.answer(mcpRequest('tools/call', { name: 'far', arguments: {}, ...params }, { clientCapabilities: everything, ...overrides }))
  return { ...bench, rounds, call }
}

const odd = {
  content: [{ type: 'hologram', data: { deep: [1, { a: null }] } }, { type: 'text', text: 'x', annotations: { audience: ['user'] }, _meta: { a: 1 } }],
  structuredContent: { rows: [{ n: 1.5 }], none: null },
  isError: true,
  _meta: { 'example.com/trace': 'z' },
  extra: 'kept'
}

t.test('GW-08, GW-09: a result is passed on as it came: isError, _meta, unknown blocks and members', async (t) => {
  const { call } = setup([{ kind: 'complete', body: odd }])

  const { resultType, _meta, ...rest } = await call()
  const { _meta: sent, ...expected } = odd
  t.strictSame(rest, expected)
  t.equal(resultType, 'complete')
  t.strictSame(_meta, { ...sent, 'io.modelcontextprotocol/serverInfo': { name: 'mooring', version: '1', title: 'mooring' } })
  t.strictSame(await call({}, { era: 'legacy', version: '2025-11-25' }), odd, 'to a legacy caller too')
})

t.test('arguments go on as they were sent, without what proxies add for each other', async (t) => {
  const { call, rounds } = setup([{ kind: 'complete', body: { content: [] } }])

  await call({ arguments: { count: '12', nested: { __kept: 1 }, __mcpSessionId: 'k', __hop: 1 } })
  t.strictSame(rounds[0]?.given, { count: '12', nested: { __kept: 1 } })
})

t.test('VAL-17, CALL-07: headers and the form of a call are checked here all the same', async (t) => {
  const { call, rounds } = setup([{ kind: 'complete', body: { content: [] } }])

  t.match(await call({ arguments: { region: 'eu' } }), { status: 400, code: -32020 })
  t.match(await call({ arguments: [1] }), { code: -32602 })
  t.match(await call({ arguments: { region: 'eu' } }, { parameterHeaders: { 'mcp-param-region': 'eu' } }), { content: [] })
  t.equal(rounds.length, 1)
})

t.test('GW-13, MRTR-01, MRTR-02: questions are passed on under their own keys, and the state goes back byte for byte', async (t) => {
  const state = 'opaque é … {"x":1}'
  const { call, rounds } = setup([
    { kind: 'input_required', inputRequests: { who: ask, where: { method: 'roots/list' } }, requestState: state }, { kind: 'complete', body: { content: [], isError: false } }
  ])

  const asked = await call()
  t.strictSame(asked.inputRequests, { who: ask, where: { method: 'roots/list' } })
  t.equal(asked.resultType, 'input_required')
  t.not(asked.requestState, state, 'sealed')
  t.notOk('ttlMs' in asked)
  const done = await call({ requestState: asked.requestState, inputResponses: { who: ada, where: { roots: [] }, other: 1 } })

  t.match(done, { resultType: 'complete', isError: false })
  t.strictSame(rounds.map(({ inputResponses, requestState }) => [inputResponses, requestState]), [
    [undefined, undefined], [{ who: ada, where: { roots: [] } }, state]
  ], 'answers to what was not asked stay here')
})

t.test('D-24, MRTR-04: a server that gives no state gets none, and one that gives nothing but a state is asked again', async (t) => {
  const stateless = setup([{ kind: 'input_required', inputRequests: { who: ask } }, { kind: 'complete', body: { content: [] } }])
  const { requestState } = await stateless.call()
  await stateless.call({ requestState, inputResponses: { who: ada } })
  t.strictSame(stateless.rounds[1]?.requestState, undefined)

  const { call, rounds } = setup([{ kind: 'input_required', requestState: 's' }, { kind: 'complete', body: { content: [] } }])
  const asked = await call()
  t.same(Object.keys(asked).sort(), ['_meta', 'requestState', 'resultType'])
  await call({ requestState: asked.requestState })
  t.strictSame([rounds[1]?.inputResponses, rounds[1]?.requestState], [{}, 's'])
})

t.test('MRTR-06, MRTR-07, D-19: a state of another caller, tool, call or time opens nothing', async (t) => {
  const { call, rounds, time } = setup([{ kind: 'input_required', inputRequests: { who: ask }, requestState: 's' }])
  const { requestState } = await call({ arguments: { a: 1 } })
  const retry = { requestState, inputResponses: { who: ada }, arguments: { a: 1 } }

  const refusals = [
    await call({ ...retry, requestState: `${requestState}x` }),
    await call({ ...retry, requestState: 's' }),
    await call({ ...retry, requestState: 7 }),
    await call({ ...retry, arguments: { a: 2 } }),
    await call(retry, { principal: principal('eve') })
  ]
  time.advance(600_000)
  refusals.push(await call(retry))

  for (const refusal of refusals) t.same(refusal, refusals[0])
  t.match(refusals[0], { status: 200, code: -32602 })
  t.match(await call({ inputResponses: [] }), { code: -32602 })
  t.equal(rounds.length, 1)
})

t.test('GW-14, MRTR-03, D-23: what this request did not declare is not asked, and what is no question neither', async (t) => {
  const url = { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://example.com' } }
  const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, tools: [] } }
  for (const [inputRequests, clientCapabilities] of [
    [{ a: ask }, {}], [{ a: url }, { elicitation: {} }], [{ a: sampling }, { sampling: {} }], [{ a: { method: 'roots/list' } }, { elicitation: {} }],
    [{ a: { method: 'ping' } }, everything], [{ a: 7 }, everything], [{ a: { ...ask, params: [] } }, everything],
    [{ a: { ...ask, params: { mode: 'voice' } } }, everything], [{ ok: ask, a: null }, everything], [undefined, everything]
  ] as const) {
    const { call, log } = setup([{ kind: 'input_required', ...(inputRequests === undefined ? {} : { inputRequests }) }])
    t.match(await call({}, { clientCapabilities }), { code: -32603 }, JSON.stringify(inputRequests))
    t.equal(log.entries.length, 1)
  }
  const { call, rounds } = setup([{ kind: 'input_required', inputRequests: { a: sampling } }])
  t.match(await call({}, { clientCapabilities: { sampling: { tools: {} } } }), { resultType: 'input_required' })
  t.same(rounds[0]?.capabilities, { sampling: { tools: {} } }, 'GW-05: the other server may be told as much and no more')
})

t.test('a server that goes on asking is stopped after eight rounds, in both eras', async (t) => {
  const { call } = setup([{ kind: 'input_required', requestState: 's' }])
  let params = {}
  for (let round = 0; round < 8; round++) params = { requestState: (await call(params)).requestState }

  t.match(await call(params), { isError: true, structuredContent: { code: 'asked_too_often' } })
  t.match(await call({}, { era: 'legacy', version: '2025-11-25' }), { isError: true, structuredContent: { code: 'asked_too_often' } })
})

t.test('ERR-11, GW-29: a refusal and a protocol error keep their words, anything else loses them', async (t) => {
  t.match(await setup([new BusyRefusal({ message: 'Busy.', retryable: true, nextAction: 'Wait.' })]).call(), { isError: true, structuredContent: { code: 'busy' } })
  t.match(await setup([new ProtocolError(invalidParams('Theirs.', { uri: 'a' }))]).call(), { code: -32602, message: 'Theirs.', data: { uri: 'a' } })
  const { call, log } = setup([new Error('secret detail')])
  const failed = await call()
  t.match(failed, { isError: true, structuredContent: { code: 'internal_error' } })
  t.notMatch(JSON.stringify(failed), 'secret')
  t.match(log.entries, [{ facts: { err: { message: 'secret detail' }, tool: 'far' } }])
})

t.test('GW-23: a legacy caller is asked on the stream of its call, and the call goes on with its answers', async (t) => {
  const { tool, rounds } = farTool([
    { kind: 'input_required', inputRequests: { who: ask }, requestState: 's1' },
    { kind: 'input_required', inputRequests: { where: { method: 'roots/list' } } },
    { kind: 'complete', body: { content: [], isError: false } }
  ], { asks: true })
  const { legacy, send } = exchangeBench({ offer: { tools: [tool] } })
  const channel = legacy('tools/call', { name: 'far' })
  const next = async (count: number) => { while (channel.messages.length < count) await idle() }

  await next(1)
  t.match(channel.messages[0], ask)
  send({ jsonrpc: '2.0', id: channel.messages[0].id, result: ada }, { header: '2025-11-25' })
  await next(2)
  t.match(channel.messages[1], { method: 'roots/list' })
  send({ jsonrpc: '2.0', id: channel.messages[1].id, result: { roots: [] } }, { header: '2025-11-25' })
  await channel.over

  t.match(channel.messages[2], { result: { isError: false } })
  t.strictSame(rounds.map(({ inputResponses, requestState }) => [inputResponses, requestState]), [
    [undefined, undefined], [{ who: ada }, 's1'], [{ where: { roots: [] } }, undefined]
  ])
  t.match(rounds[0]?.capabilities, { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} })
})

t.test('GW-23: a legacy caller that cannot be asked is told so, and the other server knows before', async (t) => {
  const { tool, rounds } = farTool([{ kind: 'input_required', inputRequests: { who: ask } }], { asks: true })
  const { legacy, send } = exchangeBench({ offer: { tools: [tool] } })
  const refuses = legacy('tools/call', { name: 'far' })
  while (refuses.messages.length === 0) await idle()
  send({ jsonrpc: '2.0', id: refuses.messages[0].id, error: { code: -32601, message: 'no' } }, { header: '2025-11-25' })
  await refuses.over
  t.match(refuses.messages.at(-1), { result: { isError: true, structuredContent: { code: 'client_cannot_answer' } } })

  const { call, rounds: silently } = setup([{ kind: 'input_required', inputRequests: { who: ask } }], { asks: true })
  t.match(await call({}, { era: 'legacy', version: '2025-11-25' }), {
    isError: true, structuredContent: { code: 'client_cannot_answer', requiredCapabilities: { elicitation: { form: {} } } }
  })
  t.same([silently[0]?.capabilities, rounds.length], [{}, 1])
})

t.test('GW-18, GW-19: progress of the other server comes on the stream of the call, and its end ends the work', async (t) => {
  let signal: AbortSignal | undefined
  const tool: ForwardingTool = {
    name: 'far',
    published: { description: 'x', inputSchema: { type: 'object' } },
    reports: true,
    async forward (_given, call) {
      signal = call.signal
      call.progress({ progress: 1, message: 'half' })
      await new Promise<void>((resolve) => { call.signal.addEventListener('abort', () => resolve()) })
      return { kind: 'complete', body: { content: [] } }
    }
  }
  const { modern } = exchangeBench({ offer: { tools: [tool] } })
  const channel = modern('tools/call', { name: 'far' }, { meta: { progressToken: 'p' } })
  await idle()
  t.match(channel.messages, [{ method: 'notifications/progress', params: { progressToken: 'p', progress: 1, message: 'half' } }])

  channel.leave()
  await channel.over
  t.equal(signal?.aborted, true)
})

t.test('what a forwarded call brought about is undone when its answer does not arrive', async (t) => {
  const undone: string[] = []
  const { modern } = exchangeBench({ offer: { tools: [farTool([{ kind: 'complete', body: { content: [] }, undo: async () => { undone.push('far') } }]).tool] } })
  const channel = modern('tools/call', { name: 'far' })
  await channel.over
  channel.deliver(false)
  await idle()

  t.same(undone, ['far'])
})
