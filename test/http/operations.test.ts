import t, { type Test } from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startSharedPool } from '../support/start-shared-pool.ts'

async function setup (t: Test, options: Parameters<typeof startSharedPool>[1] = {}) {
  const pool = await startSharedPool(t, options)
  const { caller } = pool
  return { ...pool, ada: caller('ada'), bob: caller('bob'), olga: caller('olga') }
}

t.test('a drained device goes on for its holder and is granted to nobody else, until it is undrained', async (t) => {
  const { olga, ada, bob, time } = await setup(t)
  const lease = await ada.acquire({ device: 'phone-1' })

  const drained = await olga.post('/devices/phone-1/drain', { reason: 'new battery' })

  t.equal(drained.status, 200)
  const at = new Date(time.clock.nowMs()).toISOString()
  t.match(drained.json(), { devices: [{ id: 'phone-1', state: 'draining', holds: [{ kind: 'drain', reason: 'new battery', by: 'olga', at }], lease: { holder: 'ada' } }] })
  t.match(await ada.wire.call('renewLease', { lease: lease.handle }), { structuredContent: { fence: lease.fence } })
  await ada.release(lease)
  await t.rejects(bob.acquire({ device: 'phone-1' }), { code: 'devices_on_hold' })
  t.equal((await bob.acquire()).deviceId, 'phone-2')

  t.match((await olga.post('/devices/phone-1/undrain')).json(), { devices: [{ id: 'phone-1', state: 'free' }] })
  t.same((await olga.get('/devices')).json().devices[0].holds, [])
  t.equal((await bob.acquire()).deviceId, 'phone-1')
})

t.test('a drain of all has a deadline, at which what is still leased is taken with that reason', async (t) => {
  const { olga, ada, bob, time } = await setup(t)
  const [lease] = [await ada.acquire({ device: 'phone-1' }), await bob.acquire({ device: 'phone-2' })]

  const { devices } = (await olga.post('/devices/drain', { reason: 'moving house', deadlineMs: 60_000 })).json()
  t.same(devices.map(({ id, state }: any) => [id, state]), [['phone-1', 'draining'], ['phone-2', 'draining']])
  t.equal(devices[0].holds[0].deadline, new Date(time.clock.nowMs() + 60_000).toISOString())

  time.advance(59_999)
  t.match(await ada.wire.call('renewLease', { lease: lease.handle }), { structuredContent: { lease: lease.handle } })
  time.advance(1)
  await until(async () => (await olga.get('/leases')).json().leases.length === 0)

  t.match(await ada.wire.call('observe', { lease: lease.handle }), { isError: true, structuredContent: { code: 'lease_ended', reason: 'drained' } })
  const lifted = (await olga.post('/devices/undrain')).json().devices
  t.same(lifted.map(({ id }: any) => id), ['phone-1', 'phone-2'])
})

t.test('a block touches no lease, and neither does its end', async (t) => {
  const { olga, ada, bob } = await setup(t)
  const lease = await ada.acquire({ device: 'phone-1' })

  t.match((await olga.post('/devices/phone-1/block', { reason: 'cracked' })).json(), { devices: [{ state: 'leased', holds: [{ kind: 'block', reason: 'cracked' }] }] })
  t.match(await ada.wire.call('renewLease', { lease: lease.handle }), { structuredContent: { lease: lease.handle } })
  await ada.release(lease)
  t.match((await olga.get('/devices')).json().devices[0], { id: 'phone-1', state: 'blocked' })
  await t.rejects(bob.acquire({ device: 'phone-1' }), { code: 'devices_on_hold' })

  t.match((await olga.post('/devices/phone-1/unblock')).json(), { devices: [{ state: 'free' }] })
  const after = await bob.acquire({ device: 'phone-1' })
  t.equal((await olga.post('/devices/phone-1/unblock')).status, 200, 'a second time')
  t.match(await bob.wire.call('renewLease', { lease: after.handle }), { structuredContent: { lease: after.handle } })
})

