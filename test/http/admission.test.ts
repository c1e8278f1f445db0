import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { manualTime } from '../support/manual-time.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('a request during the start-up waits, its token unread, and then goes on', async (t) => {
  const { app, port, token } = await startTestApp(t, { startUp: false })
  let answered = 0
  const wrong = exchange({ port, method: 'GET', path: '/livez', headers: { authorization: 'Bearer wrong' } }).then((reply) => { answered++; return reply })
  const none = exchange({ port, method: 'GET', path: '/nope' }).then((reply) => { answered++; return reply })
  await heldRequests(app.server, 2)

  t.equal(answered, 0)
  await app.startUp()

  t.equal((await wrong).status, 401)
  t.equal((await none).status, 401)
  t.equal((await exchange({ port, method: 'GET', path: '/livez', headers: { authorization: `Bearer ${await token()}` } })).status, 200)
})

t.test('a foreign Host is refused at once, also during the start-up', async (t) => {
  const { port } = await startTestApp(t, { startUp: false })
  t.equal((await exchange({ port, headers: { host: 'evil.example' } })).status, 403)
})

t.test('HTTP-19: the hold ends after holdMs with a 503 to be repeated', async (t) => {
  const time = manualTime()
  const { app, port } = await startTestApp(t, { startUp: false, clock: time.clock, scheduler: time.scheduler })
  const held = exchange({ port, method: 'GET', path: '/livez' })
  await heldRequests(app.server, 1)

  time.advance(30_000)

  const reply = await held
  t.equal(reply.status, 503)
  t.equal(reply.headers['retry-after'], '1')
  t.same(reply.json(), { error: 'Daemon is still starting' })
  await app.startUp()
})

t.test('only so many requests are held; one whose client leaves makes room', async (t) => {
  const { app, port } = await startTestApp(t, { startUp: false, flags: ['--max-held-requests', '1'] })
  const leaver = connect(port, '127.0.0.1')
  leaver.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await heldRequests(app.server, 1)

  t.same((await exchange({ port, method: 'GET', path: '/livez' })).json(), { error: 'Daemon is still starting' })

  leaver.destroy()
  await serverSawClose(app.server)
  const next = exchange({ port, method: 'GET', path: '/livez' })
  await heldRequests(app.server, 1)
  await app.startUp()
  t.equal((await next).status, 401, 'it was held and then went on')
})

t.test('after a failed start-up everything is answered 503 without Retry-After, also what was held', async (t) => {
  const { app, port } = await startTestApp(t, { startUp: false, connectDevices: async () => { throw new Error('no disk') } })
  const held = exchange({ port, method: 'GET', path: '/livez' })
  await heldRequests(app.server, 1)

  await t.rejects(app.startUp(), { message: 'no disk' })

  for (const reply of [await held, await exchange({ port })]) {
    t.equal(reply.status, 503)
    t.notOk('retry-after' in reply.headers, 'it does not pass by itself')
    t.same(reply.json(), { error: 'Daemon startup failed' })
  }
})

t.test('HTTP-19, CALL-08: more requests than the limit are turned away with a 429 to be repeated', async (t) => {
  const { app, port, token } = await startTestApp(t, { flags: ['--max-requests-in-flight', '1'] })
  const authorization = `Bearer ${await token()}`
  const slow = connect(port, '127.0.0.1')
  slow.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`)
  await once(app.server, 'request')

  const reply = await exchange({ port, method: 'GET', path: '/nope', headers: { authorization } })

  t.equal(reply.status, 429)
  t.equal(reply.headers['retry-after'], '1')
  slow.destroy()
})

t.test('HTTP-19: while it drains, new requests are refused, and so is one whose body comes too late', async (t) => {
  const { app, port, token } = await startTestApp(t)
  const authorization = `Bearer ${await token()}`
  const slow = connect(port, '127.0.0.1')
  slow.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`)
  await once(app.server, 'request')

  app.admission.drain()
  slow.write('}')

  const [late] = await once(slow, 'data') as [Buffer]
  t.match(late.toString(), /^HTTP\/1\.1 503 [^]*"error":"Daemon is shutting down"/)
  t.same((await exchange({ port })).json(), { error: 'Daemon is shutting down' })
  slow.destroy()
})

t.test('200 requests at once are all answered', async (t) => {
  const { port, token } = await startTestApp(t)
  const wire = mcpWire({ port, token: await token() })

  const replies = await Promise.all(Array.from({ length: 200 }, async () => await wire.modern('tools/list')))

  t.same([...new Set(replies.map((reply) => reply.status))], [200])
})

/** Resolves once the server has seen that many further requests. */
async function heldRequests (server: NodeJS.EventEmitter, count: number): Promise<void> {
  for (let seen = 0; seen < count; seen++) await once(server, 'request')
}

/** Resolves once the server has noticed the end of a connection. */
async function serverSawClose (server: NodeJS.EventEmitter & { getConnections? (callback: (error: Error | null, count: number) => void): void }): Promise<void> {
  const open = async (): Promise<number> => await new Promise((resolve) => server.getConnections?.((_error, count) => resolve(count)))
  while (await open() > 0) await new Promise((resolve) => setImmediate(resolve))
}
