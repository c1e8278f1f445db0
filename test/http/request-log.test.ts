import t from 'tap'
import { mcpWire } from '../support/mcp-wire.ts'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Parameters<typeof startTestApp>[0], level: string) {
  const { app, port, token, log } = await startTestApp(t, { flags: ['--log-level', level] })
  const wire = mcpWire({ port, token: await token() })

  async function requestLines (): Promise<any[]> {
    await app.admission.idle()
    return log().split('\n').filter((line) => line.includes('"request ')).map((line) => JSON.parse(line))
  }
  return { wire, requestLines }
}

t.test('at debug, every answered request has one line, a list too', async (t) => {
  const { wire, requestLines } = await setup(t, 'debug')
  await wire.modern('tools/list')
  await wire.legacy('tools/call', { name: 'listDevices', arguments: {} })

  t.match(await requestLines(), [
    { msg: 'request answered', method: 'POST', path: '/mcp', status: 200, rpc: 'tools/list', version: '2026-07-28', durationMs: Number },
    { msg: 'request answered', method: 'POST', path: '/mcp', status: 200, rpc: 'tools/call', version: '2025-11-25', durationMs: Number }
  ])
})

t.test('at debug, a request whose caller has left has one too, with its trace', async (t) => {
  const { app, port, token, log } = await startTestApp(t, { flags: ['--log-level', 'debug'] })
  const value = await token()
  const connection = await rawConnection(port)
  connection.send(rawPost(value, JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'waitFor',
      arguments: { lease: (await mcpWire({ port, token: value }).call('acquireDevice', {})).structuredContent.lease, for: { text: 'never' }, timeoutMs: 60_000 },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
      }
    }
  }), ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: waitFor']))
  await mcpWire({ port, token: value }).modern('tools/list')

  connection.socket.destroy()
  await app.admission.idle()

  const line = log().split('\n').find((text) => text.includes('abandoned'))
  t.match(JSON.parse(line ?? '{}'), { level: 20, rpc: 'tools/call', path: '/mcp', trace_id: 'a'.repeat(32) })
})

t.test('at info, only a refused request has one', async (t) => {
  const { wire, requestLines } = await setup(t, 'info')
  await wire.modern('tools/list')
  await wire.post('nope')

  const lines = await requestLines()
  t.match(lines, [{ msg: 'request refused', status: 400, path: '/mcp' }])
  t.equal(lines.length, 1)
})
