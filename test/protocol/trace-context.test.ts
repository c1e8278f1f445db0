import fc from 'fast-check'
import t from 'tap'
import { readTraceContext } from '../../src/protocol/trace-context.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const other = '00-11111111111111111111111111111111-2222222222222222-00'

const message = (meta: object) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } })

t.test('TRACE-01: the message wins over its HTTP headers, as one set, and their span is still known', async (t) => {
  const headers = { traceparent: other, tracestate: 'a=1', baggage: 'k=v' }

  t.same(readTraceContext(message({ traceparent }), headers), {
    parent: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', sampled: true },
    state: undefined,
    baggage: undefined,
    around: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: false }
  })
  for (const body of [message({}), {}, undefined, 'text', [1]]) {
    t.same(readTraceContext(body, headers), {
      parent: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: false }, state: 'a=1', baggage: 'k=v', around: undefined
    })
  }
  t.match(readTraceContext(message({ traceparent }), { traceparent }), { around: undefined }, 'the same span said twice is one')
})

t.test('TRACE-02, TRACE-03: a malformed traceparent counts as none, and never is an error', async (t) => {
  for (const value of [
    '', 'x', 7, null, [traceparent], traceparent.toUpperCase(), `${traceparent}-x`, ` ${traceparent}`, `${traceparent}, ${traceparent}`,
    `01${traceparent.slice(2)}`, `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`
  ]) {
    t.equal(readTraceContext(message({ traceparent: value, tracestate: 'a=1' }), {}), undefined, String(value))
    t.equal(readTraceContext(undefined, { traceparent: value }), undefined, String(value))
    t.match(readTraceContext(message({ traceparent: value, tracestate: 'a=1' }), { traceparent: other }), {
      parent: { spanId: '2'.repeat(16) }, state: undefined
    }, 'the headers are asked next, and the state goes with its own parent')
  }
})

t.test('TRACE-02: state and baggage are dropped each on its own when malformed or too long', async (t) => {
  const read = (members: object) => readTraceContext(message({ traceparent, ...members }), {})

  t.match(read({ tracestate: 'a=1,b=2', baggage: 'k=v;p=1, l=%20' }), { state: 'a=1,b=2', baggage: 'k=v;p=1, l=%20' })
  t.match(read({ tracestate: 'A B', baggage: 'k=v' }), { state: undefined, baggage: 'k=v' })
  t.match(read({ tracestate: 'a=1', baggage: 'nope' }), { state: 'a=1', baggage: undefined })
  t.match(read({ tracestate: 1, baggage: ['k=v'] }), { state: undefined, baggage: undefined })
  t.match(read({ tracestate: Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(',') }), { state: undefined })

  const state = `a=${'x'.repeat(254)},b=${'x'.repeat(253)}`
  const baggage = `k=${'x'.repeat(8190)}`
  t.equal(state.length, 512)
  t.match(read({ tracestate: state, baggage }), { state, baggage })
  t.match(read({ tracestate: `${state}x`, baggage: `${baggage}x` }), { state: undefined, baggage: undefined })
})

t.test('the first element of a batch that has _meta decides for all', async (t) => {
  const spanOf = (body: unknown) => readTraceContext(body, {})?.parent.spanId

  t.equal(spanOf([{ id: 1 }, 7, { params: {} }, message({ traceparent }), message({ traceparent: other })]), 'b7ad6b7169203331')
  t.equal(spanOf([message({ progressToken: 1 }), message({ traceparent })]), undefined)
  t.equal(spanOf([]), undefined)
})

t.test('hostile values are judged at once', async (t) => {
  fc.assert(fc.property(fc.string({ maxLength: 600 }), (value) => {
    readTraceContext(message({ traceparent, tracestate: value, baggage: value }), {})
    return true
  }))
  t.match(readTraceContext(message({ traceparent, tracestate: `${',  '.repeat(160)}!`, baggage: `${'a= ,'.repeat(2_000)}!` }), {}), { state: undefined, baggage: undefined })
})
