/** @alone It looks for what is loaded. */
import { createRequire } from 'node:module'
import { Agent, request } from 'node:http'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { traceLogFields } from '../../src/runtime/request-scope.ts'
import { systemScheduler, type Scheduler } from '../../src/runtime/scheduler.ts'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { openStream } from '../support/stream-client.ts'
import { startToolApp } from '../support/start-tool-app.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`
const numbered = (index: number): string => String(index).padStart(32, 'a')
const parentOf = (trace: string): string => `00-${trace}-b7ad6b7169203331-01`

async function setup (t: Test, flags: readonly string[] = [], parts: { readonly scheduler?: Scheduler } = {}) {
  const test = await startTestApp(t, { ...parts, flags: ['--log-level', 'debug', ...flags] })
  const wire = mcpWire({ port: test.port, token: await test.token() })

  /** The lines of this log from now on; the line of a request is written a moment after its answer. */
  async function linesOf (work: () => Promise<unknown>, requests: number): Promise<any[]> {
    const before = test.log().length
    await work()
    const isEnd = ({ msg }: { msg: string }): boolean => /^request (answered|refused)$/.test(msg)
    for (;;) {
      const lines = test.log().slice(before).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
      if (lines.filter(isEnd).length >= requests) return lines
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return { ...test, wire, linesOf }
}

function loadedOfOpenTelemetry (): readonly string[] {
  return Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('@opentelemetry'))
}

/** With a collector that reads JSON. What it got is complete once the app has closed. */
async function setupObserved (t: Test) {
  const receiver = await startOtlpReceiver(t)
  return { receiver, ...await setup(t, ['--telemetry-endpoint', receiver.endpoint, '--telemetry-protocol', 'http/json']) }
}

t.test('TRACE-01: every log line of a traced request names its trace, those of the leases included', async (t) => {
  const { wire, linesOf } = await setup(t)

  const lines = await linesOf(async () => {
    const { structuredContent: { lease } } = (await wire.modern('tools/call', { name: 'acquireDevice', _meta: { traceparent } })).json().result
    await wire.modern('tools/call', { name: 'releaseDevice', arguments: { lease }, _meta: { traceparent } })
  }, 2)

  t.same(lines.map(({ msg }) => msg), ['lease granted', 'tool called', 'request answered', 'lease ended', 'tool called', 'request answered'])
  // Without a collector no span is made here, and the code runs in the caller's.
  for (const line of lines) t.match(line, { trace_id: traceId, span_id: spanId })
})

t.test('a request without a trace has none in its log lines, also behind a traced one on the same connection', async (t) => {
  const { port, token, linesOf } = await setup(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${await token()}` }
  const call = async (name: string, meta: object): Promise<void> => await new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }, (incoming) => incoming.resume().on('end', resolve))
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: meta } }))
  })

  const lines = await linesOf(async () => {
    await call('acquireDevice', { traceparent })
    await call('acquireDevice', {})
  }, 2)

  t.same(lines.map(({ msg }) => msg), ['lease granted', 'tool called', 'request answered', 'lease granted', 'tool called', 'request answered'])
  t.same(lines.map(({ trace_id: trace }) => trace), [traceId, traceId, traceId, undefined, undefined, undefined])
})

t.test('traced requests that run beside each other never mix', async (t) => {
  const { wire, linesOf } = await setup(t, ['--devices-virtual-android', '8'])
  const round = async (index: number): Promise<string> => {
    const meta = { traceparent: parentOf(numbered(index)) }
    const { structuredContent: { lease } } = (await wire.modern('tools/call', { name: 'acquireDevice', arguments: {}, _meta: meta })).json().result
    await wire.modern('tools/call', { name: 'observe', arguments: { lease }, _meta: meta })
    await wire.modern('tools/call', { name: 'releaseDevice', arguments: { lease }, _meta: meta })
    return lease.slice(0, 6)
  }

  let handles: string[] = []
  const lines = await linesOf(async () => { handles = await Promise.all(Array.from({ length: 8 }, async (_, index) => await round(index))) }, 24)

  for (const [index, handle] of handles.entries()) {
    const own = lines.filter(({ lease }) => lease === handle)
    t.same(own.map(({ msg, trace_id: trace }) => [msg, trace]), [['lease granted', numbered(index)], ['lease ended', numbered(index)]])
    t.equal(lines.filter(({ msg, trace_id: trace }) => msg === 'request answered' && trace === numbered(index)).length, 3)
  }
})

t.test('what is taken back because nobody heard of it belongs to the trace of its request', async (t) => {
  let takenBack: (fields: object) => void = () => {}
  const fields = new Promise<object>((resolve) => { takenBack = resolve })
  const { port, token } = await startToolApp(t, [defineTool({
    name: 'large',
    title: 'Large',
    description: 'Answers with more than a connection takes at once',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async () => ({
      content: [{ type: 'text', text: 'x'.repeat(50_000_000) }],
      structuredContent: {},
      undo: async () => takenBack(traceLogFields())
    })
  })])
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}` }
  const outgoing = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent: false }, () => outgoing.destroy())
  outgoing.on('error', () => {})

  outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large', _meta: { traceparent } } }))

  t.same(await fields, { trace_id: traceId, span_id: spanId })
})

