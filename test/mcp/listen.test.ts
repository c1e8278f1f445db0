import t from 'tap'
import type { SubscriptionSettings } from '../../src/events/subscription-settings.ts'
import type { McpRequest } from '../../src/protocol/mcp-request.ts'
import type { ResourceDefinition } from '../../src/tools/resource-definition.ts'
import { listenBench } from '../support/listen-bench.ts'
import { mcpBench } from '../support/mcp-bench.ts'
import { mcpRequest, principal } from '../support/mcp-request.ts'
import { recordedStream } from '../support/recorded-stream.ts'

const notes: ResourceDefinition = {
  uriTemplate: 'test://notes/{id}',
  name: 'note',
  title: 'A note',
  description: 'One note.',
  mimeType: 'text/plain',
  read: async () => { throw new Error('nobody reads it') },
  async topicOf ({ id = '' }, { principal }) {
    if (id === 'broken') throw new Error('secret detail')
    return id.startsWith(principal.subject) ? 'global' : undefined
  }
}

function setup (settings: Partial<SubscriptionSettings> = {}) {
  const listening = listenBench({ settings })
  const { log, dispatcher, dispatch, open } = mcpBench({ offer: { resources: [notes], tells: ['tools'] }, listenStreams: listening.registry })
  async function listen (params: object, overrides: Partial<McpRequest> = {}) {
    const stream = recordedStream()
    const rejection = await open(mcpRequest('subscriptions/listen', { ...params }, overrides), stream)
    return { rejection, stream, honoured: stream.messages[0]?.params.notifications }
  }
  return { ...listening, log, dispatcher, dispatch, listen }
}

const withTasks = { clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }

t.test('listening is for modern callers, and opens a stream instead of answering', async (t) => {
  const { dispatcher, dispatch } = setup()
  const modern = mcpRequest('subscriptions/listen', { notifications: {} })
  const legacy = { ...modern, era: 'legacy', version: '2025-11-25' } as const

  t.equal(dispatcher.has('subscriptions/listen', 'modern'), true)
  t.equal(dispatcher.has('subscriptions/listen', 'legacy'), false)
  t.match(await dispatcher.prepare(modern), { kind: 'open' })
  t.match(await dispatcher.prepare(legacy), { kind: 'json' })
  t.match(await dispatch(legacy), { kind: 'rejected', rejection: { status: 200, code: -32601 } })
})

t.test('SUB-02: a list whose changes are not published is left out of what is honoured', async (t) => {
  const { listen } = setup()

  t.strictSame((await listen({ notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } })).honoured, { toolsListChanged: true })
  const { stream, honoured } = await listen({ notifications: { promptsListChanged: true } })
  t.strictSame(honoured, {})
  t.equal(stream.finished, 'ended', 'nothing would ever come on it')
})

t.test('SUB-01: a filter that is missing or malformed is -32602, before anything is sent', async (t) => {
  const { listen } = setup()

  for (const params of [{}, { notifications: [] }, { notifications: { toolsListChanged: 'yes' } }, { notifications: { taskIds: 'all' } }]) {
    const { rejection, stream } = await listen(params, withTasks)
    t.match(rejection, { status: 200, code: -32602 })
    t.same(stream.messages, [])
  }
})

t.test('SUB-10, TASK-16: asking for tasks without declaring the extension is refused; with it they are left out', async (t) => {
  const { listen } = setup()
  const wanted = { notifications: { toolsListChanged: true, taskIds: ['t1'] } }

  for (const clientCapabilities of [{}, { extensions: {} }, { extensions: { 'io.modelcontextprotocol/tasks': true } }]) {
    const { rejection, stream } = await listen(wanted, { clientCapabilities })
    t.match(rejection, { status: 400, code: -32021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } })
    t.same(stream.messages, [])
  }
  t.strictSame((await listen(wanted, withTasks)).honoured, { toolsListChanged: true })
  t.equal((await listen({ notifications: { toolsListChanged: true, taskIds: [] } })).rejection, undefined, 'an empty list asks for nothing')
  t.match((await listen({ notifications: { taskIds: [7] } })).rejection, { code: -32602 }, 'VAL-14 before VAL-16')
})

t.test('SUB-09, D-20: what does not exist and what is somebody else\'s are left out alike', async (t) => {
  const { listen } = setup()
  const wanted = { notifications: { resourceSubscriptions: ['test://notes/ada-1', 'test://notes/bob-1', 'test://notes/', 'nonsense', ''] } }

  t.strictSame((await listen(wanted)).honoured, { resourceSubscriptions: ['test://notes/ada-1'] })
  t.strictSame((await listen(wanted, { principal: principal('bob') })).honoured, { resourceSubscriptions: ['test://notes/bob-1'] })
})

t.test('a resource is found in every spelling that reading takes', async (t) => {
  const { listen, bus, pass } = setup()
  const { stream, honoured } = await listen({ notifications: { resourceSubscriptions: ['test://notes/%61d%61%201'] } })

  bus.publish('global', { type: 'resource', uri: 'test://notes/ada%201' })
  await pass(0)

  t.strictSame(honoured, { resourceSubscriptions: ['test://notes/%61d%61%201'] })
  t.match(stream.messages[1], { params: { uri: 'test://notes/%61d%61%201' } })
})

t.test('SUB-06, HTTP-19: what can fit later is HTTP\'s 429 with the time to wait, and what never can is not', async (t) => {
  const { listen } = setup({ maxUrisPerStream: 2, maxUris: 3, maxStreams: 2 })
  const uris = (count: number) => ({ notifications: { resourceSubscriptions: Array.from({ length: count }, (_, index) => `test://notes/ada-${index}`) } })

  const { rejection: tooLarge } = await listen(uris(3))
  t.match(tooLarge, { status: 200, data: { code: 'listen_filter_too_large', retryable: false, limit: 2, asked: 3 } })
  t.equal(tooLarge?.retryAfterMs ?? tooLarge?.data?.['retryAfterMs'], undefined)
  await listen(uris(2))
  t.match((await listen(uris(2))).rejection, { status: 429, retryAfterMs: 10_000, data: { code: 'too_many_subscriptions', limit: 3, nextAction: String } })
  await listen(uris(1))
  const { rejection, stream } = await listen({ notifications: { toolsListChanged: true } })
  t.match(rejection, { status: 429, code: -32603, data: { code: 'too_many_listen_streams', retryable: true, retryAfterMs: Number } })
  t.same(stream.messages, [])
})

t.test('an id that would make every message long is refused', async (t) => {
  const { listen } = setup()
  const wanted = { notifications: { toolsListChanged: true } }

  t.match((await listen(wanted, { id: 'x'.repeat(257) })).rejection, { code: -32602, message: /256/ })
  t.equal((await listen(wanted, { id: 'x'.repeat(256) })).rejection, undefined)
})

t.test('ERR-11: a fault while the filter is looked at goes to the log and nowhere else', async (t) => {
  const { listen, log, registry } = setup()

  const { rejection, stream } = await listen({ notifications: { resourceSubscriptions: ['test://notes/broken'] } })

  t.match(rejection, { status: 200, code: -32603 })
  t.notMatch(JSON.stringify(rejection), /secret/)
  t.match(log.entries, [{ facts: { err: { message: 'secret detail' }, method: 'subscriptions/listen' } }])
  t.same(stream.messages, [])
  t.equal(registry.streams, 0)
})
