import t from 'tap'
import type { SchemaTool, ToolCall } from '../../src/tools/tool-definition.ts'
import { askingOffer } from '../support/asking-offer.ts'
import { exchangeBench } from '../support/exchange-bench.ts'
import { idle } from '../support/idle.ts'
import { localCatalog } from '../support/mcp-bench.ts'
import { memoryChannel } from '../support/memory-channel.ts'

const schema = { type: 'object' }

interface Begun { readonly call: ToolCall, finish (): void, fail (error: Error): void }

/** A server whose tools do what the test tells them to. */
function setup (options: Parameters<typeof exchangeBench>[0] = {}) {
  const begun: Begun[] = []
  const undone: string[] = []
  async function wait (call: ToolCall): Promise<{ content: readonly [] }> {
    await new Promise<void>((resolve, reject) => { begun.push({ call, finish: resolve, fail: reject }) })
    return { content: [] }
  }
  const tools: readonly SchemaTool[] = [
    { name: 'echo', description: 'Gives back.', inputSchema: schema, run: async (input) => ({ content: [], structuredContent: input }) },
    { name: 'report', description: 'Reports.', inputSchema: schema, reports: true, run: async (_input, call) => await wait(call) },
    { name: 'work', description: 'Works.', inputSchema: schema, run: async (_input, call) => await wait(call) },
    { name: 'queue', description: 'Waits.', inputSchema: schema, maxWaitMs: ({ waitMs }) => Number(waitMs ?? 0), run: async (_input, call) => await wait(call) },
    {
      name: 'make',
      description: 'Makes something.',
      inputSchema: schema,
      run: async ({ what }, call) => ({ ...what === 'later' ? await wait(call) : { content: [] }, undo: async () => { undone.push(String(what)) } })
    },
    { name: 'unencodable', description: 'Makes what no JSON can say.', inputSchema: schema, run: async () => ({ content: [{ type: 'text', text: 1n as never }] }) }
  ]
  const bench = exchangeBench({ offer: { tools, tells: ['tools'] }, ...options })
  const of = (name: string, args: object = {}) => ({ name, arguments: args })
  return { ...bench, begun, undone, of, next: async (count = 1) => { while (begun.length < count) await idle() } }
}

const eras = ['modern', 'legacy'] as const

