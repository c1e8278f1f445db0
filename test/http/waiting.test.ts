import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { exchange } from '../support/http-exchange.ts'
import { idle } from '../support/idle.ts'
import { eras, startPoolApp } from '../support/start-pool-app.ts'

const waitMs = 60_000

async function setup (t: Test) {
  const pool = await startPoolApp(t, { phones: 1 })
  const { structuredContent: { lease } } = await pool.call('acquireDevice', {}, { who: 'eve' })
  return { ...pool, lease, release: async () => await pool.call('releaseDevice', { lease }, { who: 'eve' }) }
}

for (const era of eras) {
  t.test(`PROG-01, PROG-02, HTTP-13, ${era}: a caller that waits hears its place on the stream of its call, and then gets the phone`, async (t) => {
    const { open, waiting, release } = await setup(t)
    const first = await open('acquireDevice', { waitMs }, { era, progressToken: 'p' })
    await waiting(1)
    const second = await open('acquireDevice', { waitMs }, { era, who: 'bob', progressToken: 'q' })

    t.match([first.status, first.contentType], [200, /^text\/event-stream/])
    t.match(await first.next(), { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, message: /^position 1 in the queue/ } })
    t.match(await second.next(), { method: 'notifications/progress', params: { progressToken: 'q', progress: 1, message: /^position 2 in the queue/ } })
    await release()

    const answer = await first.next()
    t.match(answer, { result: { structuredContent: { lease: /^ls_/, device: { id: 'virtual-android-1' } } } })
    t.equal(await first.next(), undefined)
    t.match(await second.next(), { params: { progress: 2, message: /^position 1 in the queue/ } })
  })

  t.test(`PROG-03, ${era}: a caller that asked for no progress gets a stream that stays alive, and only the answer on it`, async (t) => {
    const { open, waiting, release } = await setup(t)
    const call = await open('acquireDevice', { waitMs }, { era })
    t.match(call.contentType, /^text\/event-stream/)
    await waiting(1)

    await release()

    t.match(await call.next(), { result: { structuredContent: { lease: /^ls_/ } } })
    t.equal(await call.next(), undefined)
  })

  for (const how of ['close', 'reset'] as const) {
    t.test(`${era}, ${how}: a caller that leaves gives up its place, and the next one is served`, async (t) => {
      const { open, waiting, release, held } = await setup(t)
      const gone = await open('acquireDevice', { waitMs }, { era })
      await waiting(1)
      const next = await open('acquireDevice', { waitMs }, { era, who: 'bob' })
      await waiting(2)

      gone.leave(how)
      await waiting(1)
      await release()

      t.match(await next.next(), { result: { structuredContent: { lease: /^ls_/ } } })
      t.same(await held(), ['virtual-android-1 bob'])
    })
  }

  t.test(`${era}: a grant whose answer cannot be delivered is undone, and nobody waits for it to expire`, async (t) => {
    const { app, open, waiting, release, held, call } = await setup(t)
    const gone = await open('acquireDevice', { waitMs }, { era, headers: { 'x-mooring-session-id': 'k' } })
    await waiting(1)
    const { devices } = app.leases
    // The caller leaves between the grant and the answer that tells of it.
    app.leases.devices = async () => {
      const [lease] = await app.leases.list()
      if (lease?.holder.principal.endsWith('ada') === true) gone.leave('reset')
      return await devices()
    }

    await release()
    while ((await held()).length > 0) await idle()

    app.leases.devices = devices
    const reasons = (await app.leases.operations.audit({ limit: 10 })).map(({ reason }) => reason)
    t.ok(reasons.includes('undelivered'))
    t.match(await call('acquireDevice', { waitMs }, { era, who: 'bob' }), { structuredContent: { lease: /^ls_/ } })
  })

  t.test(`${era}: waiting takes no place among the requests that are worked on`, async (t) => {
    const { app, open, waiting, release } = await setup(t)
    const calls = await Promise.all(['a', 'b', 'c'].map(async (who) => await open('acquireDevice', { waitMs }, { era, who })))
    await waiting(3)

    await app.admission.idle()
    t.equal(app.admission.inFlight, 0)
    await release()
    while ((await app.leases.list()).length === 0) await idle()
    t.equal(calls.length, 3)
  })

  t.test(`${era}: several phones at once, and the caller that leaves takes none of them`, async (t) => {
    const pool = await startPoolApp(t, { phones: 2 })
    const { structuredContent: { lease } } = await pool.call('acquireDevice', {}, { who: 'eve' })
    const gone = await pool.open('acquireDevices', { devices: { a: {}, b: {} }, waitMs }, { era, progressToken: 'p' })
    t.match(await gone.next(), { params: { message: /^position 1 in the queue/ } })
    const next = await pool.open('acquireDevices', { devices: { c: {}, d: {} }, waitMs }, { era, who: 'bob' })
    await pool.waiting(2)

    gone.leave('close')
    await pool.waiting(1)
    await pool.call('releaseDevice', { lease }, { who: 'eve' })

    t.match(await next.next(), { result: { structuredContent: { leases: { c: { lease: /^ls_/ }, d: { lease: /^ls_/ } } } } })
    t.same(await pool.held(), ['virtual-android-1 bob', 'virtual-android-2 bob'])
  })
}