t.test('a refused request belongs to its trace too, wherever on its way it is refused', async (t) => {
  const { port, wire, linesOf } = await setup(t)
  const meta = { traceparent }
  const refused: Array<[string, () => Promise<unknown>]> = [
    ['token', async () => await exchange({ port, headers: { traceparent } })],
    ['method', async () => await exchange({ port, method: 'GET', headers: { traceparent, authorization: 'Bearer x' } })],
    ['JSON', async () => await wire.post('{', { traceparent })],
    ['shape', async () => await wire.post(JSON.stringify({ id: 1, params: { _meta: meta } }))],
    ['envelope', async () => await wire.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }), { 'mcp-protocol-version': '2026-07-28' })],
    ['header', async () => await wire.modern('tools/list', { _meta: meta }, { 'mcp-method': 'wrong' })]
  ]
  for (const [what, send] of refused) {
    const lines = await linesOf(send, 1)
    t.match(lines, [{ msg: 'request refused', trace_id: traceId, span_id: spanId }], what)
    t.equal(lines.length, 1)
  }
  t.match(await linesOf(async () => await wire.modern('tools/list', { _meta: meta }, { 'mcp-method': 'wrong' }), 1), [{ rule: 'HDR-02' }])
})

t.test('notifications, batches and plain HTTP carry a trace as well', async (t) => {
  const { port, token, wire, linesOf } = await setup(t)
  const traces = async (send: () => Promise<unknown>): Promise<Array<string | undefined>> => (await linesOf(send, 1)).map(({ trace_id: trace }) => trace)

  t.same(await traces(async () => await wire.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized', params: { _meta: { traceparent } } }))), [traceId])
  t.same(await traces(async () => await wire.post(JSON.stringify([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { traceparent } } },
    { jsonrpc: '2.0', id: 2, method: 'ping', params: { _meta: { traceparent: parentOf(numbered(1)) } } }
  ]))), [traceId])
  t.same(await traces(async () => await exchange({ port, method: 'GET', path: '/livez', headers: { traceparent, authorization: `Bearer ${await token()}` } })), [traceId])
})

t.test('LEGACY-15, TRACE-03: a malformed trace is no error in either era, and no trace', async (t) => {
  const { wire, linesOf } = await setup(t)
  for (const bad of ['x', 7, `01${traceparent.slice(2)}`]) {
    const lines = await linesOf(async () => {
      t.equal((await wire.modern('tools/list', { _meta: { traceparent: bad, baggage: '=' } })).status, 200)
      t.equal((await wire.legacy('tools/list', { _meta: { traceparent: bad, tracestate: 1 } })).status, 200)
    }, 2)
    for (const line of lines) t.notOk('trace_id' in line)
  }
})

t.test('without an endpoint nothing of OpenTelemetry is even loaded', async (t) => {
  const { wire } = await setup(t)
  await wire.modern('tools/list', { _meta: { traceparent } })

  t.same(loadedOfOpenTelemetry(), [])
})

t.test('with an endpoint a traced request becomes a span in its trace, and its duration is counted', async (t) => {
  const { app, port, wire, receiver } = await setupObserved(t)

  const { structuredContent: { lease, device } } = (await wire.modern('tools/call', {
    name: 'acquireDevice', arguments: {}, _meta: { traceparent, tracestate: 'vendor=opaque', baggage: 'user=ada' }
  }, { traceparent: parentOf('c'.repeat(32)) })).json().result
  await app.close()

  t.ok(loadedOfOpenTelemetry().length > 0)
  const [span, ...others] = receiver.spans()
  t.same(others, [])
  t.match(span, {
    name: 'tools/call acquireDevice',
    kind: 2,
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    status: {},
    links: [{ traceId: 'c'.repeat(32), spanId: 'b7ad6b7169203331' }]
  })
  t.match(span.attributes, {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'acquireDevice',
    'gen_ai.operation.name': 'execute_tool',
    'mcp.protocol.version': '2026-07-28',
    'jsonrpc.request.id': '1',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'network.protocol.version': '1.1',
    'server.address': '127.0.0.1',
    'server.port': port,
    'client.address': '127.0.0.1',
    'client.port': Number,
    'mooring.era.downstream': 'modern',
    'mooring.principal.hash': /^[0-9a-f]{16}$/,
    'mooring.device.id': device.id
  })
  t.equal(Object.keys(span.attributes).length, 15)
  t.match(receiver.dataPoints(), [{
    name: 'mcp.server.operation.duration',
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'acquireDevice' },
    count: 1,
    explicitBounds: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
  }])
  t.match(JSON.parse(receiver.posts[0]?.body ?? '').resourceSpans[0].resource.attributes, [
    { key: 'service.name', value: { stringValue: 'mooring' } }, { key: 'service.version' }, { key: 'service.instance.id' }
  ])
  t.notMatch(receiver.posts.map(({ body }) => body).join(), new RegExp(`${lease}|vendor|opaque|baggage|user=ada`))
})

