import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, ParentBasedSampler, AlwaysOnSampler, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import t, { type Test } from 'tap'
import type { Operation } from '../../src/telemetry/operation.ts'
import { createOperations } from '../../src/telemetry/operations.ts'
import { createPrincipalHash } from '../../src/telemetry/principal-hash.ts'
import { noteDevice, runInScope, traceLogFields, type RequestScope } from '../../src/runtime/request-scope.ts'
import { manualTime } from '../support/manual-time.ts'

const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true }
const peer = { protocolVersion: '1.1', serverAddress: 'localhost', serverPort: 8484, clientAddress: '127.0.0.1', clientPort: 5000 }
const handle = 'ls_n9k5gi8fZu_6WV_HvobvTA'

function operation (facts: Partial<Operation> = {}): Operation {
  return {
    request: { era: 'modern', version: '2026-07-28', id: 7 },
    principalKey: 'mooring\0ada',
    trace: { parent, state: 'vendor=secret', baggage: 'user=secret', around: undefined },
    peer,
    method: 'tools/call',
    tool: 'tapOn',
    ...facts
  }
}

function setup (t: Test) {
  const { clock, advance } = manualTime(1_700_000_000_000)
  const spans = new InMemorySpanExporter()
  const tracers = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })], sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() })
  })
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] })
  t.teardown(async () => { await Promise.all([tracers.shutdown(), meters.shutdown()]) })
  const operations = createOperations({
    tracer: tracers.getTracer('test'), meter: meters.getMeter('test'), clock, principalHash: createPrincipalHash(Buffer.alloc(32, 1))
  })

  return {
    operations,
    advance,
    spans: () => spans.getFinishedSpans(),
    async durations (name = 'mcp.server.operation.duration') {
      await meters.forceFlush()
      return metrics.getMetrics().at(-1)?.scopeMetrics[0]?.metrics.find(({ descriptor }) => descriptor.name === name)
    }
  }
}

t.test('a span says what was asked, by whom and over what, under the names of the MCP conventions', async (t) => {
  const { operations, advance, spans } = setup(t)

  await operations.run(operation(), undefined, async () => {
    noteDevice('phone-1')
    advance(250.5)
  }, () => ({}))

  const [span] = spans()
  t.match(span, {
    name: 'tools/call tapOn',
    kind: SpanKind.SERVER,
    status: { code: SpanStatusCode.UNSET },
    startTime: [1_700_000_000, 0],
    endTime: [1_700_000_000, 250_500_000],
    parentSpanContext: { traceId: parent.traceId, spanId: parent.spanId, isRemote: true }
  })
  t.same(span?.attributes, {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'tapOn',
    'gen_ai.operation.name': 'execute_tool',
    'mcp.protocol.version': '2026-07-28',
    'jsonrpc.request.id': '7',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'network.protocol.version': '1.1',
    'server.address': 'localhost',
    'server.port': 8484,
    'client.address': '127.0.0.1',
    'client.port': 5000,
    'mooring.era.downstream': 'modern',
    'mooring.principal.hash': createPrincipalHash(Buffer.alloc(32, 1))('mooring\0ada'),
    'mooring.device.id': 'phone-1'
  })
  t.equal(span?.spanContext().traceId, parent.traceId)
  t.equal(span?.spanContext().traceState, undefined)
})

t.test('the target of a span is a tool or a prompt, never a URI', async (t) => {
  const { operations, spans } = setup(t)
  const subjects: Array<Partial<Operation>> = [
    { method: 'prompts/get', tool: undefined, prompt: 'exploreApp' },
    { method: 'resources/read', tool: undefined, uri: `mooring://leases/${handle}/screen?x=1` },
    { method: 'tools/list', tool: undefined },
    { method: undefined, tool: undefined }
  ]

  for (const subject of subjects) await operations.run(operation(subject), undefined, async () => {}, () => ({}))

  t.same(spans().map(({ name }) => name), ['prompts/get exploreApp', 'resources/read', 'tools/list', '_OTHER'])
  t.match(spans().map(({ attributes }) => attributes), [
    { 'gen_ai.prompt.name': 'exploreApp' }, { 'mcp.resource.uri': 'mooring://leases/ls_n9k…/screen' }, {}, { 'mcp.method.name': '_OTHER' }
  ])
})

t.test('a failure is an error with its type and code, and without its message', async (t) => {
  const { operations, spans } = setup(t)

  await operations.run(operation(), undefined, async () => {}, () => ({ failure: -32602 }))
  await operations.run(operation(), undefined, async () => {}, () => ({ failure: 'tool_error', refusal: 'element_not_found' }))
  await t.rejects(operations.run(operation(), undefined, async () => { throw new Error('secret') }, () => ({})), { message: 'secret' })

  t.match(spans().map(({ attributes }) => attributes), [
    { 'error.type': '-32602', 'rpc.response.status_code': '-32602' }, { 'error.type': 'tool_error', 'mooring.refusal.code': 'element_not_found' }, { 'error.type': '_OTHER' }
  ])
  for (const { status, events } of spans()) {
    t.same(status, { code: SpanStatusCode.ERROR })
    t.same(events, [])
  }
  t.notOk('rpc.response.status_code' in (spans()[1]?.attributes ?? {}))
})

