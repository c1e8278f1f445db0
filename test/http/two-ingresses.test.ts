/**
 * Two HTTP listeners before one engine. The second has rules of its own: it is called under any
 * name, and what authenticates there is a key in another header, which names another principal.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import t, { type Test } from 'tap'
import type {} from '../../plugins/admission.ts'
import type { Authenticator } from '../../src/auth/authenticator.ts'
import { buildHttp } from '../../src/build-http.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { exchange } from '../support/http-exchange.ts'
import { idle } from '../support/idle.ts'
import { eventsOf, mcpWire } from '../support/mcp-wire.ts'
import { portOf, startTestApp, type TestAppOptions } from '../support/start-test-app.ts'
import { openStream } from '../support/stream-client.ts'

const key = { 'x-partner-key': 'open sesame' }

const eve = { issuer: 'partners', subject: 'eve', key: 'partners\0eve' }

const partners: Authenticator = {
  authenticate: (headers) => headers['x-partner-key'] === key['x-partner-key'] ? eve : undefined,
  challenge: () => ({ header: 'Partner-Key realm="partners"', description: 'Send your key.', nextAction: 'Ask your contact for a key.' })
}

async function setup (t: Test, options: TestAppOptions = {}) {
  const test = await startTestApp(t, { phones: 2, ...options })
  const { app, config, port } = test
  const second = await buildHttp(app.mooring, {
    authenticator: partners, limits: config.server, clock: systemClock, scheduler: systemScheduler, log: app.log
  })
  t.teardown(async () => await second.close())
  await second.listen({ host: '127.0.0.1', port: 0 })
  const secondPort = portOf(second.server)
  const get = async (at: number, path: string, headers: OutgoingHttpHeaders) => await exchange({ port: at, method: 'GET', path, headers })
  const partner = mcpWire({ port: secondPort, token: 'none', headers: { ...key, authorization: undefined } })
  return { ...test, second, port, secondPort, get, partner }
}

async function firstWire ({ port, token }: { readonly port: number, token (): Promise<string> }) {
  return mcpWire({ port, token: await token() })
}

t.test('each ingress has its own rules for who may call', async (t) => {
  const test = await setup(t)
  const { port, secondPort, get, token } = test
  const authorization = `Bearer ${await token()}`
  const foreign = { host: 'partners.example', origin: 'https://partners.example' }

  t.equal((await get(port, '/livez', { authorization, ...foreign })).status, 403)
  t.equal((await get(secondPort, '/livez', { ...key, ...foreign })).status, 200)
  t.equal((await get(port, '/livez', key)).status, 401)
  t.equal((await get(secondPort, '/livez', { authorization })).status, 401)
})

t.test('AUTH-06: each ingress tells unknown callers what it asks for itself', async (t) => {
  const test = await setup(t)
  const [first, second] = [await test.get(test.port, '/livez', {}), await test.get(test.secondPort, '/livez', {})]

  t.equal(first.headers['www-authenticate'], 'Bearer')
  t.match(first.json(), { error: 'Unauthorized', error_description: /token file/ })
  t.equal(second.headers['www-authenticate'], 'Partner-Key realm="partners"')
  t.same(second.json(), { error: 'Unauthorized', error_description: 'Send your key.', nextAction: 'Ask your contact for a key.' })
})

t.test('both answer from the same dispatcher', async (t) => {
  const test = await setup(t)
  const first = await firstWire(test)

  const lists = await Promise.all([first, test.partner].map(async (wire) => (await wire.modern('tools/list')).text.replace(/"id":\d+/, '')))

  t.equal(lists[0], lists[1])
})

t.test('both share the pool: a lease that was acquired through one is seen by its own principal alone', async (t) => {
  const test = await setup(t)
  const first = await firstWire(test)

  const { structuredContent: { lease, device } } = await first.call('acquireDevice')
  t.match(await test.partner.call('observe', { lease }), { isError: true, structuredContent: { code: 'lease_unknown' } })
  t.match(await test.partner.call('listLeases'), { structuredContent: { leases: [] } })
  const taken = await test.partner.call('acquireDevice')
  t.not(taken.structuredContent.device.id, device.id)
  t.match(await first.call('acquireDevice'), { isError: true, structuredContent: { code: 'capacity_exhausted' } })
  t.same((await test.app.leases.list()).map(({ holder }) => holder.principal).sort(), ['mooring\0local', 'partners\0eve'])
})

t.test('both share the listen streams: a change that one causes is told to a stream on the other', async (t) => {
  const test = await setup(t)
  const first = await firstWire(test)
  const stream = await openStream(t, {
    port: test.secondPort,
    token: 'none',
    headers: key,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: ['mooring://devices'] } }
  })
  t.match(await stream.next(), { method: 'notifications/subscriptions/acknowledged' })

  await first.call('acquireDevice')

  t.match(await stream.next(), { method: 'notifications/resources/updated', params: { uri: 'mooring://devices' } })
})

t.test('closing one ends its streams with their result, and leaves the other and the engine running', async (t) => {
  const test = await setup(t)
  const first = await firstWire(test)
  const { structuredContent: { lease } } = await test.partner.call('acquireDevice')
  const listen = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: ['mooring://devices'] } } }
  const kept = await openStream(t, { port: test.port, token: await test.token(), id: 'kept', ...listen })
  const ended = await openStream(t, { port: test.secondPort, token: 'none', headers: key, id: 'ended', ...listen })
  for (const stream of [kept, ended]) t.match(await stream.next(), { method: 'notifications/subscriptions/acknowledged' })

  await test.second.close()

  t.match(await ended.rest(), [{ id: 'ended', result: { resultType: 'complete' } }])
  await t.rejects(test.partner.call('listLeases'), { code: 'ECONNREFUSED' })
  t.equal(test.app.mooring.state, 'started')
  t.match(await first.call('acquireDevice'), { structuredContent: { lease: /^ls_/ } })
  t.match(await kept.next(), { method: 'notifications/resources/updated', params: { uri: 'mooring://devices' } })
  const handles = (await test.app.leases.list()).map(({ handle }) => handle)
  t.ok(handles.includes(lease), 'a lease belongs to its holder and not to a listener')
})

t.test('closing one aborts the calls that came through it, and no others', async (t) => {
  const test = await setup(t, { flags: ['--shutdown-ms', '200'] })
  const first = await firstWire(test)
  await Promise.all([first.call('acquireDevice'), test.partner.call('acquireDevice')])
  const wait = { name: 'acquireDevice', arguments: { waitMs: 60_000 } }
  const [mine, theirs] = [first, test.partner].map(async (wire) => eventsOf((await wire.modern('tools/call', wait)).text).at(-1))
  while (test.app.leases.waiting().length < 2) await idle()

  await test.second.close()

  t.match(await theirs, { result: { isError: true, structuredContent: { code: 'leases_unavailable', retryable: true } } })
  t.match(test.app.leases.waiting(), [{ principal: 'mooring\0local' }])
  const [lease] = (await test.app.leases.list()).filter(({ holder }) => holder.principal === 'mooring\0local')
  if (lease === undefined) throw new Error('the first caller has no lease')
  await first.call('releaseDevice', { lease: lease.handle })
  t.match(await mine, { result: { structuredContent: { lease: /^ls_/ } } })
})

t.test('requests through either are held until the engine has started', async (t) => {
  const test = await setup(t, { startUp: false })
  const seen = new Promise((resolve) => test.second.server.once('request', resolve))
  const held = test.get(test.secondPort, '/status', key)
  await seen

  t.equal(test.second.admission.state, 'starting')
  await test.app.startUp()

  t.match((await held).json(), { state: 'open', devices: { total: 2 } })
})
