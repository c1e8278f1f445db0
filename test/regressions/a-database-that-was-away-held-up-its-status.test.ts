/** What each path for operators answers while the database cannot be reached. */
import t, { type Test } from 'tap'
import { gatewayClient, keepAliveAgent } from '../../scripts/support/gateway-client.ts'
import { pause } from '../../scripts/support/pause.ts'
import { createTestDatabase } from '../../scripts/support/postgres-database.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { unreliableNetwork } from '../support/unreliable-network.ts'

const database = await createTestDatabase()
t.teardown(() => database.drop())
const agent = keepAliveAgent()
t.teardown(() => agent.destroy())

async function until (isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) await pause(20)
}

/** A server with an unreliable network to its database. */
async function setup (t: Test, flags: readonly string[] = []) {
  await database.empty()
  const network = await unreliableNetwork(database.url)
  t.teardown(() => network.close())
  const { port, token } = await startTestApp(t, { flags: ['--store-url', network.url, ...flags] })
  const client = gatewayClient({ port, token: await token() }, 'ada', agent)
  const get = async (path: string) => await client.http('GET', path)
  return { network, client, get }
}

const away = { status: 503, body: { code: 'store_unavailable', retryable: true } }

for (const outage of ['cut', 'silence'] as const) {
  t.test(`while the database is away (${outage}) each path says what the process knows, and no more`, async (t) => {
    const { network, client, get } = await setup(t)
    t.match(await client.call('acquireDevice', {}), { ok: true })

    network[outage]()

    await until(async () => (await get('/readyz')).status === 503)
    t.match(await get('/readyz'), { status: 503, body: { status: 'unready', reason: String } })
    t.match(await get('/livez'), { status: 200 })
    t.match(await get('/status'), {
      status: 200,
      body: {
        leases: { granted: 1, held: [{ state: 'granted' }] },
        devices: { total: 2, leased: 1 },
        store: { answering: false, writable: false, problem: String }
      }
    })
    t.match(await get('/devices'), { status: 200, body: { devices: [{ state: String }, { state: String }] } })
    t.match(await get('/leases'), away)
    t.match(await get('/audit'), away)

    network.mend()
    await until(async () => (await get('/readyz')).status === 200)
    t.match(await get('/leases'), { status: 200, body: { leases: [{ state: 'granted' }] } })
    t.match(await client.call('acquireDevice', {}), { ok: true })
  })
}

t.test('the queue promises no time for a phone whose grant cannot be recorded', async (t) => {
  const { network, client, get } = await setup(t, ['--devices-virtual-ios', '0'])
  const line = async () => ((await get('/queue')).body as { waiting: Array<{ position: number, estimateMs?: number }> }).waiting
  network.cut()
  await until(async () => (await get('/readyz')).status === 503)

  const waiter = client.call('acquireDevice', { waitMs: 600_000 })
  await until(async () => (await line())[0] !== undefined)
  await until(async () => (await line())[0]?.estimateMs === undefined)
  t.strictSame((await line()).map(({ position, estimateMs }) => ({ position, estimateMs })), [{ position: 1, estimateMs: undefined }])

  network.mend()
  t.match(await waiter, { ok: true })
})
