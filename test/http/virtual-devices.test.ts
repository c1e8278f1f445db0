import t, { type Test } from 'tap'
import { callerHeader } from '../../scripts/support/named-callers.ts'
import type { Lease } from '../../src/leases/contract/lease.ts'
import { exchange } from '../support/http-exchange.ts'
import { startTestApp } from '../support/start-test-app.ts'

const holder = { principal: 'mooring\0ada' }

async function setup (t: Test, phones = 1) {
  const { app, port, token } = await startTestApp(t, { phones })
  const headers = { authorization: `Bearer ${await token()}`, [callerHeader]: 'olga' }
  const send = async (method: string, path: string, body?: unknown) => body === undefined
    ? await exchange({ port, method, path, headers })
    : await exchange({ port, method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const ids = async (): Promise<readonly string[]> => (await send('GET', '/devices')).json().devices.map(({ id }: any) => id)
  return {
    app,
    send,
    ids,
    add: async (order: object) => await send('POST', '/devices/virtual', order),
    remove: async (id: string, query = 'reason=not+needed') => await send('DELETE', `/devices/virtual/${id}?${query}`),
    acquire: async (device: string, waitMs = 0): Promise<Lease> => await app.leases.acquire({ holder, selector: { device }, waitMs, signal: new AbortController().signal }),
    /** Resolves when the device has left the pool. */
    async left (id: string) {
      while ((await ids()).includes(id));
    }
  }
}

t.test('a phone that is added can be leased at once, by what it was ordered to be', async (t) => {
  const { app, add, ids } = await setup(t)

  const reply = await add({ platform: 'android', name: 'Kiosk 7', model: 'Pixel 9', labels: ['kiosk'] })

  t.equal(reply.status, 201)
  t.match(reply.json(), {
    device: { id: 'virtual-android-2', name: 'Kiosk 7', platform: 'android', kind: 'virtual', model: 'Pixel 9', labels: ['virtual', 'kiosk'], state: 'free', holds: [] }
  })
  t.same(await ids(), ['virtual-android-1', 'virtual-android-2'])
  const lease = await app.leases.acquire({ holder, selector: { labels: ['kiosk'] }, signal: new AbortController().signal })
  t.equal(lease.deviceId, 'virtual-android-2')
  await app.leases.use({ handle: lease.handle, holder, signal: new AbortController().signal, kind: 'look' }, async ({ driver, signal }) => {
    t.match(await driver.observe({ fence: lease.fence, signal }), { app: null })
  })
})

t.test('a request that waits gets the phone that is added for it', async (t) => {
  const { app, add, acquire } = await setup(t)
  await acquire('virtual-android-1')
  const waiting = app.leases.acquire({ holder, selector: { platform: 'android' }, waitMs: 60_000, signal: new AbortController().signal })
  while (app.leases.waiting().length === 0) await undefined

  await add({ platform: 'android' })

  t.equal((await waiting).deviceId, 'virtual-android-2')
})

t.test('a free phone leaves at once, and its id is not given to another one', async (t) => {
  const { add, remove, left, ids, acquire } = await setup(t)
  await add({ platform: 'android' })

  const reply = await remove('virtual-android-2')
  t.equal(reply.status, 202)
  await left('virtual-android-2')

  await t.rejects(acquire('virtual-android-2'), { code: 'no_such_device' })
  t.match((await add({ platform: 'android' })).json(), { device: { id: 'virtual-android-3' } })
  t.equal((await remove('virtual-android-1')).status, 202, 'those of the settings leave as well')
  await left('virtual-android-1')
  t.same(await ids(), ['virtual-android-3'])
})

t.test('a leased phone waits for the end of its lease, and is granted to no other request meanwhile', async (t) => {
  const { app, add, remove, left, acquire } = await setup(t)
  await add({ platform: 'android' })
  const lease = await acquire('virtual-android-2')

  t.match((await remove('virtual-android-2')).json(), {
    devices: [{ id: 'virtual-android-2', state: 'draining', reason: 'not needed', holds: [{ kind: 'drain', by: 'olga', reason: 'not needed' }], lease: { holder: 'ada' } }]
  })
  t.match(await app.leases.renew({ handle: lease.handle, holder }), { state: 'granted' })
  await t.rejects(acquire('virtual-android-2'), { code: 'no_such_device' })

  await app.leases.release({ handle: lease.handle, holder })
  await left('virtual-android-2')
  t.match(await app.leases.release({ handle: lease.handle, holder }), { releasedNow: false }, 'its holder is answered as before')
})

t.test('a lease is ended when the operator says so, also by a second order', async (t) => {
  const { app, add, remove, left, acquire } = await setup(t)
  await add({ platform: 'android' })
  const lease = await acquire('virtual-android-2')
  await remove('virtual-android-2')

  t.equal((await remove('virtual-android-2', 'reason=needed%20elsewhere&lease=end')).status, 202)

  await t.rejects(app.leases.renew({ handle: lease.handle, holder }), { code: 'lease_ended', details: { reason: 'drained' } })
  await left('virtual-android-2')
  t.equal((await remove('virtual-android-2')).status, 404)
})

t.test('the audit tells who added a phone, who took it out, and why', async (t) => {
  const { send, add, remove, left } = await setup(t)
  await add({ platform: 'android' })
  await remove('virtual-android-2')
  await left('virtual-android-2')

  const { entries } = (await send('GET', '/audit')).json()
  t.match(entries, [
    { event: 'remove', device: 'virtual-android-2', by: 'olga', reason: 'not needed' },
    { event: 'drain', device: 'virtual-android-2', by: 'olga', reason: 'not needed' },
    { event: 'add', device: 'virtual-android-2', by: 'olga' }
  ])
  t.equal(entries.length, 3)
})

t.test('there are 200 virtual phones at most', async (t) => {
  const { add } = await setup(t, 200)

  const reply = await add({ platform: 'ios' })

  t.equal(reply.status, 429)
  t.match(reply.json(), { error: String, code: 'virtual_device_limit', retryable: true, nextAction: String, most: 200 })
})

t.test('what is ordered is checked, and an order that is not understood changes nothing', async (t) => {
  const { send, add, remove, ids } = await setup(t)
  const wrong: ReadonlyArray<readonly [unknown, RegExp]> = [
    [{}, /platform/],
    [{ platform: 'windows' }, /platform/],
    [{ platform: 'ios', name: '' }, /name/],
    [{ platform: 'ios', name: 'x'.repeat(61) }, /name/],
    [{ platform: 'ios', model: 'a\nb' }, /model/],
    [{ platform: 'ios', labels: 'kiosk' }, /labels/],
    [{ platform: 'ios', labels: ['a', 'a'] }, /labels/],
    [{ platform: 'ios', labels: Array.from({ length: 17 }, (_, i) => `l${i}`) }, /labels/],
    [{ platform: 'ios', labels: ['\u202ekool'] }, /labels/],
    [{ platform: 'ios', id: 'mine' }, /"id"/],
    [[], /object/]
  ]
  for (const [order, says] of wrong) {
    const reply = await send('POST', '/devices/virtual', order)
    t.equal(reply.status, 400)
    t.match(reply.json(), { error: says, code: 'invalid_request' })
  }
  for (const query of ['', 'reason=', 'reason=x&lease=revoke', 'reason=x&force=true', 'reason=x&reason=y', 'reason=a%0Ab']) {
    t.match((await remove('virtual-android-1', query)).json(), { code: 'invalid_request' }, query)
  }
  for (const id of ['phone-1', 'virtual-android-9', '..%2fmcp']) {
    t.match((await remove(id)).json(), { code: 'device_unknown' })
  }
  for (const [method, path, allow] of [['PUT', '/devices/virtual', 'POST'], ['POST', '/devices/virtual/virtual-android-1', 'DELETE']] as const) {
    const reply = await send(method, path)
    t.same([reply.status, reply.headers.allow], [405, allow])
  }
  t.equal((await add({ platform: 'ios', name: 'Προθήκη', labels: [] })).status, 201)
  t.same(await ids(), ['virtual-android-1', 'virtual-ios-1'])
})

t.test('SUB-02, DISC-01: that phones come and go is promised and published as a change of the list of resources', async (t) => {
  const { app, add, remove, left } = await setup(t)
  const told: unknown[] = []
  app.bus.subscribe('global', (change) => { if (change.type === 'list') told.push(change.list) })

  await add({ platform: 'android', name: 'Kiosk 7' })
  t.same(told, ['resources'])
  const lease = await app.leases.acquire({ holder, selector: { device: 'virtual-android-2' }, signal: new AbortController().signal })
  await app.leases.release({ handle: lease.handle, holder })
  t.same(told, ['resources'], 'a lease changes no list')
  await remove('virtual-android-2')
  await left('virtual-android-2')
  t.same(told, ['resources', 'resources'])
})