t.test('HTTP-18, VAL-17: what can be refused at once has its own status, however long the call wants to wait', async (t) => {
  const { send } = await setup(t)

  const mismatched = await send('acquireDevice', { waitMs, platform: 'android' }, { headers: { 'mcp-param-platform': 'ios' } })
  t.match([mismatched.status, mismatched.json().error.code], [400, -32020])
  t.match((await send('acquireDevice', { waitMs, colour: 'red' })).json(), { result: { isError: true, structuredContent: { code: 'invalid_arguments' } } })
})

t.test('LEGACY-13: a legacy caller that cancels its wait by name leaves the queue', async (t) => {
  const { open, send, waiting, port, token } = await setup(t)
  const call = await open('acquireDevice', { waitMs }, { era: 'legacy', progressToken: 'p' })
  await waiting(1)
  await call.next()
  const last = (await send('listLeases', {}, { era: 'legacy' })).json().id

  await exchange({
    port,
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: last - 1 } }),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${await token()}`, 'mcp-protocol-version': '2025-11-25' }
  })

  await waiting(0)
  t.equal(await call.next(), undefined)
})

t.test('a client that is killed while it waits leaves the queue', async (t) => {
  const { open, waiting, release, url, token } = await setup(t)
  const script = `
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer ' + process.env.TOKEN, 'mcp-protocol-version': '2025-11-25' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'acquireDevice', arguments: { waitMs: 60000 } } })
    await fetch(process.env.ADDRESS, { method: 'POST', headers, body }).then((response) => response.text())
  `
  const client = spawn(process.execPath, ['--input-type=module', '--eval', script], { env: { TOKEN: await token(), ADDRESS: url }, stdio: 'ignore' })
  t.teardown(() => { client.kill('SIGKILL') })
  await waiting(1)
  const next = await open('acquireDevice', { waitMs }, { who: 'bob' })
  await waiting(2)

  client.kill('SIGKILL')
  await once(client, 'exit')
  await waiting(1)
  await release()

  t.match(await next.next(), { result: { structuredContent: { lease: /^ls_/ } } })
})

t.test('a shutdown tells who waits that there will be no phone', async (t) => {
  const { app, open, waiting } = await setup(t)
  const call = await open('acquireDevice', { waitMs })
  await waiting(1)

  const closed = app.close()

  t.match(await call.next(), { result: { isError: true, structuredContent: { code: 'leases_unavailable', retryable: true } } })
  await closed
})

const info = { name: 'test', version: '1' }

t.test('the SDK clients of both generations hear where they stand', async (t) => {
  const { url, token, waiting, call, held, release } = await setup(t)
  const headers = { Authorization: `Bearer ${await token()}` }
  const modern = new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  const legacy = new ClientV1(info)
  t.teardown(async () => await Promise.all([modern.close(), legacy.close()]))
  await modern.connect(new TransportV2(new URL(url), { requestInit: { headers } }))
  // Its own declarations leave no room for exactOptionalPropertyTypes.
  const transport = new TransportV1(new URL(url), { requestInit: { headers } })
  await legacy.connect(transport as Parameters<typeof legacy.connect>[0])
  const heard: string[] = []
  const options = (name: string) => ({ timeout: waitMs, resetTimeoutOnProgress: true, onprogress: ({ message }: { message?: string | undefined }) => { heard.push(`${name} ${message}`) } })

  const first: any = modern.callTool({ name: 'acquireDevice', arguments: { waitMs } }, options('modern'))
  await waiting(1)
  const second: any = legacy.callTool({ name: 'acquireDevice', arguments: { waitMs } }, undefined, options('legacy'))
  await waiting(2)
  while (heard.length < 2) await idle()
  t.match(heard, [/^modern position 1 in the queue/, /^legacy position 2 in the queue/])
  await release()

  const { structuredContent: { lease } } = await first
  await call('releaseDevice', { lease })
  t.match(await second, { structuredContent: { lease: /^ls_/ } })
  t.same(await held(), ['virtual-android-1 ada'])
})
