/** A whole server whose database takes no writes for a while: its file is moved away, and put back. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { startPoolApp } from '../support/start-pool-app.ts'

async function setup (t: Test) {
  const app = await startPoolApp(t, { phones: 2 })
  const authorization = `Bearer ${await app.token()}`
  const file = join(app.stateDir, 'mooring.sqlite')
  const get = async (path: string) => await exchange({ port: app.port, method: 'GET', path, headers: { authorization } })
  const post = async (path: string, body: object) => await exchange({
    port: app.port, method: 'POST', path, headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body)
  })
  return {
    ...app,
    get,
    post,
    lose () { renameSync(file, `${file}.away`) },
    find () { renameSync(`${file}.away`, file) }
  }
}

const refused = { isError: true, structuredContent: { code: 'store_not_writable', retryable: true, retryAfterMs: 5_000 } }

t.test('while nothing can be written, calls are refused for now, looks are answered, and all goes on afterwards', async (t) => {
  const { call, get, post, lose, find, held } = await setup(t)
  const { structuredContent: { lease, device: { id } } } = await call('acquireDevice', {})
  await call('observe', { lease })
  lose()

  t.match(await call('acquireDevice', {}), refused)
  t.match(await call('pressButton', { lease, button: 'home' }), refused)
  t.match(await call('releaseDevice', { lease }), refused)
  t.match(await call('renewLease', { lease }), refused)
  for (const [tool, args] of [['observe', { lease }], ['captureScreenshot', { lease }], ['listLeases', {}], ['listDevices', {}]] as const) {
    t.not((await call(tool, args)).isError, true, tool)
  }
  t.match(await get('/readyz'), { status: 503, headers: { 'retry-after': '5' } })
  t.match((await get('/readyz')).json(), { status: 'unready', reason: /deleted or replaced/ })
  t.equal((await get('/livez')).status, 200, 'a restart would mend nothing')
  t.match((await get('/status')).json(), { leases: { granted: 1 }, store: { answering: true, writable: false, problem: /deleted or replaced/ } })
  const order = await post(`/devices/${id}/block`, { reason: 'x' })
  t.match(order, { status: 503, headers: { 'retry-after': '5' } })
  t.match(order.json(), { code: 'store_not_writable', retryable: true })

  find()
  t.equal((await call('pressButton', { lease, button: 'home' })).isError, undefined)
  t.equal((await get('/readyz')).status, 200)
  t.match((await get('/status')).json(), { store: { answering: true, writable: true } })
  t.equal((await post(`/devices/${id}/block`, { reason: 'x' })).status, 200)
  t.equal((await call('releaseDevice', { lease })).isError, undefined)
  t.strictSame(await held(), [])
})

t.test('a request that waits for a phone outlasts a database that cannot be written to', async (t) => {
  const { call, lose, find, waiting } = await setup(t)
  const first = await call('acquireDevice', {})
  await call('acquireDevice', {})
  const waiter = call('acquireDevice', { waitMs: 60_000 })
  await waiting(1)
  lose()
  t.match(await call('releaseDevice', { lease: first.structuredContent.lease }), refused)
  await waiting(1)

  find()
  await call('releaseDevice', { lease: first.structuredContent.lease })
  t.match(await waiter, { structuredContent: { lease: String } })
})
