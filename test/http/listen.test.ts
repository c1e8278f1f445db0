import { once } from 'node:events'
import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { RequestId } from '../../src/protocol/rejection.ts'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp, type TestAppOptions, type TestedApp } from '../support/start-test-app.ts'
import { openStream, type StreamClient, type StreamRequest } from '../support/stream-client.ts'
import { toldLists } from '../support/told-lists.ts'

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const devicesOnly = { resourceSubscriptions: ['mooring://devices'] }

async function setup (t: Test, options: TestAppOptions = {}) {
  const test = await startTestApp(t, { offer: toldLists, ...options })
  const address = { port: test.port, token: await test.token() }
  const open = (request: Omit<StreamRequest, 'port' | 'token'>): Promise<StreamClient> => openStream(t, { ...address, ...request })
  return {
    ...test,
    wire: mcpWire(address),
    address,
    listen: ({ id = 'l', notifications = { toolsListChanged: true } }: { readonly id?: RequestId, readonly notifications?: unknown } = {}) =>
      open({ id, method: 'subscriptions/listen', params: { notifications } }),
    /** A call that reports once and then waits for something that never comes. */
    wait: (lease: unknown) => open({
      method: 'tools/call',
      params: { name: 'waitFor', arguments: { lease, for: { text: 'never there' }, timeoutMs: 60_000 }, _meta: { progressToken: 'p' } }
    })
  }
}

/** The ids of all devices, and a filter that asks for each of them. */
async function allDevices (app: TestedApp) {
  const ids = (await app.leases.devices()).map(({ description }) => description.id)
  return { ids, notifications: { resourceSubscriptions: ids.map((id) => `mooring://devices/${id}`) } }
}

function publishAll (app: TestedApp, ids: readonly string[]): void {
  for (const id of ids) app.bus.publish(`device:${id}`, { type: 'resource', uri: `mooring://devices/${id}` })
}

t.test('SUB-01, SUB-02, HTTP-13, HTTP-14: the answer is a stream that begins with what is honoured', async (t) => {
  const { listen } = await setup(t)

  const stream = await listen({
    notifications: { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['mooring://devices/virtual-ios-1', 'mooring://devices/none', 'mooring://leases/ls_none/screen'] }
  })

  t.equal(stream.status, 200)
  t.match(stream.headers, { 'content-type': /^text\/event-stream/, 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
  t.strictSame(await stream.next(), {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['mooring://devices/virtual-ios-1'] },
      _meta: { [subscriptionId]: 'l' }
    }
  })
  t.match(stream.text(), /^data: \{[^\n]*\}\n\n$/, 'nothing before it, and one line a message')
})

t.test('SUB-03, D-16: every message carries the id of the request, a number as a number and a string as a string', async (t) => {
  const { listen, app } = await setup(t)

  for (const id of [7, '7']) {
    const stream = await listen({ id })
    t.strictSame((await stream.next()).params._meta, { [subscriptionId]: id })
    app.bus.publish('global', { type: 'list', list: 'tools' })
    t.strictSame((await stream.next()).params._meta, { [subscriptionId]: id })
  }
})

t.test('SUB-05: leases, devices and screens are told as they change', async (t) => {
  const { listen, wire } = await setup(t)
  const pool = await listen({ id: 'pool', notifications: { resourceSubscriptions: ['mooring://devices', 'mooring://devices/virtual-android-1'] } })
  await pool.next()
  const uris = async (stream: StreamClient, count: number): Promise<string[]> => {
    const told = []
    for (let seen = 0; seen < count; seen++) told.push((await stream.next()).params.uri)
    return told
  }

  const { structuredContent: { lease } } = await wire.call('acquireDevice', { platform: 'android' })
  t.same(await uris(pool, 2), ['mooring://devices', 'mooring://devices/virtual-android-1'])

  const screen = [`mooring://leases/${lease}/screen`, `mooring://leases/${lease}/screenshot`]
  const phone = await listen({ id: 'phone', notifications: { resourceSubscriptions: screen } })
  t.same((await phone.next()).params.notifications, { resourceSubscriptions: screen })
  await wire.call('launchApp', { lease, app: 'com.example.shop' })
  t.same(await uris(phone, 2), screen)
  await wire.call('releaseDevice', { lease })
  t.same(await uris(phone, 2), screen, 'the end of the lease is the end of its screen')
  t.match((await wire.modern('resources/read', { uri: screen[0] })).json(), { error: { code: -32602 } })
  t.equal((await uris(pool, 2)).length, 2)
})

