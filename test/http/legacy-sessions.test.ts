import t, { type Test } from 'tap'
import { z } from 'zod'
import { createLegacySessions } from '../../src/mcp/legacy-sessions.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { principal } from '../support/mcp-request.ts'
import { manualTime } from '../support/manual-time.ts'
import { startAskingApp } from '../support/start-asking-app.ts'

const keyHeader = 'x-mooring-session-id'
const cancelled = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

/** A server whose tool `work` goes on until it is told to stop; each signal is found by its label. */
async function setup (t: Test, flags: readonly string[] = []) {
  const signals = new Map<string, AbortSignal>()
  let announce = (): void => {}
  const work = defineTool({
    name: 'work',
    title: 'Work',
    description: 'Works until it is told to stop.',
    input: z.strictObject({ label: z.string() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    reports: true,
    async run ({ label }, { signal }) {
      signals.set(label, signal)
      announce()
      await new Promise<void>((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }) })
      return { content: [], structuredContent: {} }
    }
  })
  const app = await startAskingApp(t, { flags, offer: { tools: [work] } })

  /** Begins a call with the id 1, as every agent does. */
  async function begin (label: string, headers: Record<string, string> = {}, more: object = {}): Promise<AbortSignal> {
    const response = app.legacy('tools/call', { name: 'work', arguments: { label, ...more } }, { id: 1, headers })
    response.catch(() => {})
    for (;;) {
      const signal = signals.get(label)
      if (signal !== undefined) return signal
      await new Promise<void>((resolve) => { announce = resolve })
    }
  }

  async function initialize (capabilities: object = {}, who = 'ada'): Promise<string | undefined> {
    const reply = await app.post({
      jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'agent', version: '1' } }
    }, {}, who)
    const id = reply.headers['mcp-session-id']
    return typeof id === 'string' ? id : undefined
  }

  const cancel = async (headers: Record<string, string> = {}, who = 'ada') => await app.post(cancelled(1), headers, who)
  return { ...app, begin, initialize, cancel }
}

t.test('LEGACY-13: a cancellation reaches the requests of its own session key, and no others of its token', async (t) => {
  const { begin, cancel } = await setup(t)
  const [one, two, none] = [await begin('one', { [keyHeader]: 'k1' }), await begin('two', { [keyHeader]: 'k2' }), await begin('none')]

  t.equal((await cancel({ [keyHeader]: 'k3' })).status, 202)
  t.same([one, two, none].map(({ aborted }) => aborted), [false, false, false], 'a key that no request has')
  await cancel({ [keyHeader]: 'k2' })
  t.same([one, two, none].map(({ aborted }) => aborted), [false, true, false])
  await cancel()
  t.same([one, two, none].map(({ aborted }) => aborted), [false, true, true], 'a caller without a key reaches requests without one')
})

t.test('LEGACY-13: of two callers without a key none stops the request of the other', async (t) => {
  const { begin, cancel } = await setup(t)
  const [one, two] = [await begin('one'), await begin('two')]

  await cancel()

  t.same([one.aborted, two.aborted], [false, false])
})

t.test('LEGACY-13, POOL-04: a request with its key in the arguments is not one without a key', async (t) => {
  const { begin, cancel } = await setup(t)
  const inBand = await begin('in band', {}, { __mcpSessionId: 'k1' })

  await cancel()
  t.equal(inBand.aborted, false)
  await cancel({ [keyHeader]: 'k1' })
  t.equal(inBand.aborted, true)
})

t.test('POOL-04: a cancellation with a key that cannot be one is refused, not taken for one without', async (t) => {
  const { begin, cancel } = await setup(t)
  const signal = await begin('work')

  t.equal((await cancel({ [keyHeader]: 'a,b' })).status, 400)
  t.equal(signal.aborted, false)
})

t.test('LEGACY-02: no session id is given out unless it is wanted, and one that is sent means nothing', async (t) => {
  const { begin, cancel, initialize } = await setup(t)
  t.equal(await initialize(), undefined)
  const signal = await begin('work', { 'mcp-session-id': 'a stray one' })

  await cancel({ 'mcp-session-id': 'another stray one' })

  t.equal(signal.aborted, true)
})

t.test('LEGACY-02, LEGACY-13: with sealed ids two clients of one token cancel their own requests alone', async (t) => {
  const { begin, cancel, initialize, post } = await setup(t, ['--legacy-session-id', 'sealed'])
  const [first = '', second = '', ofEve = ''] = [await initialize(), await initialize(), await initialize({}, 'eve')]
  t.match([first, second], [/^[\x21-\x7e]+$/, /^[\x21-\x7e]+$/], 'visible ASCII')
  t.not(first, second)
  const [one, two] = [await begin('one', { 'mcp-session-id': first }), await begin('two', { 'mcp-session-id': second })]

  await cancel()
  await cancel({ 'mcp-session-id': ofEve })
  await cancel({ 'mcp-session-id': `${first}x` })
  t.same([one.aborted, two.aborted], [false, false], 'an id that is missing, of another principal, or changed')
  await cancel({ 'mcp-session-id': second })
  t.same([one.aborted, two.aborted], [false, true])

  t.equal((await post({ jsonrpc: '2.0', id: 5, method: 'ping' }, { 'mcp-session-id': 'long gone' })).status, 200, 'none is demanded')
})