t.test('what a request only waited is beside its duration, and its span has all of its time', async (t) => {
  const { operations, advance, spans, durations } = setup(t)

  await operations.run(operation({ tool: 'acquireDevice' }), undefined, async () => { advance(600_040) }, () => ({ waitedMs: 600_000 }))
  await operations.run(operation({ tool: 'observe' }), undefined, async () => { advance(30) }, () => ({ waitedMs: 0 }))

  t.match(spans().map(({ duration, attributes }) => [duration[0], attributes['mooring.wait.duration']]), [[600, 600], [0, undefined]])
  t.match(await durations(), { dataPoints: [{ value: { max: 0.04 } }, { value: { max: 0.03 } }] })
  t.match(await durations('mooring.server.wait.duration'), {
    descriptor: { unit: 's' }, dataPoints: [{ value: { count: 1, sum: 600 }, attributes: { 'gen_ai.tool.name': 'acquireDevice' } }]
  })
})

t.test('without a caller\'s trace one begins here, and log lines name it', async (t) => {
  const { operations, spans } = setup(t)
  const scope: RequestScope = { traceId: undefined, spanId: undefined, peer }

  const logged = await runInScope(scope, async () =>
    await operations.run(operation({ trace: undefined }), scope, async () => traceLogFields(), () => ({})))

  const [span] = spans()
  t.equal(span?.parentSpanContext, undefined)
  const { traceId, spanId } = span?.spanContext() ?? {}
  t.same(logged, { trace_id: traceId, span_id: spanId })
  t.match(scope, { traceId, spanId }, 'the line that ends the request too')
})

t.test('a caller that does not sample its trace gets no span, and its log lines still name it', async (t) => {
  const { operations, spans, durations } = setup(t)
  const trace = { parent: { ...parent, sampled: false }, state: undefined, baggage: undefined, around: undefined }

  const logged = await operations.run(operation({ trace }), undefined, async () => traceLogFields(), () => ({}))

  t.same(spans(), [])
  t.match(logged, { trace_id: parent.traceId, span_id: /^[0-9a-f]{16}$/ })
  t.match(await durations(), { dataPoints: [{ value: { count: 1 } }] })
})

t.test('the span of the HTTP request around the message becomes a link', async (t) => {
  const { operations, spans } = setup(t)
  const around = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), sampled: true }

  await operations.run(operation({ trace: { parent, state: undefined, baggage: undefined, around } }), undefined, async () => {}, () => ({}))

  t.match(spans(), [{ links: [{ context: { traceId: around.traceId, spanId: around.spanId } }] }])
})

t.test('concurrent requests keep their own trace and device', async (t) => {
  const { operations, spans } = setup(t)

  await Promise.all(Array.from({ length: 10 }, async (_, index) => {
    const trace = { parent: { ...parent, traceId: String(index).repeat(32).replaceAll('0', 'e') }, state: undefined, baggage: undefined, around: undefined }
    await operations.run(operation({ trace }), undefined, async () => {
      for (let step = 0; step < 10 - index; step++) await Promise.resolve()
      noteDevice(trace.parent.traceId)
    }, () => ({}))
  }))

  t.equal(spans().length, 10)
  for (const span of spans()) t.equal(span.attributes['mooring.device.id'], span.spanContext().traceId)
})

t.test('durations are counted in seconds in the buckets of the conventions, in few series', async (t) => {
  const { operations, advance, durations } = setup(t)

  for (const id of [1, 2]) {
    await operations.run(operation({ request: { era: 'modern', version: '2026-07-28', id } }), undefined, async () => { advance(1_500) }, () => ({}))
  }
  operations.refused(operation({ method: undefined, tool: undefined, request: { era: 'modern', version: 'v999', id: 3 } }), -32022, 4)

  const found = await durations()
  t.match(found?.descriptor, { name: 'mcp.server.operation.duration', unit: 's' })
  t.match(found?.dataPoints, [
    { value: { count: 2, sum: 3, buckets: { boundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] } } },
    { value: { count: 1, sum: 0.004 } }
  ])
  t.same(found?.dataPoints.map(({ attributes }) => attributes), [
    {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'tapOn',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2026-07-28',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1'
    },
    {
      'mcp.method.name': '_OTHER',
      'error.type': '-32022',
      'rpc.response.status_code': '-32022',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1'
    }
  ])
})

t.test('nothing a caller may want to keep to itself is in a span', async (t) => {
  const { operations, spans } = setup(t)

  await operations.run(operation({ uri: `https://ada:secret@example.com/${handle}?token=secret`, request: { era: 'legacy', version: '2025-11-25', id: 'x'.repeat(10_000) } }), undefined, async () => {}, () => ({}))

  const shown = JSON.stringify(spans().map(({ name, attributes, links, events, status }) => ({ name, attributes, links, events, status })))
  t.notMatch(shown, /secret|ada|mooring\\u0000/)
  t.notMatch(shown, handle)
  t.ok(shown.length < 1_500)
})
