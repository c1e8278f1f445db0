import t, { type Test } from 'tap'
import { hashSessionKey } from '../../src/protocol/session-key.ts'
import { exchange } from '../support/http-exchange.ts'
import { startSharedPool } from '../support/start-shared-pool.ts'

async function setup (t: Test, options: Parameters<typeof startSharedPool>[1] = {}) {
  const pool = await startSharedPool(t, options)
  const { caller } = pool
  return { ...pool, ada: caller('ada'), bob: caller('bob') }
}

t.test('a holder says that it is alive, by the handle of its lease', async (t) => {
  const { ada, time } = await setup(t)
  const lease = await ada.acquire({}, { heartbeatMs: 10_000 })

  for (let beat = 0; beat < 6; beat++) {
    time.advance(9_000)
    const reply = await ada.post('/heartbeat', { sessionId: lease.handle })
    t.equal(reply.status, 200)
    t.equal(reply.text, '{"status":"ok"}')
  }
})

t.test('or by the session key that the lease is bound to, which is another one for everybody else', async (t) => {
  const { ada, bob } = await setup(t)
  const sessionKey = String(hashSessionKey('ls_of-my-own'))
  const lease = await ada.acquire({}, { heartbeatMs: 10_000, sessionKey })

  t.equal((await ada.post('/heartbeat', { sessionId: 'ls_of-my-own' })).status, 200)
  t.equal((await bob.post('/heartbeat', { sessionId: 'ls_of-my-own' })).status, 404)
  t.equal((await ada.post('/heartbeat', { sessionId: sessionKey })).status, 404, 'the hash is no key')

  await ada.release(lease)
  t.same((await ada.post('/heartbeat', { sessionId: 'ls_of-my-own' })).json(), { error: 'Session not found', releaseReason: 'released' })
  t.same((await bob.post('/heartbeat', { sessionId: 'ls_of-my-own' })).json(), { error: 'Session not found' })
})

t.test('who stops is told so, and why, when it comes back', async (t) => {
  const { ada, time } = await setup(t)
  const lease = await ada.acquire({}, { heartbeatMs: 10_000 })

  time.advance(20_000)

  const reply = await ada.post('/heartbeat', { sessionId: lease.handle })
  t.equal(reply.status, 404)
  t.equal(reply.text, '{"error":"Session not found","releaseReason":"heartbeat_lost"}')
})

t.test('somebody else\'s lease, live or over, reads like one that never was', async (t) => {
  const { ada, bob } = await setup(t)
  const live = await ada.acquire()
  const over = await ada.acquire()
  await ada.release(over)

  const answers = await Promise.all([live.handle, over.handle, 'ls_AAAAAAAAAAAAAAAAAAAAAA', 'never', 'x'.repeat(5_000), '\u0000'].map(async (sessionId) => {
    const { status, text } = await bob.post('/heartbeat', { sessionId })
    return [status, text]
  }))

  for (const answer of answers) t.same(answer, [404, '{"error":"Session not found"}'])
  t.equal((await ada.post('/heartbeat', { sessionId: over.handle })).text, '{"error":"Session not found","releaseReason":"released"}')
})

t.test('what is no heartbeat is refused in one short member', async (t) => {
  const { port, token, ada } = await setup(t, { flags: ['--body-limit-bytes', '1024'] })
  const authorization = `Bearer ${token}`

  for (const body of [{}, { sessionId: '' }, { sessionId: 5 }, { sessionId: null }, { sessionID: 'x' }, [], '"x"', 'null']) {
    const reply = await ada.post('/heartbeat', body)
    t.equal(reply.status, 400, JSON.stringify(body))
    t.equal(reply.text, '{"error":"Missing sessionId"}')
  }
  const broken = await ada.post('/heartbeat', '{')
  t.equal(broken.status, 400)
  t.equal(broken.text, '{"error":"Invalid JSON"}')
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const reply = await exchange({ port, method, path: '/heartbeat', headers: { authorization } })
    t.equal(reply.status, 405, method)
    t.equal(reply.headers.allow, 'POST')
    if (method !== 'HEAD') t.equal(reply.text, '{"error":"Method not allowed"}')
  }
  t.equal((await ada.post('/heartbeat', { sessionId: 'x'.repeat(2_000) })).status, 413)
  t.equal((await exchange({ port, path: '/heartbeat', headers: { authorization, 'content-type': 'text/plain' }, body: '{}' })).status, 415)
  t.equal((await exchange({ port, path: '/heartbeat', headers: { 'content-type': 'application/json' }, body: '{}' })).status, 401)
})

t.test('members that other servers know are passed over', async (t) => {
  const { ada } = await setup(t)
  const { handle } = await ada.acquire()
  t.equal((await ada.post('/heartbeat', { sessionId: handle, ownerToken: 'abc', liveness: 'proxy' })).status, 200)
})

t.test('it waits for no call, neither on its phone nor for a place in a full server', async (t) => {
  const { ada, bob, phones: [phone] } = await setup(t, { flags: ['--max-requests-in-flight', '1'] })
  const lease = await ada.acquire({ device: 'phone-1' })
  const hold = phone?.hold('observe')
  const looking = ada.wire.call('observe', { lease: lease.handle })
  await hold?.begun

  t.equal((await bob.wire.modern('tools/list')).status, 429, 'the server is full')
  t.equal((await ada.post('/heartbeat', { sessionId: lease.handle })).status, 200)
  t.equal((await bob.get('/leases')).status, 200, 'and whoever looks after it gets through as well')

  hold?.finish()
  t.match(await looking, { structuredContent: {} })
})

t.test('it is no control call, and does not keep an idle lease', async (t) => {
  const { ada, time } = await setup(t, { flags: ['--leases-idle-ms', '60000'] })
  const lease = await ada.acquire()

  time.advance(59_000)
  t.equal((await ada.post('/heartbeat', { sessionId: lease.handle })).status, 200)
  time.advance(1_000)

  t.match((await ada.post('/heartbeat', { sessionId: lease.handle })).json(), { releaseReason: 'idle' })
})
