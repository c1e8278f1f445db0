/**
 * A client of the 2025 revisions hung up while it was being asked. Its call waited on for an answer to
 * a question that no client had any more, until the time limit of calls, and a stop waited for it.
 */
import t from 'tap'
import { startAskingApp } from '../support/start-asking-app.ts'

const ada = { action: 'accept', content: { name: 'Ada' } }

t.test('LEGACY-13, LEGACY-14: a question ends with the connection of the caller that was asked', async (t) => {
  const { app, legacy, post, did } = await startAskingApp(t)
  for (const name of ['greet', 'together', 'paint']) {
    const call = await legacy('tools/call', { name })
    const { id } = await call.next()

    call.close()
    await app.mcp.running.idle()

    t.equal((await post({ jsonrpc: '2.0', id, result: ada })).status, 202, 'an answer that comes later is one to nothing')
  }
  t.same(did, [])
})

t.test('a caller that hangs up in a later round ends its call as well', async (t) => {
  const { app, legacy, post, did } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'paint' })
  await post({ jsonrpc: '2.0', id: (await call.next()).id, result: ada })
  await call.next()

  call.close()
  await app.mcp.running.idle()

  t.same(did, [])
})

t.test('work that can do without an answer goes on', async (t) => {
  const { app, legacy, log } = await startAskingApp(t)
  const call = await legacy('tools/call', { name: 'careless' })
  await call.next()

  call.close()
  await app.mcp.running.idle()

  t.match(log(), /"tool":"careless","outcome":"done"/)
})
