/**
 * A server that follows its streams through objects nobody else holds loses them to the garbage
 * collector: their clients leave, and the streams stay registered. It shows with thousands of
 * streams and a collection in between only.
 *
 * @alone It collects garbage and looks for what is left.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { idle } from '../support/idle.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { toldLists } from '../support/told-lists.ts'

const count = 2_000
const atATime = 100

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

t.test('of 2,000 listen streams whose clients vanish none stays registered, and nothing of their requests is kept', { timeout: 120_000 }, async (t) => {
  const requests: WeakRef<object>[] = []
  const connections: Socket[] = []
  const { app, port, token } = await startTestApp(t, {
    offer: toldLists,
    flags: ['--subscriptions-max-streams', String(count), '--subscriptions-max-streams-per-principal', String(count)],
    beforeRoutes: async (app) => { app.addHook('onRequest', async (request) => { requests.push(new WeakRef(request)) }) }
  })
  const value = await token()
  app.server.on('connection', (socket) => { connections.push(socket) })
  const clients: Socket[] = []
  while (clients.length < count) {
    clients.push(...await Promise.all(Array.from({ length: atATime }, (_, index) => open({ port, token: value, id: clients.length + index }))))
  }
  t.equal(app.listenStreams.streams, count)

  collectGarbage()
  const gone = Promise.all(connections.map((socket) => socket.destroyed ? undefined : once(socket, 'close')))
  for (const client of clients) client.destroy()
  await gone

  t.equal(app.listenStreams.streams, 0)
  t.equal(app.listenStreams.uris, 0)
  t.equal(app.admission.inFlight, 0)
  connections.length = 0
  await idle()
  collectGarbage()
  await idle()
  collectGarbage()
  const kept = requests.filter((request) => request.deref() !== undefined).length
  t.ok(kept < count / 100, `${kept} requests are still in memory`)
})

/** Opens a stream; resolves when it has been acknowledged. */
async function open ({ port, token, id }: { readonly port: number, readonly token: string, readonly id: number }): Promise<Socket> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true, ...(id % 2 === 0 ? { resourceSubscriptions: ['mooring://devices'] } : {}) },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
    }
  })
  const socket = connect(port, '127.0.0.1')
  socket.write([
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: subscriptions/listen',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body
  ].join('\r\n'))
  let text = ''
  while (!text.includes('acknowledged')) text += String((await once(socket, 'data'))[0])
  socket.resume()
  return socket
}