t.test('a revoked lease is over for its holder, with the reason in the audit, and nobody else\'s is', async (t) => {
  const { olga, ada, bob } = await setup(t)
  const [mine, other] = [await ada.acquire({ device: 'phone-1' }, { purpose: 'checkout test' }), await bob.acquire({ device: 'phone-2' })]
  const { leases } = (await olga.get('/leases')).json()
  t.match(leases.find(({ device }: any) => device === 'phone-1'), {
    id: `phone-1:${mine.fence}`, handle: `${mine.handle.slice(0, 6)}…`, holder: 'ada', purpose: 'checkout test', state: 'granted', priority: 'normal'
  })

  const revoked = await olga.post(`/leases/phone-1:${mine.fence}/revoke`, { reason: 'needed elsewhere' })

  t.equal(revoked.status, 200)
  t.match(revoked.json(), { lease: { id: `phone-1:${mine.fence}`, end: { reason: 'revoked', note: 'needed elsewhere' } } })
  t.match(await ada.wire.call('renewLease', { lease: mine.handle }), { isError: true, structuredContent: { code: 'lease_ended', reason: 'revoked' } })
  t.match(await bob.wire.call('renewLease', { lease: other.handle }), { structuredContent: { lease: other.handle } })
  t.match((await olga.get('/audit')).json().entries.find(({ event }: any) => event === 'end'), {
    device: 'phone-1', lease: mine.handle.slice(0, 6), holder: 'ada', by: 'olga', reason: /needed elsewhere/
  })
})

t.test('the id of a lease that is over never means the next one', async (t) => {
  const { olga, ada, bob } = await setup(t)
  const first = await ada.acquire({ device: 'phone-1' })
  await ada.release(first)
  const second = await bob.acquire({ device: 'phone-1' })

  for (const id of [`phone-1:${first.fence}`, 'phone-1:999', 'phone-1', 'nope:1', second.handle, encodeURIComponent('../mcp')]) {
    const reply = await olga.post(`/leases/${id}/revoke`, { reason: 'a mistake' })
    t.equal(reply.status, 404, id)
    t.match(reply.json(), { error: String, code: 'lease_unknown', retryable: false, nextAction: /GET \/leases/ })
  }
  t.match(await bob.wire.call('renewLease', { lease: second.handle }), { structuredContent: { lease: second.handle } })
})

t.test('of several orders to revoke one lease, one ends it', async (t) => {
  const { olga, ada } = await setup(t)
  const { fence } = await ada.acquire({ device: 'phone-1' })

  const replies = await Promise.all(Array.from({ length: 4 }, async () => await olga.post(`/leases/phone-1:${fence}/revoke`, { reason: 'x' })))

  t.equal(replies.filter(({ status }) => status === 200).length, 1)
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    t.match(reply.json(), reply.status === 409 ? { code: 'lease_ended', reason: 'revoked', retryable: false } : { code: 'lease_unknown' })
    t.ok([404, 409].includes(reply.status))
  }
  t.equal((await olga.get('/audit')).json().entries.filter(({ event }: any) => event === 'end').length, 1)
})

t.test('a quarantined device is tried again on demand', async (t) => {
  const { olga, ada, phones: [phone] } = await setup(t)
  if (phone === undefined) throw new Error('there is no phone')
  phone.failingCleanups = 1
  await ada.release(await ada.acquire({ device: 'phone-1' }))
  t.match((await olga.get('/devices')).json().devices[0], { id: 'phone-1', state: 'quarantined', failures: 1, reason: String })

  t.match((await olga.post('/devices/phone-1/retry')).json(), { devices: [{ id: 'phone-1', state: 'free' }] })
  t.equal((await olga.post('/devices/phone-1/retry')).status, 200, 'one that is free stays so')
})

t.test('the queue shows what each request waits for, and a request leaves it with its caller', async (t) => {
  const { olga, ada, bob, time } = await setup(t, { phones: 1 })
  await ada.acquire()
  const leaving = new AbortController()
  const waiting = bob.acquire({ platform: 'android' }, { waitMs: 60_000, purpose: 'nightly', priority: 'low', signal: leaving.signal }).catch(({ code }: { code: string }) => code)
  await until(async () => (await olga.get('/queue')).json().waiting.length === 1)
  time.advance(5_000)

  t.match((await olga.get('/queue')).json().waiting, [{
    position: 1, holder: 'bob', purpose: 'nightly', priority: 'low', wanted: [{ platform: 'android' }], waitedMs: 5_000, since: new Date(time.clock.nowMs() - 5_000).toISOString()
  }])
  leaving.abort()
  t.equal(await waiting, 'cancelled')
  t.same((await olga.get('/queue')).json(), { waiting: [] })
})

