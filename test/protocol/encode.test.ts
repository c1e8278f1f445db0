import t from 'tap'
import { createEncoder, encodeError } from '../../src/protocol/encode.ts'
import { resourceNotFound } from '../../src/protocol/error-table.ts'
import { complete } from '../../src/protocol/result.ts'

const encoder = createEncoder({ name: 'mooring', version: '1', title: 'mooring', description: 'd' })
const encode = (method: string, version: string, body: Record<string, unknown>): any =>
  JSON.parse(encoder.result({ id: 1, method, era: version === '2026-07-28' ? 'modern' : 'legacy', version }, complete(body)).toString()).result

const toolBody = {
  content: [{ type: 'text', text: 'x', _meta: { a: 1 } }, { type: 'resource_link', uri: 'test://a', name: 'a' }],
  structuredContent: { a: 1 }
}

t.test('RPC-04: the id comes back with its type', async (t) => {
  for (const id of [0, '', '0', 7, 'q-7']) {
    t.same(JSON.parse(encoder.result({ id, method: 'ping', era: 'legacy', version: '2025-11-25' }, complete({})).toString()), { jsonrpc: '2.0', id, result: {} })
  }
})

t.test('RPC-06, RPC-07: a modern result says its type and who answers, and keeps its own _meta', async (t) => {
  t.same(encode('tools/call', '2026-07-28', { content: [], _meta: { 'a/b': 1 } }), {
    resultType: 'complete', content: [], _meta: { 'a/b': 1, 'io.modelcontextprotocol/serverInfo': { name: 'mooring', version: '1', title: 'mooring', description: 'd' } }
  })
})

t.test('RPC-06, RPC-07, CACHE-01: so does one without, and a list says how long it is fresh', async (t) => {
  const serverInfo = { name: 'mooring', version: '1', title: 'mooring', description: 'd' }
  t.same(encode('tools/call', '2026-07-28', { content: [] }), {
    resultType: 'complete', content: [], _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo }
  })
  const prepared = encoder.prepare('prompts/list', { prompts: [] }, { ttlMs: 5, scope: 'private' })
  t.same(JSON.parse(prepared.bytesFor('2026-07-28').toString()), {
    resultType: 'complete', prompts: [], ttlMs: 5, cacheScope: 'private', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo }
  })
})

t.test('LEGACY-12: each revision gets the members it knows', async (t) => {
  t.same(encode('tools/call', '2025-11-25', toolBody), toolBody)
  t.same(encode('tools/call', '2025-03-26', toolBody), { content: [{ type: 'text', text: 'x' }, { type: 'text', text: 'test://a' }] })
  t.notOk('structuredContent' in encode('tools/call', '2025-11-25', { ...toolBody, structuredContent: [1] }), 'only objects before 2026-07-28')
  t.same(encode('initialize', '2025-06-18', { serverInfo: { name: 'm', version: '1', title: 't', description: 'd', icons: [] } }), { serverInfo: { name: 'm', version: '1', title: 't' } })
  t.same(encode('prompts/list', '2025-03-26', { prompts: [{ name: 'p', title: 'P', arguments: [{ name: 'a', title: 'A' }] }] }), { prompts: [{ name: 'p', arguments: [{ name: 'a' }] }] })
  t.same(encode('tools/list', '2025-11-25', { tools: [{ name: 'a', outputSchema: { type: 'array' } }, { name: 'b', outputSchema: { type: 'object' } }] }), {
    tools: [{ name: 'a' }, { name: 'b', outputSchema: { type: 'object' } }]
  })
})

t.test('a prepared list is serialized once and sent as the same bytes', async (t) => {
  const prepared = encoder.prepare('tools/list', { tools: [{ name: 'a', title: 'A' }] }, { ttlMs: 5, scope: 'public' })

  t.equal(prepared.bytesFor('2026-07-28'), prepared.bytesFor('2026-07-28'))
  t.same(JSON.parse(prepared.bytesFor('2025-03-26').toString()), { tools: [{ name: 'a' }] })
  t.match(JSON.parse(encoder.result({ id: 'x', method: 'tools/list', era: 'modern', version: '2026-07-28' }, { kind: 'prepared', prepared }).toString()), {
    jsonrpc: '2.0', id: 'x', result: { tools: [{ name: 'a' }], ttlMs: 5, cacheScope: 'public' }
  })
})

t.test('a framed result knows its length in bytes, whatever its id is written in', async (t) => {
  const prepared = encoder.prepare('tools/list', { tools: [{ name: 'a', title: 'Ä' }] }, { ttlMs: 5, scope: 'public' })

  for (const id of [1, 'q-7', 'näxt', '\u{1f4f1}', '\ud800']) {
    const framed = encoder.result({ id, method: 'tools/list', era: 'modern', version: '2026-07-28' }, { kind: 'prepared', prepared })
    if (typeof framed === 'string') throw new Error('it is not framed')
    t.equal(framed.byteLength, Buffer.concat([Buffer.from(framed.head), framed.bytes, Buffer.from(framed.tail)]).length)
    t.equal(JSON.parse(framed.toString()).id, id)
  }
})

t.test('RPC-05: an error without a readable id has no id member at all', async (t) => {
  t.same(Object.keys(JSON.parse(encodeError(undefined, resourceNotFound('x')))), ['jsonrpc', 'error'])
  t.match(JSON.parse(encodeError(0, resourceNotFound('x'))), { id: 0, error: { code: -32602, data: { uri: 'x' } } })
  t.match(JSON.parse(encodeError(0, resourceNotFound('x'), 'legacy')), { error: { code: -32002 } })
})
