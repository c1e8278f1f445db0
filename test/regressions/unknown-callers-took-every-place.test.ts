/**
 * A client without a token sent requests and read no answers. Each of them held a place until its
 * connection closed, so that a dozen connections kept every agent and every probe out.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'
import { exchange } from '../support/http-exchange.ts'
import { idle } from '../support/idle.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

const strangers = 1_000
const anonymous = 'GET /status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

/** Connects, sends, and never reads. */
async function deafClient (t: Test, port: number, bytes: string | Buffer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}

t.test('a thousand clients without a token, none of which reads, take no place from those that have one', async (t) => {
  const { app, port, token } = await startTestApp(t)
  const value = await token()
  const closed: Array<Promise<unknown>> = []
  app.server.on('connection', (socket) => { if (closed.length < strangers) closed.push(once(socket, 'close')) })
  for (let at = 0; at < strangers; at += 100) {
    await Promise.all(Array.from({ length: 100 }, async () => await deafClient(t, port, anonymous.repeat(45))))
    // A busy server takes a connection later than its client believes, and the system keeps only some hundreds for it.
    while (closed.length < at + 100) await idle()
  }

  const wire = mcpWire({ port, token: value })
  for (let call = 0; call < 20; call++) {
    t.equal((await wire.modern('tools/call', { name: 'listDevices' })).status, 200)
    const askedAt = performance.now()
    t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { authorization: `Bearer ${value}` } })).status, 200)
    t.comment(`/livez answers within ${Math.ceil(performance.now() - askedAt)} ms`)
  }

  await Promise.all(closed)
  t.equal(closed.length, strangers, 'and every one of them has been closed')
  t.equal(app.admission.inFlight, 0)
})

t.test('a refused connection ends with its answer, and a whole body in front of it is taken first', async (t) => {
  const { port } = await startTestApp(t)
  for (const [body, lines] of [['', []], ['{}', ['Host: evil.example']], ['x'.repeat(3_000_000), []]] as const) {
    const connection = await rawConnection(port)
    const head = ['POST /mcp HTTP/1.1', ...(lines.length > 0 ? lines : ['Host: 127.0.0.1']), `Content-Length: ${body.length}`]
    connection.send(`${head.join('\r\n')}\r\n\r\n${body}`)

    const reply = await connection.next()

    t.equal(reply?.status, lines.length > 0 ? 403 : 401)
    t.equal(reply?.headers['connection'], 'close')
    t.equal(await connection.next(), undefined, 'it is closed')
  }
})

t.test('a client that has more requests waiting on a connection than any that waits for answers is cut off', async (t) => {
  let stopped = 0
  const endless = defineTool({
    name: 'endless',
    title: 'Endless',
    description: 'Runs until it is told to stop.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async (_input, { signal }) => await new Promise((resolve) => {
      signal.addEventListener('abort', () => { stopped++; resolve({ content: [], structuredContent: {} }) })
    })
  })
  const { app, port, token } = await startTestApp(t, { offer: () => ({ tools: [endless], resources: [], prompts: [] }) })
  const value = await token()
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const call = rawPost(value, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'endless', _meta: meta } }), [
    'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: endless', 'Accept: application/json, text/event-stream'
  ])
  const connection = await rawConnection(port)
  connection.send(Buffer.concat([call, ...Array.from({ length: 200 }, () => rawPost(value, '{"jsonrpc":"2.0","id":2,"method":"ping"}'))]))

  t.equal(await connection.next(), undefined)
  await app.admission.idle()
  t.equal(stopped, 1)
})

t.test('an answer that its client does not read is given up, and its place is free again', async (t) => {
  const large = defineTool({
    name: 'large',
    title: 'Large',
    description: 'Answers with more than a connection takes by itself.',
    input: z.strictObject({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async () => ({ content: [{ type: 'text', text: 'x'.repeat(30_000_000) }], structuredContent: {} })
  })
  const { app, port, token } = await startTestApp(t, {
    flags: ['--answer-timeout-ms', '1000'], offer: () => ({ tools: [large], resources: [], prompts: [] })
  })
  const accept = ['MCP-Protocol-Version: 2025-11-25', 'Accept: application/json, text/event-stream']
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large' } })
  const call = rawPost(await token(), body, accept)
  const deaf = await deafClient(t, port, call)
  while (app.admission.inFlight === 0) await idle()

  await app.admission.idle()

  t.equal((await mcpWire({ port, token: await token() }).legacy('tools/call', { name: 'large' })).status, 200, 'a client that reads gets the same answer')
  deaf.destroy()
})
