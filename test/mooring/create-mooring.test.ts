import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createMooring } from '../../src/mooring/create-mooring.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemScheduler } from '../../src/runtime/scheduler.ts'
import { openSqliteStore } from '../../src/store/open-store.ts'
import { fakePool } from '../support/fake-driver.ts'
import { mcpRequest } from '../support/mcp-request.ts'
import { startMooring } from '../support/start-mooring.ts'
import { scratchConfig } from '../support/start-test-app.ts'

t.test('an engine without any ingress answers requests and grants leases', async (t) => {
  const mooring = await startMooring(t)

  const request = mcpRequest('tools/call', { name: 'acquireDevice', arguments: {} })
  const prepared = await mooring.mcp.dispatcher.prepare(request)
  if (prepared.kind === 'open') throw new Error('a call opens no stream')
  const outcome = await prepared.run({ progress: () => {}, log: () => {} })

  t.match(outcome, { kind: 'complete', body: { structuredContent: { lease: /^ls_/, device: { id: 'phone-1' } } } })
  t.match(await mooring.leases.list(), [{ deviceId: 'phone-1', holder: { principal: request.principal.key } }])
})

t.test('making an engine opens nothing, and what is not open yet is not given out', async (t) => {
  const config = await scratchConfig(t)
  const mooring = createMooring({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    sources: [{ start: async () => { throw new Error('no source may start') }, stop: async () => {} }]
  })

  t.equal(mooring.state, 'new')
  t.notOk(existsSync(join(config.stateDir, 'mooring.sqlite')))
  t.throws(() => mooring.store, { message: 'store: not started' })
  t.throws(() => mooring.leases, { message: 'leases: not started' })
  await mooring.stop()
})

t.test('an engine that does not start gives up everything it had opened', async (t) => {
  const config = await scratchConfig(t)
  const mooring = createMooring({
    config,
    clock: systemClock,
    scheduler: systemScheduler,
    ids: randomIds,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    sources: [{ start: async () => { throw new Error('no phones') }, stop: async () => {} }]
  })

  await t.rejects(mooring.start(), { message: 'no phones' })

  t.equal(mooring.state, 'failed')
  t.equal(await mooring.settled, 'failed')
  const store = openSqliteStore({ file: join(config.stateDir, 'mooring.sqlite'), isOwnFolder: config.isOwnStateDir })
  t.match(await store.health(), { isAnswering: true, isWritable: true }, 'the database is free for another process')
  await store.close()
})

t.test('further services start last and stop first, and their failure stops the engine', async (t) => {
  const phones = fakePool(1)
  const closed: string[] = []
  const [phone] = phones
  if (phone === undefined) throw new Error('a pool of one has a phone')
  const { close } = phone
  phone.close = async () => { closed.push('phone'); await close() }
  const mooring = await startMooring(t, {
    phones,
    start: false,
    services: [{
      name: 'last',
      start: async () => { closed.push(`last starts with ${(await mooring.leases.devices()).length} phone`); throw new Error('taken') },
      stop: async () => { closed.push('last') }
    }]
  })

  await t.rejects(mooring.start(), { message: 'taken' })

  t.same(closed, ['last starts with 1 phone', 'last', 'phone'])
})
