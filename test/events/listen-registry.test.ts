import t from 'tap'
import { principalTopic, type Change } from '../../src/events/event-bus.ts'
import { idle } from '../support/idle.ts'
import { listenBench } from '../support/listen-bench.ts'
import { recordedStream } from '../support/recorded-stream.ts'

const toolsChanged: Change = { type: 'list', list: 'tools' }
const promptsChanged: Change = { type: 'list', list: 'prompts' }
const updated = (uri: string): Change => ({ type: 'resource', uri })
const tag = (id: string | number) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } })

t.test('SUB-02, SUB-03, SUB-05: the acknowledgement comes first, then what changes, each with the id in its own type', async (t) => {
  for (const id of [7, '7', 0, '']) {
    const { open, bus, pass } = listenBench()

    const stream = await open({ id, lists: ['tools'], uris: ['note:a'] })
    bus.publish('global', toolsChanged)
    bus.publish('global', updated('note:a'))
    await pass(0)

    t.strictSame(stream.messages, [
      { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['note:a'] }, ...tag(id) } },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: tag(id) },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note:a', ...tag(id) } }
    ])
  }
})

t.test('SUB-04: a stream hears of nothing that it did not ask for', async (t) => {
  const { open, bus, pass } = listenBench()
  const stream = await open({ lists: ['tools'], uris: ['note:a'] })

  bus.publish('global', promptsChanged)
  bus.publish('global', updated('note:b'))
  await pass(1_000)

  t.equal(stream.messages.length, 1)
})

t.test('what concerns one principal reaches the streams of that one alone', async (t) => {
  const { open, bus, pass } = listenBench({ find: async (uri, subject) => ({ uri, topic: principalTopic(`test\0${subject}`) }) })
  const ada = await open({ subject: 'ada', lists: ['tools'], uris: ['screen:1'] })
  const bob = await open({ subject: 'bob', lists: ['tools'], uris: ['screen:1'] })

  bus.publish(principalTopic('test\0ada'), toolsChanged)
  bus.publish(principalTopic('test\0ada'), updated('screen:1'))
  bus.publish('global', updated('screen:1'))
  await pass(0)

  t.match(ada.messages.slice(1), [{ method: 'notifications/tools/list_changed' }, { method: 'notifications/resources/updated' }])
  t.equal(bob.messages.length, 1)
})

t.test('a resource is told of under the URI that the stream asked for', async (t) => {
  const { open, bus, pass } = listenBench({ find: async (uri) => ({ uri: decodeURIComponent(uri), topic: 'device:a' }) })
  const stream = await open({ uris: ['devices:%61'] })

  bus.publish('device:a', updated('devices:a'))
  await pass(0)

  t.match(stream.messages, [{ params: { notifications: { resourceSubscriptions: ['devices:%61'] } } }, { params: { uri: 'devices:%61' } }])
})

t.test('SUB-11: the first of a burst is told at once, the rest together after 250 ms, for each type and URI alone', async (t) => {
  const { open, bus, pass } = listenBench()
  const stream = await open({ lists: ['tools', 'prompts'], uris: ['note:a'] })
  const told = (): number => stream.messages.length - 1

  for (let count = 0; count < 5; count++) bus.publish('global', toolsChanged)
  await pass(0)
  t.equal(told(), 1)
  bus.publish('global', toolsChanged)
  bus.publish('global', promptsChanged)
  bus.publish('global', updated('note:a'))
  await pass(249)
  t.equal(told(), 3, 'prompts and the note do not wait for the tools')
  await pass(1)
  t.equal(told(), 4)
  t.match(stream.messages.at(-1), { method: 'notifications/tools/list_changed' })

  await pass(249)
  bus.publish('global', toolsChanged)
  t.equal(told(), 4)
  await pass(1)
  t.equal(told(), 5, '250 ms lie between any two')
  await pass(1_000)
  t.equal(told(), 5)
})

t.test('changes of one list for everybody and for one principal are one burst', async (t) => {
  const { open, bus, pass } = listenBench()
  const ada = await open({ subject: 'ada', lists: ['tools'] })
  const bob = await open({ subject: 'bob', lists: ['tools'] })

  bus.publish('global', toolsChanged)
  await pass(0)
  bus.publish(principalTopic('test\0ada'), toolsChanged)
  await pass(0)
  t.equal(ada.messages.length, 2)
  await pass(250)

  t.equal(ada.messages.length, 3)
  t.equal(bob.messages.length, 2)
})

t.test('SUB-05: a stream hears only of what changes while it is open', async (t) => {
  const { open, bus, pass } = listenBench()
  const early = await open({ id: 'early', lists: ['tools'] })
  bus.publish('global', toolsChanged)
  bus.publish('global', toolsChanged)
  const late = await open({ id: 'late', lists: ['tools'] })
  await pass(250)

  t.equal(early.messages.length, 2)
  t.equal(late.messages.length, 1)
  bus.publish('global', toolsChanged)
  await pass(250)
  t.equal(late.messages.length, 2)
})

