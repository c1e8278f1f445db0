import t from 'tap'
import { gatewayClient, keepAliveAgent } from '../../scripts/support/gateway-client.ts'
import { pause } from '../../scripts/support/pause.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { openTestStore, testLimits } from '../support/open-test-store.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { unreliableNetwork } from '../support/unreliable-network.ts'

const database = await createTestDatabase()
t.teardown(() => database.drop())
const agent = keepAliveAgent()
t.teardown(() => agent.destroy())

async function until (isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await pause(20)
}

t.test('while the database is away calls are refused and may be repeated; afterwards every lease is there', async (t) => {
  const network = await unreliableNetwork(database.url)
  t.teardown(() => network.close())
  const { port, token, log } = await startTestApp(t, { flags: ['--store-url', network.url] })
  const client = gatewayClient({ port, token: await token() }, 'ada', agent)
  const readiness = async () => (await client.http('GET', '/readyz')).status
  const granted = await client.call('acquireDevice', {})
  t.equal(granted.ok, true)
  const lease = granted.facts['lease']
  t.match((await client.http('GET', '/status')).body, { store: { kind: 'postgres', answering: true } })

  network.cut()

  await until(async () => await readiness() === 503)
  for (const [tool, args] of [['observe', { lease }], ['renewLease', { lease }], ['acquireDevice', {}], ['releaseDevice', { lease }]] as const) {
    t.match(await client.call(tool, args), { ok: false, code: 'store_unavailable', facts: { retryable: true, retryAfterMs: 1_000 } }, tool)
  }

  network.mend()

  await until(async () => await readiness() === 200)
  t.match(await client.call('observe', { lease }), { ok: true })
  t.match(await client.call('releaseDevice', { lease }), { ok: true })
  t.match(log(), /the database is away/)
  t.match(log(), /the database is back/)
  t.notMatch(log(), 'postgres@', 'nothing of the address but server and database')
})

t.test('a gateway stops in order while its database is away', async (t) => {
  await database.empty()
  const network = await unreliableNetwork(database.url)
  t.teardown(() => network.close())
  const { app, port, token } = await startTestApp(t, { flags: ['--store-url', network.url] })
  t.match(await gatewayClient({ port, token: await token() }, 'ada', agent).call('acquireDevice', {}), { ok: true })

  network.cut()

  await t.resolves(app.close())
})

t.test('a gateway whose database another process has taken over stops with an error', async (t) => {
  await database.empty()
  const network = await unreliableNetwork(database.url)
  t.teardown(() => network.close())
  const gateway = await startGatewayProcess(t, { stateDir: t.testdir(), flags: ['--store-url', network.url, '--log-level', 'warn'] })
  t.match(await gatewayClient(gateway, 'ada', agent).call('acquireDevice', {}), { ok: true })

  network.cut()
  const next = await openTestStore(database.url, { limits: { ...testLimits, patienceMs: 60_000 } })
  t.teardown(() => next.close())
  network.mend()

  t.equal(await gateway.exited, 1)
  t.match(gateway.shown.stderr, /stops because of an error: Another gateway has taken over the leases/)
  t.match(await next.leases.liveLeases(), [{ state: 'granted' }])
})

t.test('a second gateway over one database is refused, and says what to do', async (t) => {
  const store = await openTestStore(database.url)
  t.teardown(() => store.close())

  await t.rejects(startTestApp(t, { flags: ['--store-url', database.url] }), { code: 'store_in_use', nextAction: /--store-url/ })
})