for (const era of eras) {
  t.test(`${era}: a request is answered with one message, and its place is kept while it is worked on`, async (t) => {
    const { [era]: send, of } = setup()
    const channel = send('tools/call', of('echo', { a: 1 }), { id: 7 })
    t.same(channel.places, { keep: 1, leave: 0, release: 0 })
    await channel.over

    t.match([channel.ended, channel.status, channel.answered], ['answered', 200, { jsonrpc: '2.0', id: 7, result: { structuredContent: { a: 1 } } }])
    t.same(channel.places, { keep: 1, leave: 1, release: 0 })
    t.equal(channel.watchers, 0)
  })

  t.test(`${era}: what a list is, is answered at once`, (t) => {
    const { [era]: send } = setup()
    const channel = send('tools/list')

    t.equal(channel.answered.result.tools.length, 6, 'before anything was waited for')
    t.end()
  })

  t.test(`${era}: progress and log messages come before the answer on a stream, and nothing comes after it`, async (t) => {
    const { [era]: send, of, begun, next } = setup()
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' }
    const channel = era === 'modern' ? send('tools/call', of('report'), { meta }) : send('tools/call', { ...of('report'), _meta: meta })
    await next()
    const [{ call, finish }] = begun as [Begun]

    for (const progress of [1, 3, 2]) call.progress({ progress })
    call.log('debug', { a: 1 })
    call.log('error', { a: 2 })
    finish()
    await channel.over
    call.progress({ progress: 9 })
    call.log('error', { late: true })

    t.match(channel.messages, [
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/progress', params: { progress: 3 } },
      { method: 'notifications/message', params: { level: 'error', logger: 'mooring', data: { a: 2 } } },
      { result: { content: [] } }
    ])
    t.equal(channel.messages.length, 4)
    t.equal(channel.ended, 'stream ended')
  })

  t.test(`${era}: a stream shows life when the work takes longer than a turn, and an answer that is there sooner comes alone`, async (t) => {
    const { [era]: send, of, begun, next } = setup()
    const meta = { progressToken: 1 }
    const start = () => era === 'modern' ? send('tools/call', of('report'), { meta }) : send('tools/call', { ...of('report'), _meta: meta })

    const slow = start()
    await idle()
    t.equal(slow.hasBegun, true)
    begun[0]?.finish()
    await slow.over
    t.equal(slow.ended, 'stream ended')

    const fast = start()
    while (begun.length < 2) await Promise.resolve()
    begun[1]?.finish()
    await fast.over
    t.equal(fast.ended, 'answered')
    begun[1]?.call.progress({ progress: 1 })
    t.same(fast.messages, [], 'nor does anything come beside it')
    await next(2)
  })

  t.test(`${era}: over a channel without streams the same request is answered alone`, async (t) => {
    const { [era]: send, of, begun, next } = setup()
    const channel = memoryChannel({ canStream: false })
    const { over } = era === 'modern'
      ? send('tools/call', of('report'), { channel, meta: { progressToken: 1 } })
      : send('tools/call', { ...of('report'), _meta: { progressToken: 1 } }, { channel })
    await next()
    begun[0]?.call.progress({ progress: 1 })
    begun[0]?.finish()
    await over

    t.match([channel.ended, channel.answered], ['answered', { result: {} }])
  })

  t.test(`${era}: what waits gives its place away, may wait as long as it wants, and ends with its caller`, async (t) => {
    const { [era]: send, of, begun, next, time } = setup()
    const channel = send('tools/call', of('queue', { waitMs: 100_000 }))
    await next()
    t.same(channel.places, { keep: 1, leave: 1, release: 1 })
    time.advance(120_000)
    t.equal(begun[0]?.call.signal.aborted, false)

    channel.leave()
    t.equal(begun[0]?.call.signal.aborted, true)
    begun[0]?.finish()
    await channel.over
    t.same(channel.places, { keep: 1, leave: 1, release: 1 }, 'it is not left twice')
  })

  t.test(`${era}: what an undelivered answer brought about is undone, once, and only then`, async (t) => {
    const { [era]: send, of, undone, begun, next } = setup()
    const delivered = send('tools/call', of('make', { what: 'delivered' }))
    await delivered.over
    delivered.deliver(true)
    const broken = send('tools/call', of('make', { what: 'broken' }))
    await broken.over
    t.same(undone, [], 'an answer on its way is not lost')
    broken.deliver(false)
    const late = send('tools/call', of('make', { what: 'later' }))
    await next()
    late.leave()
    begun[0]?.finish()
    await late.over
    await idle()

    t.same(undone, ['broken', 'later'])
  })

  t.test(`${era}: a fault while the answer is encoded ends the channel, and lets go of everything`, async (t) => {
    const { [era]: send, of, running } = setup()
    const channel = send('tools/call', of('unencodable'))
    await channel.over

    t.equal(channel.ended, 'failed')
    t.match(channel.error, { message: /BigInt/ })
    t.same(channel.places, { keep: 1, leave: 1, release: 0 })
    await running.idle()
  })

  t.test(`${era}: a view that has to be waited for delays nothing but its own requests`, async (t) => {
    const local = localCatalog({ tools: [{ name: 'far', description: 'x', inputSchema: schema, run: async () => ({ content: [] }) }] })
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => { arrive = resolve })
    const { [era]: send } = exchangeBench({ catalog: { view: async (caller) => { await arrived; return await local.view(caller) } } })
    const channel = send('tools/call', { name: 'far' })
    if (era === 'legacy') t.match(send('ping').answered, { result: {} }, 'ping needs no view')
    await idle()
    t.equal(channel.ended, undefined)

    arrive()
    await channel.over

    t.match(channel.answered, { result: { content: [] } })
  })

  t.test(`${era}: a view that cannot be had is an internal error, without its insides`, async (t) => {
    const { [era]: send, lines } = exchangeBench({ catalog: { view: async () => { throw new Error('secret detail') } } })
    const channel = send('tools/list')
    await channel.over

    t.match(channel.answered, { error: { code: -32603 } })
    t.notMatch(JSON.stringify(channel.answered), 'secret')
    t.equal(lines.length, 1)
  })
}

t.test('CANCEL-01: a modern caller that goes away has cancelled, also before its view was there', async (t) => {
  const { modern, of, begun, next } = setup()
  const channel = modern('tools/call', of('work'))
  await next()
  channel.leave()
  t.equal(begun[0]?.call.signal.aborted, true)
  begun[0]?.finish()
  await channel.over

  const gone = memoryChannel()
  gone.leave()
  modern('tools/call', of('work'), { channel: gone })
  await next(2)
  t.equal(begun[1]?.call.signal.aborted, true)
})

t.test('LEGACY-13: a legacy call goes on without its caller, and stops when it is cancelled by name', async (t) => {
  const { legacy, send, of, begun, next } = setup()
  const channel = legacy('tools/call', { ...of('report'), _meta: { progressToken: 1 } }, { id: 5 })
  await next()
  channel.leave()
  t.equal(begun[0]?.call.signal.aborted, false)

  const other = legacy('tools/call', { ...of('report'), _meta: { progressToken: 1 } }, { id: 6 })
  await next(2)
  await idle()
  const cancelled = send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 6 } }, { header: '2025-11-25' })
  t.equal(cancelled.ended, 'acknowledged')
  t.equal(begun[1]?.call.signal.aborted, true)
  begun[1]?.finish()
  await other.over
  t.same([other.ended, other.messages], ['stream ended', []], 'and is not answered')
})

