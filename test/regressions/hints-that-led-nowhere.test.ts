/**
 * Refusals of HTTP whose next step did not help: a QUERY was told to send a complete body, one in a
 * transfer coding that is not taken that its text is not UTF-8, and a list in the place of a
 * mirrored text that there is no value.
 */
import t, { type Test } from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { rawConnection } from '../support/raw-connection.ts'
import { startTestApp } from '../support/start-test-app.ts'

async function setup (t: Test) {
  const { port, token } = await startTestApp(t)
  const value = await token()
  const headers = { authorization: `Bearer ${value}` }
  return { port, token: value, headers, wire: mcpWire({ port, token: value }) }
}

t.test('HTTP-08: whatever a method brings to a path that does not take it, it is told which one does', async (t) => {
  const { port, headers } = await setup(t)
  for (const method of ['QUERY', 'PUT', 'PATCH', 'PROPFIND', 'DELETE']) {
    for (const more of [{}, { 'content-type': 'nonsense' }, { 'content-type': 'application/json', 'content-length': '0' }]) {
      const reply = await exchange({ port, method, headers: { ...headers, ...more } })
      t.equal(reply.status, 405, `${method} ${JSON.stringify(more)}`)
      t.match(reply.headers, { allow: 'POST' })
      t.match(reply.json(), { nextAction: 'Use POST.' })
      t.equal((await exchange({ port, method, path: '/nope', headers: { ...headers, ...more } })).status, 404)
    }
  }
})

t.test('RFC 9112 §6.1: a transfer coding beside chunked is 501, on every path that takes a body', async (t) => {
  const { port, token } = await setup(t)
  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  async function send (path: string, coding: string) {
    const connection = await rawConnection(port)
    t.teardown(() => connection.reset())
    connection.send([
      `POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`, 'Content-Type: application/json', `Transfer-Encoding: ${coding}`, '',
      body.length.toString(16), body, '0', '', ''
    ].join('\r\n'))
    const reply = await connection.next()
    if (reply === undefined) throw new Error('there is no answer')
    return reply
  }

  for (const path of ['/mcp', '/heartbeat', '/devices/drain']) {
    for (const coding of ['gzip, chunked', 'deflate,chunked', 'x-own, Chunked']) {
      const { status, body } = await send(path, coding)
      t.equal(status, 501, `${path} ${coding}`)
      t.match(JSON.parse(body), { error: 'Unsupported transfer encoding', nextAction: /chunked alone/ })
    }
  }
  for (const coding of ['chunked', 'Chunked', ' chunked ']) t.equal((await send('/mcp', coding)).status, 200, coding)
})

t.test('HDR-11: a value that no header can say is named, and so is what to send', async (t) => {
  const { wire } = await setup(t)
  const call = async (platform: unknown) =>
    (await wire.modern('tools/call', { name: 'acquireDevice', arguments: { platform } }, { 'mcp-param-platform': 'ios' })).json().error.message

  t.match(await call(['ios']), /arguments\.platform holds a list, which no header can say; send one text there/)
  t.match(await call({ name: 'ios' }), /arguments\.platform holds an object/)
  t.match(await call(1e20), /arguments\.platform holds a number beyond 2\^53 - 1/)
  t.match(await call(null), /arguments\.platform is null; leave the header out\./)
  t.match(await call(undefined), /arguments\.platform is not there; leave the header out\./)
})