t.test('a request can be taken out of the queue, and its caller is told why', async (t) => {
  const { olga, ada, bob } = await setup(t, { phones: 1 })
  await ada.acquire()
  const [first, second] = [1, 2].map(() => bob.acquire({}, { waitMs: 60_000 }).catch((refusal: unknown) => refusal))
  await until(async () => (await olga.get('/queue')).json().waiting.length === 2)
  const [, { id, since }] = (await olga.get('/queue')).json().waiting

  const removed = await olga.post(`/queue/${id}/remove`, { reason: 'one each, please' })

  t.equal(removed.status, 200)
  t.match(removed.json(), { request: { id, since, position: 2, holder: 'bob' } })
  const answered = await Promise.race([first, second])
  t.match(answered, { code: 'request_removed', message: /: "one each, please"\.$/ })
  const again = await olga.post(`/queue/${id}/remove`, { reason: 'x' })
  t.equal(again.status, 404)
  t.match(again.json(), { code: 'request_unknown', nextAction: /GET \/queue/ })
  t.equal((await olga.post(`/queue/${id}/remove`, {})).status, 400)
  t.equal((await olga.get('/queue')).json().waiting.length, 1)
  t.same((await olga.get('/audit')).json().entries.map(({ event }: any) => event), ['grant'])
})

t.test('the audit comes in pages, the latest first', async (t) => {
  const { olga } = await setup(t)
  for (let turn = 0; turn < 3; turn++) {
    await olga.post('/devices/phone-1/block', { reason: `turn ${turn}` })
    await olga.post('/devices/phone-1/unblock')
  }

  const first = (await olga.get('/audit?limit=4')).json().entries
  const second = (await olga.get(`/audit?limit=4&before=${first.at(-1).id}`)).json().entries

  t.same([...first, ...second].map(({ event }: any) => event), ['unblock', 'block', 'unblock', 'block', 'unblock', 'block'])
  t.match(first[1], { device: 'phone-1', by: 'olga', reason: 'turn 2', at: /^2026-/ })
  for (const query of ['limit=0', 'limit=1001', 'limit=ten', 'before=-1', 'beforr=3', 'limit=1&limit=2']) {
    const reply = await olga.get(`/audit?${query}`)
    t.equal(reply.status, 400, query)
    t.match(reply.json(), { code: 'invalid_request', retryable: false, nextAction: String }, query)
  }
})

t.test('an unknown device is refused alike by every order', async (t) => {
  const { olga } = await setup(t)
  for (const [order, body] of [['drain', { reason: 'x' }], ['block', { reason: 'x' }], ['undrain'], ['unblock'], ['retry']] as const) {
    const reply = await olga.post(`/devices/nope/${order}`, body)
    t.equal(reply.status, 404, order)
    t.match(reply.json(), { error: String, code: 'device_unknown', retryable: false, nextAction: String }, order)
  }
})