t.test('a refusal of a tool, an error and a refusal on the way are failed spans', async (t) => {
  const { app, wire, receiver } = await setupObserved(t)

  await wire.modern('tools/call', { name: 'observe', arguments: { lease: 'ls_nobody' } })
  await wire.modern('tools/call', { name: 'private-name' })
  await wire.modern('tools/list', {}, { 'mcp-method': 'wrong' })
  await wire.modern('private/method')
  await wire.legacy('resources/read', { uri: 'mooring://nope?token=private' })
  await app.close()

  t.match(receiver.spans().map(({ name, status, attributes }) => ({ name, status, attributes })), [
    { name: 'tools/call observe', status: { code: 2 }, attributes: { 'error.type': 'tool_error', 'mooring.refusal.code': 'lease_unknown' } },
    { name: 'tools/call', status: { code: 2 }, attributes: { 'error.type': '-32602', 'rpc.response.status_code': '-32602' } },
    { name: 'tools/list', status: { code: 2 }, attributes: { 'error.type': '-32020', 'rpc.response.status_code': '-32020' } },
    { name: '_OTHER', status: { code: 2 }, attributes: { 'error.type': '-32601' } },
    { name: 'resources/read', status: { code: 2 }, attributes: { 'error.type': '-32002', 'mcp.resource.uri': 'mooring://nope', 'mooring.era.downstream': 'legacy' } }
  ])
  t.equal(receiver.dataPoints().length, 5)
  t.notMatch(receiver.posts.map(({ body }) => body).join(), 'private')
})

t.test('a request without a trace begins one, which its log lines name', async (t) => {
  const { app, wire, linesOf, receiver } = await setupObserved(t)

  const lines = await linesOf(async () => await wire.call('acquireDevice'), 1)
  await app.close()

  const [span] = receiver.spans()
  t.notOk(span.parentSpanId)
  t.same(lines.map(({ msg, trace_id: trace, span_id: id }) => [msg, trace, id]), [
    ['lease granted', span.traceId, span.spanId], ['tool called', span.traceId, span.spanId], ['request answered', span.traceId, span.spanId]
  ])
})

t.test('listening is a span that ends when its stream is open, or is refused', async (t) => {
  const { app, port, token, receiver } = await setupObserved(t)
  const listen = async (notifications: object) => await openStream(t, {
    port, token: await token(), method: 'subscriptions/listen', params: { notifications, _meta: { traceparent } }
  })

  await (await listen({ toolsListChanged: true })).next()
  await (await listen({ taskIds: ['t'] })).rest()
  await app.close()

  t.match(receiver.spans().map(({ name, traceId, status, attributes }) => ({ name, traceId, status, error: attributes['error.type'] })), [
    { name: 'subscriptions/listen', traceId, status: {}, error: undefined },
    { name: 'subscriptions/listen', traceId, status: { code: 2 }, error: '-32021' }
  ])
})

t.test('what is told to those who listen belongs to no request, whichever set it off', async (t) => {
  const { app, wire, port, token, linesOf } = await setup(t)
  const stream = await openStream(t, {
    port, token: await token(), method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: ['mooring://devices'] } }
  })
  await stream.next()
  const trace = new Promise((resolve) => {
    const { run } = app.slices
    Object.assign(app.slices, { run: (items: Iterable<unknown>, work: (item: unknown) => void) => run(items, (item) => { resolve(traceLogFields()); work(item) }) })
  })

  await linesOf(async () => await wire.modern('tools/call', { name: 'acquireDevice', arguments: {}, _meta: { traceparent } }), 1)

  t.same(await trace, {})
  await stream.next()
})

