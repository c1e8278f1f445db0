import t from 'tap'
import { rawConnection, rawPost } from '../support/raw-connection.ts'
import { testProperties } from './fuzz-property.ts'
import { socketProperties } from './socket-properties.ts'
import { startSocketTarget } from './socket-target.ts'

const target = await startSocketTarget(t)
const { port, token } = target
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

/** What one connection that says this gets to hear: statuses, then that it was closed or stayed open. */
async function statuses (bytes: Buffer, answers = 1): Promise<Array<number | undefined>> {
  const connection = await rawConnection(port)
  connection.send(bytes)
  const heard: Array<number | undefined> = []
  for (let turn = 0; turn < answers; turn++) heard.push((await connection.next())?.status)
  connection.socket.destroy()
  return heard
}

const head = (...lines: string[]): string => ['POST /mcp HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

t.test('a request that two readers could cut differently is refused, and its connection closed', async (t) => {
  for (const lines of [
    ['Content-Length: 3', 'Transfer-Encoding: chunked'], ['Transfer-Encoding: chunked', 'Content-Length: 3'], ['Content-Length: 3', 'Content-Length: 4'], ['Content-Length: 3, 3'],
    ['Content-Length : 3'], ['Content-Length: +3'], ['Content-Length: 3', 'X: a', ' folded'], ['Transfer-Encoding: chunked, identity'],
    ['X: a\u0000b'], ['Content-Length: 3\rX: y'], ['Content-Length: 3\nX: y']
  ]) t.same(await statuses(Buffer.from(`${head(...lines)}0\r\n\r\n`), 2), [400, undefined], JSON.stringify(lines))
  for (const coding of ['identity', 'xchunked']) {
    t.same(await statuses(Buffer.from(`${head(`Transfer-Encoding: ${coding}`)}0\r\n\r\n`), 2), [501, undefined], coding)
  }
  t.same(await statuses(Buffer.from(head(`Content-Length: ${ping.length}`).replaceAll('\r\n', '\n') + ping), 2), [400, undefined], 'bare line feeds')
})

t.test('a header that must be single and comes twice is refused', async (t) => {
  t.same(await statuses(rawPost(token, ping, ['Host: 127.0.0.1'])), [400])
  t.same(await statuses(rawPost(token, ping, ['Content-Type: application/json'])), [415])
  t.same(await statuses(rawPost(token, ping, [`Authorization: Bearer ${token}`])), [401])
  t.same(await statuses(rawPost(token, ping, ['MCP-Protocol-Version: 2025-06-18', 'MCP-Protocol-Version: 2025-06-18'])), [400])
})

t.test('old, odd and upgrading requests are answered as what they are', async (t) => {
  const withLine = (line: string): Buffer => Buffer.from(rawPost(token, ping).toString().replace('POST /mcp HTTP/1.1', line))
  t.same(await statuses(withLine('POST /mcp HTTP/1.0'), 2), [200, undefined])
  t.same(await statuses(withLine('POST http://127.0.0.1/mcp HTTP/1.1')), [200])
  t.same(await statuses(withLine('POST http://evil.example/mcp HTTP/1.1')), [403])
  t.same(await statuses(withLine('OPTIONS * HTTP/1.1')), [404])
  t.same(await statuses(withLine('CONNECT evil.example:443 HTTP/1.1')), [undefined])
  t.same(await statuses(withLine('PRI * HTTP/2.0'), 2), [400, undefined])
  t.same(await statuses(withLine('BREW /mcp HTTP/1.1'), 2), [400, undefined])
  t.same(await statuses(rawPost(token, ping, ['Connection: upgrade', 'Upgrade: websocket'])), [200])
  t.same(await statuses(rawPost(token, ping, ['Connection: upgrade, http2-settings', 'Upgrade: h2c'])), [200])
  t.same(await statuses(rawPost(token, ping, ['Expect: 100-continue'])), [200])
  t.same(await statuses(rawPost(token, ping, ['Expect: tea'])), [200])
  t.same(await statuses(Buffer.from('1603010200010001fc0303', 'hex'), 2), [400, undefined], 'a TLS handshake')
})

t.test('headers without end are refused', async (t) => {
  t.same(await statuses(rawPost(token, ping, Array.from({ length: 20_000 }, (_, index) => `X-${index}: y`)), 2), [431, undefined])
  t.same(await statuses(rawPost(token, ping, ['X: '.padEnd(70_000, 'y')]), 2), [431, undefined])
})

t.test('a body of 5 MiB in chunks is refused without being kept', async (t) => {
  const connection = await rawConnection(port)
  t.teardown(() => connection.socket.destroy())
  const chunk = Buffer.concat([Buffer.from('4000;x=y\r\n'), Buffer.alloc(0x4000, 0x20), Buffer.from('\r\n')])
  connection.send(head('Transfer-Encoding: chunked'))
  for (let sent = 0; sent < 5 * 1024 * 1024; sent += 0x4000) connection.send(chunk)
  connection.send('0\r\n\r\n')
  t.match(await connection.next(), { status: 413, body: /Request body too large/ })
})

t.test('a whole request behind the body of another is a request of its own, with its own token; one without ends the connection', async (t) => {
  const hidden = Buffer.from(rawPost('wrong', ping))
  t.same(await statuses(Buffer.concat([rawPost(token, ping), rawPost(token, ping), hidden, rawPost(token, ping)]), 4), [200, 200, 401, undefined])
})

testProperties(t, socketProperties(target))
