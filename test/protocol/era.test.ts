import fc from 'fast-check'
import t from 'tap'
import { decideBatch, decideEra, versionKey } from '../../src/protocol/era.ts'
import type { Message } from '../../src/protocol/message.ts'

const request = (method: string, params?: Record<string, unknown>): Extract<Message, { kind: 'request' }> => ({ kind: 'request', id: 1, method, params })
const stated = (version: unknown): Record<string, unknown> => ({ _meta: { [versionKey]: version } })

t.test('ERA-01: the version in the body wins over the header and over the method name', async (t) => {
  for (const method of ['tools/list', 'initialize', 'ping', 'logging/setLevel', 'tasks/list']) {
    for (const version of ['2026-07-28', 'v999', 7, null]) {
      t.match(decideEra(request(method, stated(version)), '2025-06-18'), { era: 'modern' }, `${method} ${String(version)}`)
    }
  }
})

t.test('ERA-02: initialize without a version in the body is legacy, whatever the header says', async (t) => {
  t.match(decideEra(request('initialize', {}), '2026-07-28'), { era: 'legacy', version: '2025-03-26' })
  t.match(decideEra(request('initialize', {}), '2025-11-25'), { era: 'legacy', version: '2025-11-25' })
})

t.test('ERA-03: a modern header without a version in the body stays modern, never legacy', async (t) => {
  t.match(decideEra(request('tools/list', {}), '2026-07-28'), { era: 'modern' })
})

t.test('ERA-04, ERA-05: a served legacy header counts, and none means the oldest revision', async (t) => {
  t.match(decideEra(request('tools/list'), '2025-06-18'), { era: 'legacy', version: '2025-06-18' })
  t.match(decideEra(request('tools/list'), undefined), { era: 'legacy', version: '2025-03-26' })
})

t.test('ERA-06: any other header is an unsupported version that names what a request without _meta may name', async (t) => {
  t.match(decideEra(request('tools/list'), '2024-11-05'), {
    era: undefined, rejection: { status: 400, code: -32022, data: { supported: ['2025-11-25', '2025-06-18', '2025-03-26'], requested: '2024-11-05' } }
  })
})

t.test('ERA-09, ERA-10: a posted response is refused in the modern era and accepted before', async (t) => {
  const response: Message = { kind: 'response', id: 1, body: {} }
  t.match(decideEra(response, '2026-07-28'), { rejection: { status: 400, code: -32600 } })
  t.match(decideEra(response, undefined), { era: 'legacy' })
})

t.test('ERA-11, ERA-12, LEGACY-21: batches are for the oldest revision only', async (t) => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  t.match(decideBatch([ping], undefined), { era: 'legacy', version: '2025-03-26' })
  t.match(decideBatch([ping], '2025-03-26'), { era: 'legacy' })
  for (const [elements, header] of [
    [[ping], '2025-06-18'], [[ping], '2026-07-28'], [[], undefined], [Array(51).fill(ping), undefined],
    [[ping, { jsonrpc: '2.0', id: 2, method: 'ping', params: stated('2026-07-28') }], undefined],
    [[{ jsonrpc: '2.0', id: 2, method: 'initialize' }], undefined]
  ] as Array<[unknown[], string | undefined]>) {
    t.match(decideBatch(elements, header), { rejection: { status: 400, code: -32600 } })
  }
})

t.test('ERA-13: every request has exactly one answer to the question, and only its own facts decide it', async (t) => {
  fc.assert(fc.property(
    fc.string(), fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
    fc.option(fc.oneof(fc.string(), fc.constantFrom('2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26')), { nil: undefined }),
    (method, params, header) => {
      const first = decideEra(request(method, params), header)
      const again = decideEra(request(method, params), header)
      return JSON.stringify(first) === JSON.stringify(again) && (first.era !== undefined || first.rejection.code === -32022)
    }
  ))
})
