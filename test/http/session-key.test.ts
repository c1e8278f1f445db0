import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { exchange, type Reply } from '../support/http-exchange.ts'
import { idle } from '../support/idle.ts'
import { eras, startPoolApp, type Caller } from '../support/start-pool-app.ts'

const header = 'x-mooring-session-id'
const alias = 'x-auto-mobile-mcp-session-id'

/** The device that a call without a lease is about; undefined when one was taken for it. */
async function deviceOf (pool: Awaited<ReturnType<typeof startPoolApp>>, caller: Caller, inBand?: string): Promise<{ device: string, isNew: boolean }> {
  const args = inBand === undefined ? {} : { __mcpSessionId: inBand }
  const { structuredContent } = await pool.call('renewLease', args, caller)
  if (structuredContent.lease !== undefined) return { device: await holderOf(structuredContent.lease), isNew: false }
  const taken = await pool.call('listApps', args, caller)
  return { device: taken.structuredContent.device.id, isNew: true }

  async function holderOf (lease: string): Promise<string> {
    return (await pool.app.leases.list()).find(({ handle }) => handle === lease)?.deviceId ?? 'none'
  }
}

async function beat (pool: Awaited<ReturnType<typeof startPoolApp>>, sessionId: string): Promise<Reply> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await pool.token()}` }
  return await exchange({ port: pool.port, path: '/heartbeat', headers, body: JSON.stringify({ sessionId }) })
}

for (const era of eras) {
  t.test(`POOL-01, POOL-04, ${era}: one key through header, alias and arguments stands for one lease, and the outer one wins`, async (t) => {
    const pool = await startPoolApp(t, { phones: 3 })

    t.same(await deviceOf(pool, { era, headers: { [header]: 'one' } }), { device: 'virtual-android-1', isNew: true })
    for (const headers of [{ [header]: 'one' }, { [alias]: 'one' }]) {
      t.same(await deviceOf(pool, { era, headers }), { device: 'virtual-android-1', isNew: false })
    }
    t.same(await deviceOf(pool, { era }, 'one'), { device: 'virtual-android-1', isNew: false })

    t.same(await deviceOf(pool, { era }, 'two'), { device: 'virtual-android-2', isNew: true })
    t.match(await deviceOf(pool, { era, headers: { [header]: 'one' } }, 'two'), { device: 'virtual-android-1' }, 'the header outranks the arguments')
    t.match(await deviceOf(pool, { era, headers: { [alias]: 'one' } }, 'two'), { device: 'virtual-android-1' }, 'and so does its alias')
    t.match(await deviceOf(pool, { era, headers: { [header]: 'one', [alias]: 'two' } }), { device: 'virtual-android-1' }, 'the first name outranks the alias')
    t.match(await deviceOf(pool, { era, headers: { [header]: 'two', [alias]: 'one' } }), { device: 'virtual-android-2' })
  })

  t.test(`POOL-04, ${era}: two keys of one principal, and one key of two principals, share nothing`, async (t) => {
    const pool = await startPoolApp(t, { phones: 3 })
    const callers = [{ who: 'ada', headers: { [header]: 'k' } }, { who: 'ada', headers: { [header]: 'l' } }, { who: 'eve', headers: { [header]: 'k' } }]

    const devices = await Promise.all(callers.map(async (caller) => await deviceOf(pool, { era, ...caller })))

    t.equal(new Set(devices.map(({ device }) => device)).size, 3)
    t.same((await pool.held()).map((line) => line.split(' ')[1]).sort(), ['ada', 'ada', 'eve'])
    t.match(await pool.call('releaseDevice', {}, { era, who: 'eve', headers: { [header]: 'l' } }), { isError: true, structuredContent: { code: 'lease_required', leases: [{}] } })
    t.equal((await pool.held()).length, 3)
  })

  t.test(`POOL-04, ${era}: a header that is no key is 400 before any work, and is not repeated`, async (t) => {
    const pool = await startPoolApp(t, { phones: 1 })

    for (const value of ['', 'x'.repeat(129), 'secret, secret', ['secret', 'other']]) {
      for (const name of [header, alias]) {
        const reply = await pool.send('listApps', {}, { era, headers: { [name]: value } })
        t.equal(reply.status, 400)
        t.match(reply.json(), { jsonrpc: '2.0', id: Number, error: { code: era === 'modern' ? -32020 : -32600, message: new RegExp(name) } })
        t.notMatch(reply.text, 'secret')
      }
    }
    t.same(await pool.held(), [])
    t.match(await pool.call('listApps', { __mcpSessionId: '' }, { era }), { isError: true, structuredContent: { code: 'invalid_arguments' } })
  })

  t.test(`${era}: without key and lease the only free phone is taken, and it is said; with more than one it is refused`, async (t) => {
    const pool = await startPoolApp(t, { phones: 2 })
    t.match(await pool.call('observe', {}, { era }), { isError: true, structuredContent: { code: 'lease_required', free: [{ id: 'virtual-android-1' }, { id: 'virtual-android-2' }], leases: [] } })
    await pool.call('acquireDevice', { device: 'virtual-android-1' }, { era, who: 'eve' })

    const { content, structuredContent } = await pool.call('observe', {}, { era })

    t.match(content[0], { type: 'text', text: /^Took a phone for you.*virtual-android-2/ })
    t.match(content[1], { type: 'text', text: /^rev 1/ })
    t.match(structuredContent, { lease: /^ls_/, device: { id: 'virtual-android-2' }, rev: 1 })
    t.notOk((await pool.call('observe', { lease: structuredContent.lease }, { era })).isError)
    t.match(await pool.call('observe', {}, { era, who: 'bob' }), { isError: true, structuredContent: { code: 'lease_required', free: [], leases: [] } })
  })

  t.test(`${era}: a phone that was taken for a call whose caller has gone is given back`, async (t) => {
    const pool = await startPoolApp(t, { phones: 1 })
    const { devices } = pool.app.leases
    const before: string[] = []
    const call = pool.start('observe', {}, { era, headers: { [header]: 'k' } })
    // It leaves between the grant and the answer that tells of it.
    pool.app.leases.devices = async () => {
      pool.app.leases.devices = devices
      before.push(...await pool.held())
      call.destroy()
      return await devices()
    }
    await new Promise((resolve) => call.once('close', resolve))
    while ((await pool.held()).length > 0) await idle()

    t.same(before, ['virtual-android-1 ada'])
    while ((await devices()).some(({ state }) => state !== 'free')) await idle()
    t.match(await pool.call('observe', {}, { era, headers: { [header]: 'k' } }), { structuredContent: { lease: /^ls_/, device: { id: 'virtual-android-1' } } }, 'and the key is as good as new')
  })

  t.test(`${era}: a phone that was taken for a call whose caller has gone stays with another caller of its key that beats or renews`, async (t) => {
    for (const how of ['beat', 'renew'] as const) {
      const pool = await startPoolApp(t, { phones: 1 })
      const { devices } = pool.app.leases
      const caller = { era, headers: { [header]: 'k' } }
      const call = pool.start('observe', {}, caller)
      const gone = new Promise((resolve) => call.once('close', resolve))
      const other = new Promise<number>((resolve, reject) => {
        // Between the grant and the answer that tells of it.
        pool.app.leases.devices = async () => {
          pool.app.leases.devices = devices
          await (how === 'beat' ? beat(pool, 'k') : pool.send('renewLease', {}, caller)).then(({ status }) => { resolve(status) }, reject)
          call.destroy()
          await gone
          return await devices()
        }
      })

      t.equal(await other, 200, how)
      await gone
      while (pool.app.admission.inFlight > 0) await idle()

      t.same(await pool.held(), ['virtual-android-1 ada'], how)
      t.notMatch((await pool.call('observe', {}, caller)).content[0].text, /^Took a phone/, how)
    }
  })

  t.test(`${era}: a call that is refused still tells which phone was taken for it`, async (t) => {
    const pool = await startPoolApp(t, { phones: 1 })

    const { isError, content, structuredContent } = await pool.call('launchApp', { app: 'com.example.none' }, { era, headers: { [header]: 'k' } })

    t.equal(isError, true)
    t.match(content, [{ text: /^Took a phone/ }, { text: /app_not_installed/ }])
    t.match(structuredContent, { code: 'app_not_installed', lease: /^ls_/, device: { id: 'virtual-android-1' } })
  })
}

t.test('POOL-04: what wants no answer is heard whatever its key, and a batch has one key for all', async (t) => {
  const pool = await startPoolApp(t, { phones: 2 })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${await pool.token()}`, [header]: '' }
  const post = async (body: unknown, more: object = {}) => await exchange({ port: pool.port, body: JSON.stringify(body), headers: { ...headers, ...more } })
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'listApps' } })

  t.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  const refused = await post([call(1)])
  t.equal(refused.status, 400)
  t.notOk('id' in refused.json())
  const answers = (await post([call(1), call(2)], { [header]: 'k' })).json()
  t.equal(answers.filter(({ result }: any) => result.content[0].text.startsWith('Took a phone')).length, 1)
  t.equal((await pool.held()).length, 1)
})