t.test('LEGACY-13: ids that do not open are told apart as well, so that lost keys make no two clients meet', async (t) => {
  const { begin, cancel, initialize } = await setup(t, ['--legacy-session-id', 'sealed'])
  const ofEve = await initialize({}, 'eve') ?? ''
  const tooLong = 'x'.repeat(2_000)
  const [one, two] = [await begin('one', { 'mcp-session-id': 'of an earlier start 1' }), await begin('two', { 'mcp-session-id': 'of an earlier start 2' })]
  const others = [await begin('three', { 'mcp-session-id': ofEve }), await begin('four', { 'mcp-session-id': tooLong }), await begin('none')]

  for (const stray of ['made up', `${tooLong}x`]) await cancel({ 'mcp-session-id': stray })
  t.same([one, two, ...others].map(({ aborted }) => aborted), [false, false, false, false, false], 'an id that no request has')
  await cancel({ 'mcp-session-id': 'of an earlier start 1' })
  t.same([one.aborted, two.aborted], [true, false], 'the client of an id still reaches its own request')
  await cancel()
  t.same([two, ...others].map(({ aborted }) => aborted), [false, false, false, true], 'a caller without an id reaches requests without one')
})

t.test('LEGACY-13: where only one of request and cancellation has an id, a session key that both have decides', async (t) => {
  const { begin, cancel, initialize } = await setup(t, ['--legacy-session-id', 'sealed'])
  const id = await initialize() ?? ''
  const withId = { 'mcp-session-id': id }
  const [keyed, unkeyed] = [await begin('keyed', { ...withId, [keyHeader]: 'k1' }), await begin('unkeyed', withId)]

  await cancel()
  await cancel({ [keyHeader]: 'k2' })
  t.same([keyed.aborted, unkeyed.aborted], [false, false], 'no key, or another one, makes them no caller')
  await cancel({ [keyHeader]: 'k1' })
  t.same([keyed.aborted, unkeyed.aborted], [true, false])

  const idless = await begin('idless', { [keyHeader]: 'k3' })
  await cancel({ 'mcp-session-id': 'of another client', [keyHeader]: 'k3' })
  t.equal(idless.aborted, true)
})

t.test('LEGACY-02: a sealed id does not reach modern traffic', async (t) => {
  const { modern } = await startAskingApp(t, { flags: ['--legacy-session-id', 'sealed'] })
  const reply = await modern('tools/call', { name: 'plain' })

  t.equal(reply.headers['mcp-session-id'], undefined)
})

t.test('LEGACY-14: a client that said at initialize what it can answer is asked nothing else', async (t) => {
  const app = await startAskingApp(t, { flags: ['--legacy-session-id', 'sealed'] })
  const begin = async (capabilities: object): Promise<string> => {
    const reply = await app.post({
      jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'agent', version: '1' } }
    })
    return String(reply.headers['mcp-session-id'])
  }
  const call = async (id: string | undefined, name: string) =>
    await (await app.legacy('tools/call', { name }, { headers: id === undefined ? {} : { 'mcp-session-id': id } })).next()

  const mute = await begin({})
  const form = await begin({ elicitation: {} })
  const both = await begin({ elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } })

  t.match(await call(mute, 'greet'), { result: { isError: true, structuredContent: { code: 'client_cannot_answer' } } }, 'refused at once, with no question on the stream')
  t.match(await call(form, 'greet'), { method: 'elicitation/create' })
  t.match(await call(form, 'sign'), { result: { isError: true, structuredContent: { code: 'client_cannot_answer' } } }, 'forms alone')
  t.match(await call(both, 'sign'), { method: 'elicitation/create', params: { mode: 'url' } })
  t.match(await call(undefined, 'greet'), { method: 'elicitation/create' }, 'without an id it is not known')
})

t.test('LEGACY-02: an id opens for its principal alone, for thirty days, and stays short whatever is declared', async (t) => {
  const time = manualTime()
  const keys = [randomIds.bytes(32)] as const
  const sessions = createLegacySessions({ keys, clock: time.clock, ids: randomIds })
  const declared = { elicitation: { form: {}, [`x${'y'.repeat(5_000)}`]: {} }, sampling: 'yes', experimental: { big: 'z'.repeat(50_000) }, roots: { listChanged: true } }
  const id = sessions.begin(principal('ada'), declared)

  t.ok(id.length < 400)
  t.same(sessions.read(id, principal('ada')).session?.capabilities, { elicitation: { form: {} }, roots: {} })
  t.equal(sessions.read(id, principal('eve')).session, undefined)
  t.equal(sessions.read('x'.repeat(60_000), principal('ada')).session, undefined)
  time.advance(30 * 24 * 3_600_000)
  t.equal(sessions.read(id, principal('ada')).session, undefined)
})