t.test('SUB-06: streams of one caller are independent', async (t) => {
  const { open, bus, pass, registry } = listenBench()
  const first = await open({ id: 1, lists: ['tools'] })
  const second = await open({ id: 1, lists: ['tools'] })
  first.vanish()

  bus.publish('global', toolsChanged)
  await pass(0)

  t.equal(first.messages.length, 1)
  t.equal(second.messages.length, 2)
  t.equal(registry.streams, 1)
})

t.test('SUB-06: over the cap of the principal or of the process a stream is refused before anything is sent', async (t) => {
  const { open, registry } = listenBench({ settings: { maxStreams: 3, maxStreamsPerPrincipal: 2 } })
  await open({ subject: 'ada', lists: ['tools'] })
  const second = await open({ subject: 'ada', lists: ['tools'] })
  const refused = recordedStream()

  await t.rejects(open({ subject: 'ada', lists: ['tools'], output: refused }), { code: 'too_many_listen_streams', retryable: true, details: { limit: 2 } })
  await open({ subject: 'bob', lists: ['tools'] })
  await t.rejects(open({ subject: 'eve', lists: ['tools'], output: refused }), { code: 'too_many_listen_streams', details: { limit: 3 } })
  t.same(refused.messages, [])
  t.equal(registry.streams, 3)

  second.vanish()
  await open({ subject: 'ada', lists: ['tools'] })
  t.equal(registry.streams, 3, 'a stream that closes makes room')
})

t.test('256 URIs fit one stream and 4,096 all of them; more are refused before anything is looked up or sent, with one warning', async (t) => {
  let lookups = 0
  const { open, registry, lines } = listenBench({ find: async (uri) => { lookups++; return { uri, topic: 'global' } } })
  const uris = (count: number): string[] => Array.from({ length: count }, (_, index) => `note:${index}`)
  const refused = recordedStream()

  await t.rejects(open({ uris: uris(257), output: refused }), { code: 'listen_filter_too_large', retryable: false, details: { limit: 256, asked: 257 } })
  t.equal(lookups, 0)
  const streams = await Promise.all(Array.from({ length: 16 }, () => open({ uris: uris(256) })))
  t.equal(registry.uris, 4_096)
  await t.rejects(open({ uris: ['note:1'], output: refused }), { code: 'too_many_subscriptions', retryable: true, retryAfterMs: Number })
  await open({ lists: ['tools'] })

  t.same(refused.messages, [])
  t.equal(lines.length, 1)
  t.match(lines, [/more resources than there is room for/])
  streams[0]?.vanish()
  t.equal(registry.uris, 3_840)
  await open({ uris: ['note:1'] })
  t.equal(registry.uris, 3_841)
})

t.test('URIs that are not honoured take no room', async (t) => {
  const { open, registry } = listenBench({ settings: { maxUris: 1 }, find: async (uri) => uri === 'note:a' ? { uri, topic: 'global' } : undefined })

  const stream = await open({ uris: ['note:a', 'note:b', 'note:c'] })

  t.match(stream.messages, [{ params: { notifications: { resourceSubscriptions: ['note:a'] } } }])
  t.equal(registry.uris, 1)
})

t.test('more URIs than all streams may have together are not said to fit later', async (t) => {
  const { open } = listenBench({ settings: { maxUris: 1 }, find: async (uri) => ({ uri, topic: 'global' }) })
  await t.rejects(open({ uris: ['note:a', 'note:b'] }), { code: 'listen_filter_too_large', retryable: false, details: { limit: 1, asked: 2 } })
})

t.test('SUB-08: a filter of which nothing is honoured is acknowledged, and its stream ends at once', async (t) => {
  const { open, registry } = listenBench({ find: async () => undefined })

  const stream = await open({ id: 'x', uris: ['note:a'] })

  t.strictSame(stream.messages, [
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: {}, ...tag('x') } },
    { jsonrpc: '2.0', id: 'x', result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 'x', 'io.modelcontextprotocol/serverInfo': { name: 'mooring', version: '1' } } } }
  ])
  t.equal(stream.finished, 'ended')
  t.equal(registry.streams, 0)
})

t.test('a reader that leaves too much lying is cut off, the others hear on', async (t) => {
  const { open, bus, pass, registry, lines, time } = listenBench({ settings: { maxQueuedBytes: 2_000 } })
  const slow = await open({ lists: ['tools'], uris: ['note:a'] })
  const good = await open({ lists: ['tools'] })

  slow.queuedBytes = 2_000
  bus.publish('global', toolsChanged)
  await pass(0)
  t.equal(slow.finished, undefined, 'as much as may wait')
  slow.queuedBytes = 2_001
  bus.publish('global', toolsChanged)
  await pass(250)
  t.equal(slow.finished, undefined, 'what was sent just now may still leave')
  await idle()

  t.equal(slow.finished, 'dropped')
  t.match(lines, [/does not read/])
  bus.publish('global', toolsChanged)
  await pass(250)
  t.equal(good.messages.length, 4)
  t.equal(registry.streams, 1)
  t.equal(registry.uris, 0)
  good.vanish()
  t.equal(time.timers(), 0)
})