t.test('what a body may hold is checked, and an order that is not understood changes nothing', async (t) => {
  const { olga } = await setup(t)
  const wrong: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['/devices/phone-1/drain', {}, /reason/],
    ['/devices/phone-1/drain', { reason: '' }, /reason/],
    ['/devices/phone-1/drain', { reason: 5 }, /reason/],
    ['/devices/phone-1/drain', { reason: 'x'.repeat(201) }, /reason/],
    ...['a\nb', '\u001b[2J', '\u0000', 'a\u2028b', '\u202ekool', '\ud800', 'x\u{e0041}'].map((reason) => ['/leases/phone-1:1/revoke', { reason }, /reason/] as const),
    ['/devices/phone-1/drain', { reason: 'x', deadlineMs: '60000' }, /deadlineMs/],
    ['/devices/phone-1/drain', { reason: 'x', deadlineMs: -1 }, /deadlineMs/],
    ['/devices/phone-1/drain', { reason: 'x', deadlineMs: 604_800_001 }, /deadlineMs/],
    ['/devices/phone-1/drain', { reason: 'x', deadlineMS: 1 }, /"deadlineMS"/],
    ['/devices/drain', { reason: 'x', device: 'phone-1' }, /"device"/],
    ['/devices/phone-1/block', { reason: 'x', deadlineMs: 1 }, /"deadlineMs"/],
    ['/leases/phone-1:1/revoke', [], /object/],
    ['/devices/phone-1/block', 'null', /object/]
  ]
  for (const [path, body, says] of wrong) {
    const reply = await olga.post(path, body)
    t.equal(reply.status, 400, JSON.stringify(body).replace(/[^ -~]/gu, '?'))
    t.match(reply.json(), { error: says, code: 'invalid_request', retryable: false, nextAction: String })
  }
  for (const body of ['{', '', '{"reason":"x","__proto__":{}}', '{"reason":"\\ud8']) {
    const reply = await olga.post('/devices/drain', body)
    t.equal(reply.status, 400, body)
    t.match(reply.json(), { error: 'Invalid JSON', code: 'invalid_json', retryable: false, nextAction: String })
  }
  t.match((await olga.get('/devices')).json().devices, [{ state: 'free' }, { state: 'free' }])
  t.same((await olga.get('/audit')).json(), { entries: [] })
})

t.test('a reason may be in any language', async (t) => {
  const { olga } = await setup(t)
  for (const reason of ['Akku defekt – bitte nicht benutzen', 'شاشة مكسورة', 'می‌خواهم', '画面が割れた', '👩‍🔧 at it']) {
    t.match((await olga.post('/devices/phone-1/block', { reason })).json(), { devices: [{ reason, holds: [{ reason }] }] })
  }
})

t.test('size, type, method, token and Host are checked as everywhere', async (t) => {
  const { port, token } = await setup(t, { flags: ['--body-limit-bytes', '1024'] })
  const authorization = `Bearer ${token}`
  const json = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ reason: 'x' })
  const path = '/devices/phone-1/block'

  const large = await exchange({ port, path, headers: json, body: JSON.stringify({ reason: 'x'.repeat(2_000) }) })
  t.equal(large.status, 413)
  t.match(large.json(), { error: 'Request body too large', nextAction: /1024/ })
  t.equal((await exchange({ port, path, headers: { authorization, 'content-type': 'text/plain' }, body })).status, 415)
  t.equal((await exchange({ port, path, headers: { authorization }, body })).status, 415)
  t.equal((await exchange({ port, path, headers: { ...json, accept: 'application/json' }, body })).status, 200, 'it never streams')
  t.equal((await exchange({ port, path, headers: { 'content-type': 'application/json' }, body })).status, 401)
  t.equal((await exchange({ port, path, headers: { ...json, host: 'evil.example' }, body })).status, 403)
  for (const [method, wrongPath, allow] of [
    ['GET', path, 'POST'], ['DELETE', '/leases/phone-1:1/revoke', 'POST'], ['PUT', '/devices/drain', 'POST'], ['POST', '/devices', 'GET, HEAD'], ['OPTIONS', '/audit', 'GET, HEAD']
  ] as const) {
    const reply = await exchange({ port, method, path: wrongPath, headers: { authorization } })
    t.equal(reply.status, 405, `${method} ${wrongPath}`)
    t.equal(reply.headers.allow, allow)
    t.match(reply.json(), { error: 'Method not allowed', nextAction: String })
  }
  for (const unknown of ['/devices/phone-1/nope', '/devices//drain', '/devices/a/b/drain', '/leases/phone-1:1', '/devices/:id/nope']) {
    t.equal((await exchange({ port, path: unknown, headers: json, body })).status, 404, unknown)
  }
})

t.test('nothing that operators are shown holds a handle or a principal\'s key', async (t) => {
  const { olga, ada } = await setup(t)
  const lease = await ada.acquire({ device: 'phone-1' })

  for (const path of ['/devices', '/leases', '/queue', '/audit', '/status']) {
    const { text } = await olga.get(path)
    t.notMatch(text, lease.handle, path)
    t.notMatch(text, '\\u0000', path)
  }
  t.notMatch((await olga.post(`/leases/phone-1:${lease.fence}/revoke`, { reason: 'x' })).text, lease.handle)
})

/** Asks again until it is so; each time is a whole exchange. */
async function until (isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo());
}
