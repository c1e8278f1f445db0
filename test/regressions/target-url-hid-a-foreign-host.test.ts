import t from 'tap'
import { rawConnection } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('HTTP-11: a request target that is a whole URL is held to the same hosts as Host', async (t) => {
  const { port, token } = await startTestApp(t)
  const authorization = `Bearer ${await token()}`
  const statusOf = async (target: string, host = '127.0.0.1'): Promise<number | undefined> => {
    // A refused connection is closed.
    const connection = await rawConnection(port)
    t.teardown(() => connection.socket.destroy())
    connection.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\n\r\n`)
    return (await connection.next())?.status
  }

  for (const foreign of ['http://evil.example/livez', 'https://evil.example:80/livez', 'http://127.0.0.1.evil.example/livez', 'http://127.0.0.1@evil.example/livez', 'HTTP://evil.example/livez']) {
    t.equal(await statusOf(foreign), 403, foreign)
  }
  t.equal(await statusOf('http://localhost/livez', 'evil.example'), 403)
  t.equal(await statusOf(`http://localhost:${port}/livez`), 200)
  t.equal(await statusOf('/livez?next=http://evil.example/'), 200)
})