t.test('SUB-04: progress and log messages of a call never come on a listen stream', async (t) => {
  const { listen, wire, app } = await setup(t)
  const stream = await listen({ notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } })
  await stream.next()
  const { structuredContent: { lease } } = await wire.call('acquireDevice')

  await wire.modern('tools/call', {
    name: 'waitFor',
    arguments: { lease, for: { text: 'never there' }, timeoutMs: 100 },
    _meta: { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
  })
  app.bus.publish('global', { type: 'list', list: 'prompts' })

  t.match(await stream.next(), { method: 'notifications/prompts/list_changed' })
})

t.test('refusals come as JSON with their status, before any stream', async (t) => {
  const { listen, log } = await setup(t, { flags: ['--subscriptions-max-uris-per-stream', '1', '--subscriptions-max-streams', '1'] })
  const body = async (stream: StreamClient): Promise<any> => {
    await stream.rest()
    t.match(stream.headers['content-type'], /^application\/json/)
    return JSON.parse(stream.text())
  }

  const malformed = await listen({ id: 3, notifications: 'all' })
  t.equal(malformed.status, 200)
  t.match(await body(malformed), { id: 3, error: { code: -32602 } })

  const tasks = await listen({ notifications: { taskIds: ['t'] } })
  t.equal(tasks.status, 400)
  t.match(await body(tasks), { id: 'l', error: { code: -32021, data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } } } })

  for (let time = 0; time < 2; time++) {
    const large = await listen({ notifications: { resourceSubscriptions: ['mooring://devices', 'mooring://devices/virtual-ios-1'] } })
    t.equal(large.status, 200)
    t.equal(large.headers['retry-after'], undefined)
    t.match(await body(large), { id: 'l', error: { data: { code: 'listen_filter_too_large', retryable: false, nextAction: String } } })
  }
  t.equal(log().split('more resources than there is room for').length, 2, 'one warning for the process')

  await listen()
  const second = await listen()
  t.equal(second.status, 429)
  t.equal(second.headers['retry-after'], '10')
  t.match(await body(second), { id: 'l', error: { data: { code: 'too_many_listen_streams' } } })
})

t.test('SUB-08: a filter of which nothing is honoured is acknowledged, and the stream ends', async (t) => {
  const { listen, app } = await setup(t)

  const stream = await listen({ id: 1, notifications: {} })

  t.match(await stream.rest(), [
    { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
    { id: 1, result: { resultType: 'complete', _meta: { [subscriptionId]: 1 } } }
  ])
  t.equal(app.listenStreams.streams, 0)
})

t.test('HTTP-14: one timer shows life on every stream, of listeners and of calls, every 15 s', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { listen, wait, wire, app } = await setup(t, { clock, scheduler })
  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const call = await wait(lease)
  const streams = [await listen({ id: 1 }), await listen({ id: 2 }), call]
  for (const stream of streams) await stream.next()
  advance(14_999)
  await idle()
  t.notMatch(streams.map((stream) => stream.text()).join(), /keep-alive/)

  advance(1)
  for (const stream of streams) await stream.saw(/\n\n: keep-alive\n\n$/)

  app.bus.publish('global', { type: 'list', list: 'tools' })
  t.match(await streams[0]?.next(), { method: 'notifications/tools/list_changed' }, 'a comment is no message')
})

t.test('CANCEL-03: a listen stream outlives the time limit of calls', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { listen, app } = await setup(t, { clock, scheduler, flags: ['--call-limit-ms', '1000'] })
  const stream = await listen()
  await stream.next()

  advance(3_600_000)
  app.bus.publish('global', { type: 'list', list: 'tools' })

  t.match(await stream.next(), { method: 'notifications/tools/list_changed' })
})

t.test('open streams take no place of a request that is worked on', async (t) => {
  const { listen, wire, app, port, address } = await setup(t, { flags: ['--max-requests-in-flight', '1'] })
  for (let count = 0; count < 5; count++) await (await listen()).next()

  t.equal((await wire.modern('tools/list')).status, 200)
  t.equal(app.admission.inFlight, 0)
  const status = await (await fetch(`http://127.0.0.1:${port}/status`, { headers: { authorization: `Bearer ${address.token}` } })).json()
  t.match(status, { requestsInFlight: 1, subscriptions: { streams: 5, uris: 0 } })
})