t.test('LEGACY-14: a question goes out on the stream of its call, and its answer comes in as a message of its own', async (t) => {
  const { did, ...offer } = askingOffer()
  const { legacy, send } = exchangeBench({ offer })
  const channel = legacy('tools/call', { name: 'greet' })
  while (channel.messages.length === 0) await idle()
  const [question] = channel.messages

  const answered = send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'Ada' } } }, { header: '2025-11-25' })
  await channel.over

  t.equal(answered.ended, 'acknowledged')
  t.match(channel.messages.at(-1), { result: { content: [{ text: 'Hello, Ada!' }] } })
  t.same(did, ['greeted Ada'])
})

t.test('LEGACY-21: entries of a batch go the same way, and come back together', async (t) => {
  const { send, of, begun, next, undone } = setup()
  const request = (id: number, name: string, args: object = {}) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...of(name, args), _meta: { progressToken: id } } })
  const channel = send([
    request(1, 'report'), { jsonrpc: '2.0', method: 'notifications/initialized' }, request(2, 'echo', { a: 1 }), 7,
    request(3, 'make', { what: 'in a batch' }), request(4, 'queue', { waitMs: 1_000 })
  ])
  await next(2)
  begun[0]?.call.progress({ progress: 1 })
  t.equal(channel.watchers, 1, 'what waits watches, as one')
  for (const { finish } of begun) finish()
  await channel.over

  t.match(channel.answered, [{ id: 1, result: {} }, { id: 2, result: { content: [] } }, { error: { code: -32600 } }, { id: 3 }, { id: 4 }])
  t.same(channel.places, { keep: 1, leave: 1, release: 0 })
  t.equal(channel.watchers, 0)
  channel.deliver(false)
  await idle()
  t.same(undone, ['in a batch'])
})

t.test('an entry of a batch that begins to wait when the caller has gone is told at once', async (t) => {
  const queue: SchemaTool = {
    name: 'queue',
    description: 'x',
    inputSchema: schema,
    maxWaitMs: () => 1_000,
    run: async (_input, { signal }) => ({ content: [{ type: 'text', text: String(signal.aborted) }] })
  }
  const local = localCatalog({ tools: [queue] })
  const arrivals: Array<() => void> = []
  const { send } = exchangeBench({
    catalog: { view: async (caller) => { await new Promise<void>((resolve) => { arrivals.push(resolve) }); return await local.view(caller) } }
  })
  const channel = send([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'queue', arguments: {} } })))
  arrivals[0]?.()
  await idle()
  channel.leave()
  arrivals[1]?.()
  await channel.over

  t.match(channel.answered[1], { id: 2, result: { content: [{ text: 'true' }] } })
})

t.test('a batch of what wants no answer is acknowledged, and a fault in one entry fails it', async (t) => {
  const { send, of } = setup()
  const quiet = send([{ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 'x', result: {} }])
  await quiet.over
  t.equal(quiet.ended, 'acknowledged')

  const faulty = send([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: of('unencodable') }, { jsonrpc: '2.0', id: 2, method: 'ping' }])
  await faulty.over
  t.equal(faulty.ended, 'failed')
})

t.test('what is no request is refused over the channel too', (t) => {
  const { send } = setup()

  t.match(send({ jsonrpc: '2.0', id: 3, method: 7 }), { ended: 'answered', status: 400, answered: { id: 3, error: { code: -32600 } } })
  t.match(send({ jsonrpc: '2.0', id: 4, method: 'nope' }, { header: '2025-11-25' }).answered, { id: 4, error: { code: -32601 } })
  t.end()
})

t.test('SUB-02, SUB-07: a listen stream goes on after the exchange, and a refused one is answered', async (t) => {
  const { modern, bus, pass, registry, mcp } = setup({ maxStreams: 1 })
  const channel = modern('subscriptions/listen', { notifications: { toolsListChanged: true, promptsListChanged: true } }, { id: 9 })
  await channel.over
  t.same(channel.places, { keep: 1, leave: 1, release: 1 }, 'it counts no longer as worked on')
  t.same([channel.isKeptOpen, channel.ended], [true, undefined])

  bus.publish('global', { type: 'list', list: 'tools' })
  await pass(0)
  t.match(channel.messages, [{ params: { notifications: { toolsListChanged: true } } }, { method: 'notifications/tools/list_changed' }])

  const second = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
  await second.over
  t.match([second.ended, second.answered], ['answered', { error: { code: -32603, data: { code: 'too_many_listen_streams' } } }])

  channel.leave()
  t.equal(registry.streams, 0)
  mcp.close()
})

t.test('CANCEL-03: a shutdown stops what runs, and its caller is told', async (t) => {
  const { modern, of, begun, next, running } = setup()
  const channel = modern('tools/call', of('work'))
  await next()
  running.abortAll()
  begun[0]?.fail(begun[0].call.signal.reason as Error)
  await channel.over

  t.match(channel.answered, { result: { isError: true, structuredContent: { code: 'cancelled' } } })
  await running.idle()
})
