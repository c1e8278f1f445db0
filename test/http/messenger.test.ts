import t from 'tap'
import { startPoolApp, type PoolApp } from '../support/start-pool-app.ts'

/** An agent of its own principal, with a phone on which the messenger is open. */
async function agent (pool: PoolApp, who: string) {
  const { structuredContent: { lease } } = await pool.call('acquireDevice', {}, { who })
  const run = async (tool: string, args: object = {}) => await pool.call(tool, { lease, ...args }, { who })
  const labelOf = async (id: string) => {
    const { structuredContent: { elements } } = await run('observe', { detail: 'full' })
    return elements.find((element: { id?: string }) => element.id === id)?.label as string
  }
  await run('launchApp', { app: 'Messenger' })
  return {
    run,
    lease,
    number: await labelOf('own_number'),
    sees: async (text: string) => (await run('waitFor', { for: { text }, timeoutMs: 2_000 })).isError !== true,
    async write (to: string, text: string) {
      await run('launchApp', { app: 'Messenger', restart: true })
      await run('inputText', { text: to, into: { id: 'number' } })
      await run('tapOn', { target: { id: 'open_chat' } })
      await run('inputText', { text, into: { id: 'message' } })
      await run('tapOn', { target: { id: 'send' } })
    }
  }
}

t.test('two callers write to each other from their phones, and their next holders find nothing of it', async (t) => {
  const pool = await startPoolApp(t, { phones: 2 })
  const [ada, ben] = [await agent(pool, 'ada'), await agent(pool, 'ben')]
  t.not(ada.number, ben.number)

  await ada.write(ben.number, 'Low tide at six')
  t.ok(await ben.sees('Low tide at six'))
  await ben.write(ada.number, 'I will be there')
  t.ok(await ada.sees('I will be there'))
  t.match(await pool.call('observe', { lease: ben.lease }, { who: 'ada' }), { isError: true, structuredContent: { code: 'lease_unknown' } }, 'a number opens no phone')

  for (const { run } of [ada, ben]) t.match(await run('releaseDevice'), { structuredContent: { state: 'free' } })
  const [cleo, dan] = [await agent(pool, 'cleo'), await agent(pool, 'dan')]
  for (const next of [cleo, dan]) {
    t.notOk([ada.number, ben.number].includes(next.number), 'the number has gone with the lease')
    t.notMatch(JSON.stringify(await next.run('observe', { detail: 'full' })), /Low tide|I will be there/)
  }
  await cleo.write(ben.number, 'Are you there?')
  t.match(JSON.stringify(await cleo.run('observe')), /Not sent/)
  t.notMatch(JSON.stringify(await dan.run('observe')), /Are you there/)
})
