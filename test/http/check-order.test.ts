import type { OutgoingHttpHeaders } from 'node:http'
import t from 'tap'
import { z } from 'zod'
import { rootsQuestion } from '../../src/protocol/question.ts'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const routed = defineTool({
  name: 'routed',
  title: 'Routed',
  description: 'Mirrors a parameter, and asks for the folders of its caller.',
  input: z.strictObject({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
  annotations,
  asks: true,
  run: async (_input, { ask }) => ({ content: [], structuredContent: { ...await ask('roots', rootsQuestion()) } })
})

const broken = defineTool({
  name: 'broken',
  title: 'Broken',
  description: 'Throws.',
  input: z.strictObject({}),
  annotations,
  run: async () => { throw new Error('it is broken') }
})

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

interface Rung {
  /** The rule whose fault is answered. */
  readonly rule: string
  /** Repairs what the rung before answered; the faults of all later rungs stay. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
  readonly status: number
  readonly code?: number
  readonly says?: RegExp
}

const call = (params: object, method = 'tools/call'): object => ({ jsonrpc: '2.0', id: 'r', method, params })
const meta = (version: string): object => ({ [versionKey]: version, [capabilitiesKey]: {} })

t.test('VAL-01…VAL-14, HTTP-04, VAL-16…VAL-18: of all faults at once the earlier check answers, one after the other', async (t) => {
  const { port, token } = await startTestApp(t, { offer: (pool) => ({ ...pool, tools: [...pool.tools, routed, broken] }) })
  const authorization = `Bearer ${await token()}`
  const rungs: readonly Rung[] = [
    { rule: 'VAL-02', status: 403, code: -32600 },
    { rule: 'VAL-03', headers: { host: 'localhost' }, status: 401 },
    { rule: 'VAL-04 type', headers: { authorization }, status: 415 },
    { rule: 'VAL-04 encoding', headers: { 'content-type': 'application/json' }, status: 415 },
    { rule: 'VAL-05', headers: { 'content-encoding': 'identity' }, status: 400, code: -32700 },
    { rule: 'VAL-06', body: { id: 'r', method: 'tools/call', params: {} }, status: 400, code: -32600 },
    { rule: 'VAL-07', body: call({}), status: 400, code: -32022, says: /1999/ },
    { rule: 'VAL-08', body: call({ _meta: { [versionKey]: '2025-11-25' } }), status: 400, code: -32602, says: /clientCapabilities/ },
    { rule: 'VAL-09', body: call({ _meta: meta('2025-11-25') }, 'nope'), status: 400, code: -32020, says: /MCP-Protocol-Version/ },
    { rule: 'VAL-10', headers: { 'mcp-protocol-version': '2025-11-25' }, status: 400, code: -32022, says: /2025-11-25/ },
    { rule: 'VAL-11', headers: { 'mcp-protocol-version': '2026-07-28' }, body: call({ _meta: meta('2026-07-28') }, 'nope'), status: 400, code: -32020, says: /Mcp-Method/ },
    { rule: 'VAL-12', headers: { 'mcp-method': 'nope' }, status: 404, code: -32601 },
    { rule: 'VAL-13', headers: { 'mcp-method': 'tools/call' }, body: call({ name: 'nope', _meta: meta('2026-07-28') }), status: 400, code: -32020, says: /Mcp-Name/ },
    { rule: 'POOL-04', headers: { 'mcp-name': 'nope' }, status: 400, code: -32020, says: /x-mooring-session-id/ },
    { rule: 'HTTP-04', headers: { 'x-mooring-session-id': 'k' }, status: 406 },
    { rule: 'VAL-14', headers: { accept: 'application/json, text/event-stream' }, status: 200, code: -32602, says: /nope/ },
    { rule: 'VAL-17', headers: { 'mcp-name': 'routed' }, body: call({ name: 'routed', arguments: { region: 'eu' }, _meta: meta('2026-07-28') }), status: 400, code: -32020, says: /Mcp-Param-Region/ },
    { rule: 'VAL-16', headers: { 'mcp-param-region': 'eu' }, status: 400, code: -32021, says: /roots/ },
    { rule: 'VAL-18', headers: { 'mcp-name': 'broken' }, body: call({ name: 'broken', _meta: meta('2026-07-28') }), status: 200 }
  ]

  let headers: OutgoingHttpHeaders = {
    host: 'evil.example',
    'content-type': 'text/plain',
    'content-encoding': 'gzip',
    accept: 'text/html',
    'mcp-protocol-version': '1999-01-01',
    'mcp-method': 'wrong',
    'mcp-name': 'wrong',
    'mcp-param-region': 'wrong',
    'x-mooring-session-id': ''
  }
  let body: unknown = '{'
  for (const rung of rungs) {
    headers = { ...headers, ...rung.headers }
    body = rung.body ?? body
    const reply = await exchange({ port, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

    t.equal(reply.status, rung.status, rung.rule)
    const { error, id, result } = reply.json()
    if (rung.code !== undefined) t.equal(error.code, rung.code, rung.rule)
    if (rung.says !== undefined) t.match(error.message, rung.says, rung.rule)
    if (rung.code !== undefined && rung.status !== 403 && rung.code !== -32700) t.equal(id, 'r', `${rung.rule} echoes the id`)
    if (rung.rule === 'VAL-18') t.match(result, { isError: true })
  }
})

t.test('VAL-01: a path or a verb that does not exist is told after Host and token, and before anything is read', async (t) => {
  const { port, token } = await startTestApp(t)
  const authorization = `Bearer ${await token()}`
  const faulty = { 'content-type': 'text/plain', accept: 'text/html' }

  t.equal((await exchange({ port, path: '/nope', headers: { ...faulty, host: 'evil.example', authorization }, body: '{' })).status, 403)
  t.equal((await exchange({ port, path: '/nope', headers: faulty, body: '{' })).status, 401)
  t.equal((await exchange({ port, path: '/nope', headers: { ...faulty, authorization }, body: '{' })).status, 404)
  t.equal((await exchange({ port, method: 'PUT', headers: { ...faulty, authorization }, body: '{' })).status, 405)
})

t.test('HTTP-18: a call that may stream is checked like any other before its stream begins', async (t) => {
  const { port, token } = await startTestApp(t, { offer: (pool) => ({ ...pool, tools: [{ ...routed, reports: true }] }) })
  const wire = mcpWire({ port, token: await token() })
  const streaming = { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 'p' }

  const mismatch = await wire.modern('tools/call', { name: 'routed', arguments: { region: 'eu' }, _meta: streaming }, { 'mcp-param-region': 'us' })
  t.equal(mismatch.status, 400)
  t.match(mismatch.headers['content-type'], /^application\/json/)
  t.match(mismatch.json(), { error: { code: -32020 } })

  const unknownTool = await wire.modern('tools/call', { name: 'nope', _meta: streaming })
  t.match(unknownTool.json(), { error: { code: -32602 } })
})
