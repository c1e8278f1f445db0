import t, { type Test } from 'tap'
import { labelOfPrincipal } from '../../src/protocol/principal.ts'
import { startSharedPool } from '../support/start-shared-pool.ts'

async function setup (t: Test) {
  const pool = await startSharedPool(t, { phones: 6 })
  const { caller } = pool
  const olga = caller('olga')
  return { ...pool, ada: caller('ada'), bob: caller('bob'), olga, status: async (): Promise<any> => (await olga.get('/status')).json() }
}

t.test('the status counts devices in every state they can be in', async (t) => {
  const { ada, olga, status, phones, time } = await setup(t)
  await ada.acquire({ device: 'phone-1' })
  await olga.post('/devices/phone-2/block', { reason: 'x' })
  await olga.post('/devices/phone-3/drain', { reason: 'x' })
  const failing = phones[3]
  if (failing === undefined) throw new Error('there is no such phone')
  failing.failingCleanups = 1
  await ada.release(await ada.acquire({ device: 'phone-4' }))
  const cleaning = phones[4]?.hold('restoreHome')
  const release = ada.release(await ada.acquire({ device: 'phone-5' }))
  await cleaning?.begun

  t.same((await status()).devices, {
    total: 6, free: 1, leased: 1, cleaning: 1, quarantined: 1, draining: 1, blocked: 1, offline: 0, gone: 0
  })

  cleaning?.finish()
  await release
  t.match((await status()).devices, { free: 2, cleaning: 0 })
  t.equal(time.clock.monotonicMs(), 0, 'none of it takes time')
})

t.test('the status tells who holds what for what, and who waits in which place since when', async (t) => {
  const { ada, bob, status, time } = await setup(t)
  const lease = await ada.acquire({ device: 'phone-1' }, { purpose: 'checkout' })
  const leaving = new AbortController()
  const waiting = [
    bob.acquire({ device: 'phone-1' }, { waitMs: 60_000, priority: 'low', purpose: 'nightly', signal: leaving.signal }),
    ada.acquire({ device: 'phone-1' }, { waitMs: 60_000, signal: leaving.signal })
  ].map(async (request) => await request.catch(() => 'left'))
  while ((await status()).queue.waiting < 2);
  time.advance(2_000)

  const { leases, queue } = await status()

  t.match(leases, { granted: 1, awaitingOwner: 0, held: [{ id: `phone-1:${lease.fence}`, device: 'phone-1', holder: 'ada', purpose: 'checkout', expiresAt: /^2026-01-01T/ }] })
  t.equal(queue.waiting, 2)
  t.match(queue.line, [
    { position: 1, holder: 'ada', priority: 'normal', waitedMs: 2_000 },
    { position: 2, holder: 'bob', priority: 'low', purpose: 'nightly', waitedMs: 2_000 }
  ])
  leaving.abort()
  t.same(await Promise.all(waiting), ['left', 'left'])
  t.match((await status()).queue, { waiting: 0, line: [] })
})

t.test('a principal is called by its name, and by its issuer where that is another server', (t) => {
  t.equal(labelOfPrincipal('mooring\0local'), 'local')
  t.equal(labelOfPrincipal('https://issuer.example\0ada'), 'ada (https://issuer.example)')
  t.end()
})