t.test('POOL-04: the text of a key is in no answer, log line or file', async (t) => {
  const pool = await startPoolApp(t, { phones: 2 })
  const texts = ['header-secret-1', 'in-band-secret-2']
  const replies = [
    await pool.send('observe', {}, { headers: { [header]: texts[0] } }),
    await pool.send('observe', { __mcpSessionId: texts[1] }),
    await pool.send('listLeases', { __mcpSessionId: texts[1] }),
    await pool.send('observe', {}, { headers: { [header]: `${texts[0]},x` } })
  ]
  const files = await Promise.all((await readdir(pool.stateDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => (await readFile(join(parentPath, name))).toString('latin1')))

  t.equal((await pool.held()).length, 2)
  t.ok(files.some((file) => file.includes('virtual-android-1')))
  for (const text of texts) {
    for (const place of [...replies.map((reply) => reply.text), pool.log(), ...files]) t.notOk(place.includes(text))
  }
})

for (const era of eras) {
  t.test(`POOL-04, ${era}: a key whose phone another agent of the token gives back does not end up on another phone`, async (t) => {
    const pool = await startPoolApp(t, { phones: 2 })
    const ada = { era, headers: { [header]: 'ada' } }
    const lease = (await pool.call('acquireDevice', {}, ada)).structuredContent.lease

    t.match(await pool.call('releaseDevice', { lease }, { era, headers: { [header]: 'eve' } }), { isError: true, structuredContent: { code: 'lease_of_other_session' } })
    t.match(await pool.call('observe', { lease }, { era, headers: { [header]: 'eve' } }), { isError: true, structuredContent: { code: 'lease_of_other_session' } })
    t.match(await pool.call('releaseDevice', { lease }, { era }), { structuredContent: { released: true } }, 'an agent without a key may')

    for (let calls = 0; calls < 2; calls++) {
      t.match(await pool.call('observe', {}, ada), { isError: true, structuredContent: { code: 'lease_ended', reason: 'released_by_other' } })
    }
    await pool.call('acquireDevice', {}, ada)
    t.notOk((await pool.call('observe', {}, ada)).isError)
  })
}
