import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openapiDocument } from '../../scripts/openapi-document.ts'
import { packageRoot, packageVersion } from '../../src/runtime/package-root.ts'
import { exchange, type Reply } from '../support/http-exchange.ts'
import { mcpWire } from '../support/mcp-wire.ts'
import { startTestApp } from '../support/start-test-app.ts'

t.test('the probes need the token like everything else', async (t) => {
  const { port, token } = await startTestApp(t)
  for (const path of ['/livez', '/readyz']) {
    t.equal((await exchange({ port, method: 'GET', path })).status, 401)
    const reply = await exchange({ port, method: 'GET', path, headers: { authorization: `Bearer ${await token()}` } })
    t.equal(reply.status, 200)
    t.same(reply.json(), { status: 'ok' })
  }
})

t.test('one setting opens the bare probes, and nothing else', async (t) => {
  const { app, port } = await startTestApp(t, { flags: ['--open-probes'], startUp: false })
  const get = async (path: string, method = 'GET'): Promise<Reply> => await exchange({ port, method, path })

  t.equal((await get('/livez')).status, 200, 'they are not held during the start-up')
  const starting = await get('/readyz')
  t.equal(starting.status, 503)
  t.match(starting.json(), { status: 'unready', reason: /starting/ })

  await app.startUp()
  t.equal((await get('/readyz')).status, 200)
  t.equal((await get('/readyz?verbose=1')).status, 200, 'a query does not close them')
  t.equal((await get('/livez', 'HEAD')).status, 200)
  t.equal((await get('/livez/')).status, 200, 'the same path')
  for (const [method, path] of [['POST', '/livez'], ['GET', '/status'], ['GET', '/livez//'], ['GET', '/livezz'], ['GET', '//livez']] as const) {
    t.equal((await get(path, method)).status, 401, `${method} ${path}`)
  }

  app.admission.drain()
  t.match((await get('/readyz')).json(), { status: 'unready', reason: /shutting down/ })
  t.equal((await get('/livez')).status, 200)
})

t.test('after a failed start-up a probe is told so, and not to come back', async (t) => {
  const { app, port } = await startTestApp(t, {
    flags: ['--open-probes'], startUp: false, connectDevices: async () => { throw new Error('no phones') }
  })
  await t.rejects(app.startUp(), { message: 'no phones' })

  const { status, headers, json } = await exchange({ port, method: 'GET', path: '/readyz' })

  t.equal(status, 503)
  t.notOk('retry-after' in headers)
  t.match(json(), { status: 'unready', reason: /failed/ })
})

t.test('the status tells devices by state, leases, the queue and the store', async (t) => {
  const { port, token } = await startTestApp(t)
  const status = async (): Promise<any> => (await exchange({ port, method: 'GET', path: '/status', headers: { authorization: `Bearer ${await token()}` } })).json()
  const wire = mcpWire({ port, token: await token() })

  const before = await status()
  const { structuredContent: { lease } } = await wire.call('acquireDevice')
  const during = await status()
  await wire.call('releaseDevice', { lease })

  t.match(before, {
    version: packageVersion,
    state: 'open',
    uptimeMs: Number,
    devices: { total: 2, free: 2, leased: 0 },
    leases: { granted: 0 },
    queue: { waiting: 0 },
    store: { kind: 'sqlite', answering: true }
  })
  t.match(during, { devices: { free: 1, leased: 1 }, leases: { granted: 1 } })
  t.match(await status(), { devices: { free: 2, leased: 0, cleaning: 0 }, leases: { granted: 0 } })
  t.notMatch(JSON.stringify(during), lease, 'a handle is nobody else\'s to see')
})

t.test('openapi/openapi.json says what the routes are', async (t) => {
  t.equal(await readFile(join(packageRoot, 'openapi', 'openapi.json'), 'utf8'), await openapiDocument(), 'run: npm run generate')
})
