import t from 'tap'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('HTTP-20: a second Mcp-Name is noticed however many headers stand before it', async (t) => {
  const { port, token } = await startTestApp(t)
  const value = await token()
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'listDevices', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } }
  })
  const mirrored = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: listDevices']
  const connection = await rawConnection(port)
  t.teardown(() => connection.socket.destroy())

  connection.send(rawPost(value, body, [...mirrored, ...Array.from({ length: 3_000 }, () => 'X: y')]))
  t.equal((await connection.next())?.status, 200)
  connection.send(rawPost(value, body, [...mirrored, ...Array.from({ length: 3_000 }, () => 'X: y'), 'Mcp-Name: other']))
  t.match(await connection.next(), { status: 400, body: /-32020/ })
})
