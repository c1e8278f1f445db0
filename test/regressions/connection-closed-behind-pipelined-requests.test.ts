import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { z } from 'zod'

t.test('CANCEL-01, HTTP-17: requests that wait behind another one on a connection end when it closes', async (t) => {
  let started = 0
  let stopped = 0
  let allStarted = (): void => {}
  const running = new Promise<void>((resolve) => { allStarted = resolve })
  const endless = defineTool({
    name: 'endless',
    title: 'Endless',
    description: 'Runs until it is told to stop.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async (_input, { signal }) => await new Promise((resolve) => {
      if (++started === 5) allStarted()
      signal.addEventListener('abort', () => { stopped++; resolve({ content: [], structuredContent: {} }) })
    })
  })
  const { app, port, token } = await startTestApp(t, { offer: () => ({ tools: [endless], resources: [], prompts: [] }) })
  const call = rawPost(await token(), JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'endless', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } }
  }), ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: endless'])
  const connection = await rawConnection(port)
  connection.send(Buffer.concat(Array.from({ length: 5 }, () => call)))
  await running
  t.equal(app.admission.inFlight, 5)

  connection.reset()

  await app.admission.idle()
  t.equal(stopped, 5)
})

t.test('HTTP-17: neither do they keep what they said, as streams or not', async (t) => {
  const chatty = defineTool({
    name: 'chatty',
    title: 'Chatty',
    description: 'Reports, then runs until it is told to stop.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    reports: true,
    run: async (_input, { signal, progress }) => {
      progress({ progress: 1 })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { content: [], structuredContent: {} }
    }
  })
  const { app, port, token } = await startTestApp(t, { offer: () => ({ tools: [chatty], resources: [], prompts: [] }) })
  const value = await token()
  const call = (meta: object): Buffer => rawPost(value, JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'chatty', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...meta } }
  }), ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: chatty'])
  const connection = await rawConnection(port)
  connection.send(Buffer.concat([call({ progressToken: 1 }), call({}), call({ progressToken: 2 }), rawPost(value, '{"jsonrpc":"2.0","id":1,"method":"ping"}')]))
  await mcpWire({ port, token: value }).legacy('ping')
  t.equal(app.admission.inFlight, 4)

  connection.socket.destroy()

  await app.admission.idle()
})

t.test('pipelined requests are answered in their order', async (t) => {
  const { app, port, token } = await startTestApp(t)
  const value = await token()
  const connection = await rawConnection(port)

  connection.send(Buffer.concat([1, 2, 3].map((id) => rawPost(value, JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })))))

  for (const id of [1, 2, 3]) t.same(JSON.parse((await connection.next())?.body ?? ''), { jsonrpc: '2.0', id, result: {} })
  connection.socket.destroy()
  await app.admission.idle()
})
