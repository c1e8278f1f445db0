/** Another program locks tables or rows of mooring's database: that is what callers and probes are told, and it passes with the lock. */
import t from 'tap'
import { gatewayClient, keepAliveAgent } from '../../scripts/support/gateway-client.ts'
import { pause } from '../../scripts/support/pause.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'
import { grantEvent } from '../support/lease-events.ts'
import { openTestStore, testLimits } from '../support/open-test-store.ts'
import { startTestApp } from '../support/start-test-app.ts'

const database = await createTestDatabase()
t.teardown(() => database.drop())
const agent = keepAliveAgent()
t.teardown(() => agent.destroy())

async function until (isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await pause(20)
}

const lockedRows = 'SELECT FROM devices FOR UPDATE'
const reason = /another program has locked it/

for (const lock of ['LOCK TABLE leases', 'LOCK TABLE leases IN SHARE MODE', 'LOCK TABLE devices IN SHARE MODE', lockedRows]) {
  t.test(`while another program holds ${lock}, changes are refused for that reason, and nothing is lost`, async (t) => {
    await database.empty()
    const store = await openTestStore(database.url, { limits: { ...testLimits, lockMs: 100 } })
    t.teardown(() => store.close())
    await store.leases.enroll(['a', 'b'])
    const granted = await store.leases.change(grantEvent('a', 'ls_1'))
    const other = await database.connect()
    t.teardown(() => other.end())
    await other.query('BEGIN')
    await other.query(lock)

    await t.rejects(store.leases.change(grantEvent('b', 'ls_2')), { code: 'store_not_writable', retryable: true, message: reason })
    t.match(await store.health(), { isWritable: false, problem: reason })

    await other.query('ROLLBACK')
    await until(async () => (await store.health()).isWritable)
    t.strictSame(await store.leases.lease('ls_1'), granted?.lease)
    t.match(await store.leases.change(grantEvent('b', 'ls_2')), { lease: { handle: 'ls_2', fence: 1 } })
  })
}

t.test('a table that cannot be read is told from a database that is away', async (t) => {
  await database.empty()
  const store = await openTestStore(database.url, { limits: { ...testLimits, lockMs: 100 } })
  t.teardown(() => store.close())
  const other = await database.connect()
  t.teardown(() => other.end())
  await other.query('BEGIN')
  await other.query('LOCK TABLE leases')

  await t.rejects(store.leases.lease('ls_1'), { code: 'store_unavailable', retryable: true, message: reason })
})

t.test('a server whose rows another program has locked is not ready, says why, and comes back by itself', async (t) => {
  await database.empty()
  const { port, token } = await startTestApp(t, { flags: ['--store-url', database.url] })
  const client = gatewayClient({ port, token: await token() }, 'ada', agent)
  const { facts: { lease } } = await client.call('acquireDevice', {})
  const other = await database.connect()
  t.teardown(() => other.end())
  await other.query('BEGIN')
  await other.query(lockedRows)

  t.match(await client.call('releaseDevice', { lease }), { ok: false, code: 'store_not_writable', facts: { retryAfterMs: 5_000, message: reason } })
  t.match(await client.http('GET', '/readyz'), { status: 503, body: { reason } })
  t.match(await client.http('GET', '/status'), { status: 200, body: { leases: { granted: 1 }, store: { writable: false, problem: reason } } })

  await other.query('ROLLBACK')
  await until(async () => (await client.http('GET', '/readyz')).status === 200)
  t.match(await client.call('releaseDevice', { lease }), { ok: true, facts: { released: true } })
})
