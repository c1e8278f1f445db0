/**
 * Classes of advisories about other MCP servers: the token of a caller reaches what stands behind the
 * server, and what a client calls itself decides something (confused deputy, spec issues 3207 and 3228).
 */
import t from 'tap'
import type { ForwardingTool } from '../../src/tools/tool-definition.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('AUTH-03: a call that is passed on has no token in it, nor any other header of its request', async (t) => {
  const seen: unknown[] = []
  const elsewhere: ForwardingTool = {
    name: 'elsewhere',
    published: { name: 'elsewhere', description: 'Is served elsewhere.', inputSchema: { type: 'object' } },
    async forward (given, call) {
      seen.push(given, ...Object.getOwnPropertyNames(call).map((name) => (call as unknown as Record<string, unknown>)[name]))
      return { kind: 'complete', body: { content: [] } }
    }
  }
  const { port, token } = await startTestApp(t, { phones: 0, offer: (pool) => ({ ...pool, tools: [...pool.tools, elsewhere] }) })
  const value = await token()
  const wire = mcpWire({ port, token: value, headers: { 'x-secret': 'a header of the caller', cookie: 'c=a header of the caller' } })

  t.equal((await wire.modern('tools/call', { name: 'elsewhere', arguments: { a: 1 } })).status, 200)
  t.equal((await wire.legacy('tools/call', { name: 'elsewhere', arguments: { a: 1 } })).status, 200)

  t.ok(seen.length > 2)
  t.notMatch(JSON.stringify(seen), value)
  t.notMatch(JSON.stringify(seen), 'a header of the caller')
})

t.test('RPC-07: what a client calls itself changes nothing of what it gets', async (t) => {
  const { port, token } = await startTestApp(t, { phones: 1 })
  const wire = mcpWire({ port, token: await token() })
  const names = ['mooring', 'root-operator', 'admin', '__proto__', '<script>', 'x'.repeat(5_000)]
  const answers = await Promise.all(names.map(async (name) => {
    const clientInfo = { name, version: '1', title: 'mooring' }
    const reply = await wire.modern('tools/list', { _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } })
    return reply.text.replace(/"id":\d+/, '')
  }))
  t.equal(new Set(answers).size, 1)
  t.notMatch(answers[0], /root-operator|<script>/)
})