t.test('HTTP-17, SUB-07: a client that vanishes is forgotten at once, a second stream of it stays', async (t) => {
  const { listen, app } = await setup(t)
  const connected = once(app.server, 'connection')
  const leaver = await listen({ notifications: devicesOnly })
  const [connection] = await connected as [Socket]
  const stays = await listen({ notifications: devicesOnly })
  await Promise.all([leaver.next(), stays.next()])
  t.equal(app.listenStreams.uris, 2)

  leaver.close()

  await once(connection, 'close')
  t.equal(app.listenStreams.streams, 1)
  t.equal(app.listenStreams.uris, 1)
  app.bus.publish('global', { type: 'resource', uri: 'mooring://devices' })
  t.match(await stays.next(), { params: { uri: 'mooring://devices' } })
})

t.test('SUB-07, D-17: a server that shuts down ends every stream with its result at once, whatever calls are still running', async (t) => {
  const { listen, wait, wire, app } = await setup(t, { flags: ['--shutdown-ms', '10000'] })
  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const call = await wait(lease)
  const streams = await Promise.all(Array.from({ length: 50 }, (_, index) => listen({ id: index })))
  for (const stream of streams) await stream.next()

  const closing = app.close()

  for (const [id, stream] of streams.entries()) {
    t.match(await stream.rest(), [{ id, result: { resultType: 'complete', _meta: { [subscriptionId]: id } } }])
  }
  t.equal(app.admission.inFlight, 1, 'the call has its time')
  call.close()
  await closing
})

t.test('a shutdown waits for no stream, not even for one that nobody reads', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { listen, app } = await setup(t, {
    clock, scheduler, flags: ['--devices-virtual-android', '60', '--subscriptions-max-queued-bytes', '16777216', '--shutdown-ms', '10000']
  })
  const { ids, notifications } = await allDevices(app)
  const connected = once(app.server, 'connection')
  const slow = await listen({ id: 'x'.repeat(256), notifications })
  const [connection] = await connected as [Socket]
  slow.pause()
  // The operating systems in between take some megabytes before anything waits here.
  while (connection.writableLength < 1_000) {
    publishAll(app, ids)
    advance(250)
    await idle()
  }

  await app.close()

  t.equal(app.listenStreams.streams, 0)
})

t.test('a stream that opens while the server drains is acknowledged and ended', async (t) => {
  const { listen, app } = await setup(t)

  await app.listenStreams.end()
  const stream = await listen({ id: 1 })

  t.match(await stream.rest(), [{ params: { notifications: { toolsListChanged: true } } }, { id: 1, result: { resultType: 'complete' } }])
})

t.test('a client that does not read its stream is cut off, others hear on', async (t) => {
  const { clock, scheduler, advance } = manualTime(Date.UTC(2026, 0, 1))
  const { listen, app, log } = await setup(t, {
    clock, scheduler, flags: ['--devices-virtual-android', '60', '--subscriptions-max-queued-bytes', '2000']
  })
  const { ids, notifications } = await allDevices(app)
  const slow = await listen({ id: 'x'.repeat(256), notifications })
  slow.pause()
  const good = await listen({ id: 'good' })
  await good.next()
  t.equal(app.listenStreams.streams, 2)

  while (app.listenStreams.streams > 1) {
    publishAll(app, ids)
    advance(250)
    await idle()
  }

  t.equal(app.listenStreams.streams, 1)
  t.match(log(), /does not read/)
  app.bus.publish('global', { type: 'list', list: 'tools' })
  t.match(await good.next(), { method: 'notifications/tools/list_changed' })
})

t.test('a client that reads takes any burst', async (t) => {
  const { listen, app } = await setup(t, { flags: ['--devices-virtual-android', '60', '--subscriptions-max-queued-bytes', '1024'] })
  const { ids, notifications } = await allDevices(app)
  const stream = await listen({ id: 'x'.repeat(256), notifications })
  await stream.next()

  publishAll(app, ids)

  for (const id of ids) t.match(await stream.next(), { params: { uri: `mooring://devices/${id}` } })
  t.equal(app.listenStreams.streams, 1)
})

t.test('LEGACY-05: old clients have no such method and are promised nothing', async (t) => {
  const { wire } = await setup(t)

  t.match((await wire.legacy('subscriptions/listen', { notifications: {} })).json(), { error: { code: -32601 } })
  t.strictSame((await wire.legacy('resources/subscribe', { uri: 'mooring://devices' })).json().result, {})
  t.match((await wire.legacy('resources/subscribe', { uri: 'mooring://nothing' })).json(), { error: { code: -32002 } })
})