t.test('a reader that takes a burst in time is not slow, however long the burst', async (t) => {
  const { open, bus, pass } = listenBench({ settings: { maxQueuedBytes: 2_000 } })
  const stream = await open({ lists: ['tools'] })

  for (let round = 0; round < 3; round++) {
    stream.queuedBytes = 10_000
    bus.publish('global', toolsChanged)
    await pass(250)
    stream.queuedBytes = 0
    await idle()
  }

  t.equal(stream.finished, undefined)
  t.equal(stream.messages.length, 4)
  stream.queuedBytes = 10_000
  bus.publish('global', toolsChanged)
  await pass(250)
  await idle()
  t.equal(stream.finished, 'dropped', 'and it can be slow later')
})

t.test('a suspect that leaves before the look is only forgotten', async (t) => {
  const { open, bus, pass, registry, lines } = listenBench({ settings: { maxQueuedBytes: 2_000 } })
  const stream = await open({ lists: ['tools'] })
  stream.queuedBytes = 2_001
  bus.publish('global', toolsChanged)
  await pass(0)

  stream.vanish()
  await idle()

  t.equal(stream.finished, undefined)
  t.same(lines, [])
  t.equal(registry.streams, 0)
})

t.test('a change that is about to be told when the last stream leaves is forgotten, and the next one is told at once', async (t) => {
  const { open, bus, pass, time } = listenBench()
  const first = await open({ lists: ['tools'] })
  bus.publish('global', toolsChanged)
  first.vanish()
  const second = await open({ lists: ['tools'] })
  await pass(0)

  t.equal(time.timers(), 0)
  t.equal(second.messages.length, 1)
  bus.publish('global', toolsChanged)
  await pass(0)
  t.equal(second.messages.length, 2)
  await pass(250)
  bus.publish('global', toolsChanged)
  await pass(0)
  t.equal(second.messages.length, 3)
})

t.test('a stream whose client leaves while its filter is looked at is never kept', async (t) => {
  const output = recordedStream()
  const { open, registry } = listenBench({ find: async (uri) => { output.vanish(); return { uri, topic: 'global' } } })

  await open({ uris: ['note:a'], output })

  t.same(output.messages, [])
  t.equal(registry.streams, 0)
})

t.test('thousands of streams are told in slices, so that others have their turns in between', async (t) => {
  const { open, bus, pass } = listenBench({ itemsPerSlice: 10, settings: { maxStreamsPerPrincipal: 100 } })
  const streams = await Promise.all(Array.from({ length: 25 }, () => open({ lists: ['tools'] })))
  const told = (): number => streams.filter(({ messages }) => messages.length > 1).length

  bus.publish('global', toolsChanged)
  t.equal(told(), 0, 'who publishes waits for nobody')
  await pass(0)
  t.equal(told(), 10)
  streams[24]?.vanish()
  bus.publish('global', toolsChanged)
  await pass(1_000)
  t.equal(told(), 20)
  await pass(0)
  t.equal(told(), 24, 'nobody is told again before everybody has been')
  t.ok(streams.every(({ messages }) => messages.length <= 2))

  await pass(250)
  await idle()
  await idle()
  t.equal(streams.filter(({ messages }) => messages.length === 3).length, 24)
})

t.test('SUB-07: at the end every stream gets the result of its request and closes; a later one at once', async (t) => {
  const { open, registry, bus, time, topics, pass } = listenBench()
  const streams = [await open({ id: 1, lists: ['tools'] }), await open({ id: 'b', uris: ['note:a'] })]
  bus.publish('global', toolsChanged)
  await pass(0)

  await registry.end()
  const late = await open({ id: 'late', lists: ['tools'] })
  bus.publish('global', toolsChanged)
  await pass(1_000)

  for (const [stream, id] of [[streams[0], 1], [streams[1], 'b'], [late, 'late']] as const) {
    t.equal(stream?.finished, 'ended')
    t.match(stream?.messages.at(-1), { id, result: { resultType: 'complete', ...tag(id) } })
    t.match(stream?.messages[0], { method: 'notifications/subscriptions/acknowledged', params: tag(id) })
  }
  t.equal(registry.streams, 0)
  t.equal(time.timers(), 0)
  t.same(topics(), [])
})

t.test('when the last stream is gone, so is everything that was kept for streams', async (t) => {
  const { open, registry, bus, time, topics, pass } = listenBench({ find: async (uri) => ({ uri, topic: `device:${uri}` }) })
  const streams = await Promise.all(['ada', 'bob', 'ada'].map((subject, index) => open({ subject, lists: ['tools'], uris: [`note:${index}`, 'note:all'] })))
  t.same(topics(), ['device:note:0', 'device:note:1', 'device:note:2', 'device:note:all', 'global', principalTopic('test\0ada'), principalTopic('test\0bob')].sort())
  bus.publish('global', toolsChanged)
  bus.publish('device:note:all', updated('note:all'))
  await pass(0)
  bus.publish('global', toolsChanged)
  t.equal(time.timers(), 2)

  for (const stream of streams) stream.vanish()

  t.equal(registry.streams, 0)
  t.equal(registry.uris, 0)
  t.same(topics(), [])
  t.equal(time.timers(), 0)
})
