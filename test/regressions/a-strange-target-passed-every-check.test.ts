/** The router answered targets like `http:///x` by itself: past Host, Origin, token and log. */
import t from 'tap'
import { rawConnection, type RawReply } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a target of any form is held to Host, token and log, and then is an unknown path', async (t) => {
  const { port, token, log } = await startTestApp(t)
  const value = await token()
  const ask = async (target: string, lines: readonly string[] = []): Promise<RawReply | undefined> => {
    const connection = await rawConnection(port)
    t.teardown(() => connection.socket.destroy())
    connection.send([`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n'))
    return await connection.next()
  }
  const authorized = [`Authorization: Bearer ${value}`]
  const own = ['ws://127.0.0.1/livez', 'WSS://localhost/mcp', 'ftp://localhost/livez', 'http://127.0.0.1', 'http://127.0.0.1?x=1', 'https://localhost/%zz', 'http://localhost/a?%zz']
  const foreign = ['http:///x', 'HTTP:///livez', 'https:///', 'ws:///livez', 'ws://evil.example/livez', 'http://evil.example']

  for (const target of own) {
    t.match(await ask(target), { status: 401, body: /"Unauthorized"/ }, target)
    t.match(await ask(target, authorized), { status: 404, body: /"Not found"/ }, target)
    t.match(await ask(target, [...authorized, 'Origin: https://evil.example']), { status: 403 }, target)
  }
  for (const target of foreign) {
    t.match(await ask(target), { status: 403, body: /host_not_allowed/ }, target)
    t.match(await ask(target, authorized), { status: 403, body: /host_not_allowed/ }, target)
  }
  const refused = log().split('\n').filter((line) => line.includes('"request refused"'))
  t.equal(refused.length, own.length * 3 + foreign.length * 2, 'each of them is in the log')
})

t.test('a target that is a whole URL of ours is served like its path', async (t) => {
  const { port, token } = await startTestApp(t)
  for (const target of ['http://127.0.0.1/livez', `HTTP://localhost:${port}/livez?verbose=1`, 'https://[::1]/livez']) {
    const connection = await rawConnection(port)
    t.teardown(() => connection.socket.destroy())
    connection.send(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${await token()}\r\n\r\n`)
    t.equal((await connection.next())?.status, 200, target)
  }
})