t.test('each request of a batch has its own span, in the trace of the batch', async (t) => {
  const { app, wire, receiver } = await setupObserved(t)

  await wire.post(JSON.stringify([
    { jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: { traceparent } } },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'b', method: 'tools/list' }
  ]))
  await app.close()

  t.match(receiver.spans(), [
    { name: 'ping', traceId, attributes: { 'jsonrpc.request.id': '1', 'mcp.protocol.version': '2025-03-26' } },
    { name: 'tools/list', traceId, attributes: { 'jsonrpc.request.id': 'b' } }
  ])
})

t.test('what an agent types and reads is neither in a log line nor in a span', async (t) => {
  const { app, log, token, wire, receiver } = await setupObserved(t)
  const meta = { traceparent, tracestate: 'vendor=opaque', baggage: 'user=hidden' }
  const call = async (name: string, args: object): Promise<any> => (await wire.modern('tools/call', { name, arguments: args, _meta: meta })).json().result
  const secretToken = await token()
  const { structuredContent: { lease } } = await call('acquireDevice', {})
  await call('launchApp', { lease, app: 'com.example.fieldnotes' })
  t.match(await call('inputText', { lease, text: 'hunter2', into: { text: 'E-mail' } }), { content: [{ text: /Typed 7 characters/ }] })
  t.match(await call('tapOn', { lease, target: { text: 'no such element' } }), { isError: true })
  await wire.modern('resources/read', { uri: `mooring://leases/${lease}/screen`, _meta: meta })
  await call('releaseDevice', { lease })
  await app.close()

  const shown = log() + receiver.posts.map(({ body }) => body).join('\n')
  t.match(shown, lease.slice(0, 6))
  for (const secret of [lease, secretToken, 'opaque', 'vendor', 'hidden', 'hunter2', 'no such element', 'fieldnotes', 'E-mail']) {
    t.notOk(shown.includes(secret), secret)
  }
})

t.test('the protobuf form is the default, with the headers of the operator', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const { app, wire, log } = await setup(t, ['--telemetry-endpoint', `${receiver.endpoint}/prefix/`, '--telemetry-headers', 'x-key=a%20secret,x-other=b'])

  await wire.modern('tools/list', { _meta: { traceparent } })
  await app.close()

  t.same(receiver.posts.map(({ path }) => path).sort(), ['/prefix/v1/metrics', '/prefix/v1/traces'])
  for (const { headers } of receiver.posts) t.match(headers, { 'content-type': 'application/x-protobuf', 'x-key': 'a secret', 'x-other': 'b' })
  t.match(receiver.posts.find(({ path }) => path.endsWith('traces'))?.body, 'tools/list')
  t.notMatch(log(), /a secret|a%20secret/)
})

t.test('spans alone or durations alone are sent where the other is switched off', async (t) => {
  for (const [flags, path] of [[['--no-telemetry-metrics'], '/v1/traces'], [['--no-telemetry-traces'], '/v1/metrics']] as const) {
    const receiver = await startOtlpReceiver(t)
    const { app, wire } = await setup(t, ['--telemetry-endpoint', receiver.endpoint, ...flags])
    await wire.modern('tools/list', { _meta: { traceparent } })
    await app.close()
    t.same(receiver.posts.map((post) => post.path), [path])
  }
})

t.test('a collector that never answers holds up neither requests nor, for longer than it may, the end', async (t) => {
  const receiver = await startOtlpReceiver(t, () => undefined)
  // What the end has for telemetry, which no other timer has, is over when both have arrived, on however busy a machine.
  const flushMs = 1_234
  const scheduler: Scheduler = {
    ...systemScheduler,
    after (delayMs, work) {
      if (delayMs !== flushMs) return systemScheduler.after(delayMs, work)
      let isCancelled = false
      const bothArrive = async (): Promise<void> => { while (receiver.posts.length < 2) await receiver.next() }
      bothArrive().then(() => { if (!isCancelled) work() })
      return () => { isCancelled = true }
    }
  }
  const { app, wire, log } = await setup(t, ['--telemetry-endpoint', receiver.endpoint, '--shutdown-ms', String(5 * flushMs)], { scheduler })
  for (let sent = 0; sent < 20; sent++) t.equal((await wire.modern('tools/list')).status, 200)

  await app.close()

  t.equal(receiver.posts.length, 2)
  t.match(log(), /telemetry could not be delivered/)
})

t.test('a method and a version that a caller makes up are cut short in its log line', async (t) => {
  const { wire, linesOf } = await setup(t)

  const lines = await linesOf(async () => await wire.modern('m'.repeat(10_000)), 1)

  t.match(lines, [{ msg: 'request refused', rpc: 'm'.repeat(64), rule: 'ERR-03' }])
})
