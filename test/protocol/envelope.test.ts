import fc from 'fast-check'
import t from 'tap'
import { readIncoming } from '../../src/protocol/envelope.ts'
import { checkLogLevel } from '../../src/protocol/log-level.ts'

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const modern = (overrides: object = {}): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta }, ...overrides })

t.test('RPC-01, RPC-02, ERR-02, VAL-06, D-11: a message of the wrong shape is refused with the id it had, if any', async (t) => {
  const cases: Array<[unknown, unknown]> = [
    [7, undefined], [null, undefined], ['x', undefined],
    [modern({ jsonrpc: '1.0' }), 1], [modern({ jsonrpc: undefined, id: 'a' }), 'a'],
    [modern({ method: 7 }), 1], [modern({ params: [1] }), 1],
    [modern({ id: null }), undefined], [modern({ id: 1.5 }), undefined], [modern({ id: 2 ** 53 }), undefined], [modern({ id: {} }), undefined]
  ]
  for (const [body, id] of cases) {
    const incoming = readIncoming(body, '2026-07-28')
    t.match(incoming, { kind: 'rejected', rejection: { status: 400, code: -32600 } }, JSON.stringify(body))
    t.equal((incoming as { id?: unknown }).id, id)
  }
  for (const id of [0, '', '0']) t.match(readIncoming(modern({ id }), '2026-07-28'), { kind: 'request', envelope: { id } })
})

t.test('META-01, RPC-11, VAL-08, ERR-04: a modern request states its version and its capabilities, and what is missing is named', async (t) => {
  const cases: Array<[object | undefined, string[]]> = [
    [undefined, ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']],
    [{}, ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']],
    [{ _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': 7 } }, ['io.modelcontextprotocol/protocolVersion']],
    [{ _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, ['io.modelcontextprotocol/clientCapabilities']],
    [{ _meta: { ...meta, 'io.modelcontextprotocol/clientCapabilities': [] } }, ['io.modelcontextprotocol/clientCapabilities']]
  ]
  for (const [params, missing] of cases) {
    t.match(readIncoming(modern({ params }), '2026-07-28'), { kind: 'rejected', id: 1, rejection: { status: 400, code: -32602, data: { missing } } })
  }
  t.match(readIncoming(modern(), '2026-07-28'), { kind: 'request', envelope: { era: 'modern', clientCapabilities: {} } }, 'META-02: clientInfo may be absent')
})

t.test('HTTP-06, RPC-08: notifications, and answers of old clients, are accepted', async (t) => {
  t.same(readIncoming({ jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }, '2026-07-28'), {
    kind: 'notification', era: 'modern', method: 'notifications/cancelled', params: {}
  })
  t.same(readIncoming({ jsonrpc: '2.0', method: 'notifications/initialized' }, undefined), {
    kind: 'notification', era: 'legacy', method: 'notifications/initialized', params: {}
  })
  t.same(readIncoming({ jsonrpc: '2.0', id: 3, result: {} }, '2025-11-25'), {
    kind: 'response', id: 3, body: { jsonrpc: '2.0', id: 3, result: {} }
  })
})

t.test('ERA-09: a posted response in modern traffic is refused without an id', async (t) => {
  t.match(readIncoming({ jsonrpc: '2.0', id: 3, result: {} }, '2026-07-28'), { kind: 'rejected', id: undefined, rejection: { code: -32600 } })
})

t.test('PROG-01: a progress token is a string or a whole number, anything else is none', async (t) => {
  for (const [progressToken, expected] of [['a', 'a'], [4, 4], [1.5, undefined], [{}, undefined], [null, undefined]]) {
    t.match(readIncoming(modern({ params: { _meta: { ...meta, progressToken } } }), '2026-07-28'), { envelope: { progressToken: expected } })
  }
})

t.test('LOG-01, LOG-02, ERR-10: a level counts for its own request, and an unknown one is refused', async (t) => {
  const level = (value: unknown): unknown => readIncoming(modern({ params: { _meta: { ...meta, 'io.modelcontextprotocol/logLevel': value } } }), '2026-07-28')
  t.match(level('warning'), { envelope: { logLevel: 'warning' } })
  t.match(level('loud'), { envelope: { logLevel: undefined } })
  t.match(checkLogLevel({ 'io.modelcontextprotocol/logLevel': 'loud' }), { status: 200, code: -32602 })
  t.equal(checkLogLevel({}), undefined)
  t.match(readIncoming(modern(), '2026-07-28'), { envelope: { logLevel: undefined } })
  t.match(readIncoming({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, undefined), { envelope: { logLevel: 'info' } })
})

t.test('LEGACY-21: the elements of a batch are judged one by one', async (t) => {
  t.match(readIncoming([{ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', method: 'x' }, 7], undefined), {
    kind: 'batch', elements: [{ kind: 'request' }, { kind: 'notification' }, { kind: 'rejected' }]
  })
})

t.test('no value and no header make it throw', async (t) => {
  fc.assert(fc.property(fc.jsonValue(), fc.option(fc.string(), { nil: undefined }), (body, header) => typeof readIncoming(body, header).kind === 'string'))
})
