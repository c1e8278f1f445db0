/**
 * A class of advisories about other MCP servers: a handle, a state or an id of one caller works for
 * another (CVE-2026-52869, CVE-2026-52870, CVE-2026-25536, CVE-2026-67430). Everything that a caller
 * can name is tried by another principal, who has to hear what it would hear of what never was.
 */
import t from 'tap'
import { callerHeader } from '../../scripts/support/named-callers.ts'
import { exchange } from '../support/http-exchange.ts'
import { mcpWire, type Wire } from '../support/mcp-wire.ts'
import { startAskingApp } from '../support/start-asking-app.ts'
import { startTestApp } from '../support/start-test-app.ts'

const neverWas = 'ls_0000000000000000000000'

t.test('RPC-10, AUTH-11: a lease works for its holder alone, and for others looks like one that never was', async (t) => {
  const { port, token, app } = await startTestApp(t, { phones: 2, unnamed: 'ada' })
  const value = await token()
  const wireOf = (who: string): Wire => mcpWire({ port, token: value, headers: { [callerHeader]: who } })
  const [ada, eve] = [wireOf('ada'), wireOf('eve')]
  const { structuredContent: { lease } } = await ada.call('acquireDevice')
  const tries: ReadonlyArray<readonly [tool: string, args: object]> = [
    ['observe', {}], ['captureScreenshot', {}], ['pressButton', { button: 'home' }], ['renewLease', {}], ['releaseDevice', {}], ['resetDevice', { confirm: true }],
    ['getDeviceState', {}], ['listApps', {}], ['getFiles', {}]
  ]
  for (const [tool, args] of tries) {
    const [others, nobodys] = [await eve.call(tool, { ...args, lease }), await eve.call(tool, { ...args, lease: neverWas })]
    t.match(others, { isError: true, structuredContent: { code: 'lease_unknown' } }, tool)
    t.same(others, nobodys, `${tool}: no difference`)
  }
  for (const part of ['screen', 'screenshot']) {
    const read = async (handle: string) => (await eve.modern('resources/read', { uri: `mooring://leases/${handle}/${part}` })).text
      .replaceAll(handle, '…').replace(/"id":\d+/, '')
    t.equal(await read(lease), await read(neverWas), part)
  }
  t.same((await eve.call('listLeases')).structuredContent.leases, [])
  const beat = async (sessionId: string, who: string) => await exchange({
    port, path: '/heartbeat', headers: { authorization: `Bearer ${value}`, [callerHeader]: who, 'content-type': 'application/json' }, body: JSON.stringify({ sessionId })
  })
  const [others, nobodys] = [await beat(lease, 'eve'), await beat(neverWas, 'eve')]
  t.same([others.status, others.text], [nobodys.status, nobodys.text])
  t.equal((await beat(lease, 'ada')).status, 200)

  const listen = async (uri: string) => (await eve.modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })).text
    .replace(/"(?:id|io.modelcontextprotocol\/subscriptionId)":\d+/g, '')
  t.equal(await listen(`mooring://leases/${lease}/screen`), await listen(`mooring://leases/${neverWas}/screen`), 'neither is subscribed to')
  t.equal((await app.leases.list()).length, 1)
  t.match(await ada.call('observe', { lease }), { structuredContent: Object })
})

t.test('POOL-01: a session key of another principal is a key of its own', async (t) => {
  const { port, token, app } = await startTestApp(t, { phones: 2, unnamed: 'ada' })
  const value = await token()
  const wireOf = (who: string): Wire => mcpWire({ port, token: value, headers: { [callerHeader]: who, 'x-mooring-session-id': 'the-same-key' } })
  await wireOf('ada').call('observe')
  await wireOf('eve').call('observe')
  const leases = await app.leases.list()
  t.same(new Set(leases.map(({ holder }) => holder.principal)).size, 2)
  t.same(new Set(leases.map(({ deviceId }) => deviceId)).size, 2)
})

t.test('MRTR-06, LEGACY-13, LEGACY-14: states, ids and answers mean nothing in the hands of another', async (t) => {
  const { modern, legacy, post, did } = await startAskingApp(t)
  const ada = { action: 'accept', content: { name: 'Ada' } }
  const { requestState } = (await modern('tools/call', { name: 'greet' })).json().result
  const stolen = (await modern('tools/call', { name: 'greet', requestState, inputResponses: { user_name: ada } }, { who: 'eve' })).json()
  const madeUp = (await modern('tools/call', { name: 'greet', requestState: 'made up', inputResponses: { user_name: ada } }, { who: 'eve' })).json()
  t.match(stolen, { error: { code: -32602 } })
  t.equal(stolen.error.message, madeUp.error.message)
  t.same(did, [])

  const stream = await legacy('tools/call', { name: 'greet' }, { id: 7, who: 'ada' })
  const question = await stream.next()
  t.match(question, { method: 'elicitation/create', id: String })
  t.equal((await post({ jsonrpc: '2.0', id: question.id, result: ada }, {}, 'eve')).status, 202)
  t.equal((await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, {}, 'eve')).status, 202)
  t.same(did, [], 'nothing was answered, and nothing was cancelled')
  await post({ jsonrpc: '2.0', id: question.id, result: ada }, {}, 'ada')
  t.match(await stream.next(), { id: 7, result: { content: Array } })
})
