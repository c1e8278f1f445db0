import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { startAuthorizingProxy } from './authorizing-proxy.ts'

async function setup (t: Test) {
  const target = createServer()
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  const address = target.address()
  if (address === null || typeof address === 'string') throw new Error('the target has no port')
  const proxy = await startAuthorizingProxy({ targetPort: address.port, token: 'secret' })
  t.teardown(async () => {
    await proxy.close()
    target.closeAllConnections()
    target.close()
  })

  /** Sends a request and gives both of its ends. */
  async function ask (headers: readonly string[], body: string) {
    const outgoing = request({ host: 'localhost', port: proxy.port, method: 'POST', path: '/mcp', headers, agent: false })
    outgoing.on('error', () => {})
    outgoing.end(body)
    const [incoming, answer] = await once(target, 'request') as [IncomingMessage, ServerResponse]
    return { outgoing, incoming, answer }
  }
  return { ask }
}

t.test('the token is added, and headers and bodies pass as they are', async (t) => {
  const { ask } = await setup(t)

  const { outgoing, incoming, answer } = await ask(['Host', 'evil.example', 'Mcp-Name', 'one', 'mcp-NAME', 'two', 'Content-Length', '4'], 'body')
  t.same(incoming.rawHeaders.slice(0, 8), ['Host', 'evil.example', 'Mcp-Name', 'one', 'mcp-NAME', 'two', 'Content-Length', '4'])
  t.equal(incoming.headers.authorization, 'Bearer secret')
  t.equal((await incoming.toArray()).join(''), 'body')

  answer.writeHead(418, { 'X-Told': 'Yes' }).end('short and stout')
  const [response] = await once(outgoing, 'response') as [IncomingMessage]
  t.equal(response.statusCode, 418)
  t.ok(response.rawHeaders.includes('X-Told'))
  t.equal((await response.toArray()).join(''), 'short and stout')
})

t.test('a request with a token of its own keeps it', async (t) => {
  const { ask } = await setup(t)

  const { incoming, answer } = await ask(['Host', 'localhost', 'Authorization', 'Bearer own', 'Content-Length', '0'], '')

  t.equal(incoming.headers.authorization, 'Bearer own')
  answer.end()
})

t.test('a stream passes piece by piece, and its reader leaving is seen at the other end', async (t) => {
  const { ask } = await setup(t)
  const { outgoing, answer } = await ask(['Host', 'localhost', 'Content-Length', '0'], '')

  answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  const [response] = await once(outgoing, 'response') as [IncomingMessage]
  response.on('error', () => {})
  for (const piece of ['data: 1\n\n', 'data: 2\n\n']) {
    answer.write(piece)
    t.equal(String((await once(response, 'data'))[0]), piece)
  }

  outgoing.destroy()
  await once(answer, 'close')
  t.notOk(answer.writableFinished)
})
