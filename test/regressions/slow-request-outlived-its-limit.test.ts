import t from 'tap'
import { rawConnection } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a request whose headers or body do not arrive within requestTimeoutMs gets 408 and is closed', async (t) => {
  const { app, port, token } = await startTestApp(t, { flags: ['--request-timeout-ms', '1000'] })
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${await token()}\r\nContent-Type: application/json\r\n`

  for (const unfinished of ['POST /mcp HT', head, `${head}Content-Length: 1000\r\n\r\n{"jsonrpc`, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"j`]) {
    const connection = await rawConnection(port)
    const startedAt = performance.now()
    connection.send(unfinished)

    t.equal((await connection.next())?.status, 408, JSON.stringify(unfinished.slice(-12)))
    t.equal(await connection.next(), undefined, 'it is closed')
    t.ok(performance.now() - startedAt < 25_000, 'not after the half minute in which Node looks on its own')
  }
  await app.admission.idle()
})
