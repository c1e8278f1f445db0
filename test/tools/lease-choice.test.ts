import t from 'tap'
import type { DeviceSelector } from '../../src/leases/contract/lease-manager.ts'
import { createScreenResource } from '../../src/tools/screen-resource.ts'
import type { Aside } from '../../src/tools/tool-definition.ts'
import { scriptedPhone } from '../support/scripted-driver.ts'
import { alice, bob, toolBench, type Bench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const key = 'hash-of-one'
const otherKey = 'hash-of-another'

/** A pool of scripted phones that show something. */
async function setup (...ids: readonly string[]): Promise<Bench> {
  const phones = ids.map((id) => scriptedPhone({ id }))
  for (const phone of phones) phone.show(node('text', { text: 'Hello' }))
  return await toolBench({ phones })
}

async function held ({ leases }: Bench): Promise<Array<string | undefined>> {
  return (await leases.list()).map(({ deviceId, sessionKey }) => `${deviceId} ${sessionKey}`).sort()
}

const refusal = async (call: Promise<unknown>): Promise<any> => await call.then(() => { throw new Error('no refusal') }, (error) => error.toJSON())

t.test('a session key takes a phone with its first call, says so, and stands for it from then on', async (t) => {
  const bench = await setup('a', 'b')

  const first = await bench.call('observe', {}, { sessionKey: key })
  const second = await bench.call('pressButton', { button: 'home' }, { sessionKey: key })

  t.match(first.aside, { facts: { lease: 'ls_0000000000000000000001', fence: 1, device: { id: 'a' }, expiresAt: String } })
  t.match(first.aside?.text, /^Took a phone for you, in its home state: lease ls_0+1 on a \(virtual android 15, "Pixel 9"\), which lasts until .*Your session key stands for it.*releaseDevice\.$/)
  t.equal(second.aside, undefined)
  t.same(await held(bench), [`a ${key}`])
})

t.test('two keys of one principal have a phone each, and so has the same key of another principal', async (t) => {
  const bench = await setup('a', 'b', 'c')

  await bench.call('observe', {}, { sessionKey: key })
  await bench.call('observe', {}, { sessionKey: otherKey })
  await bench.call('observe', {}, { sessionKey: key, principal: bob })

  t.same(await held(bench), [`a ${key}`, `b ${otherKey}`, `c ${key}`])
  await t.rejects(bench.call('observe', {}, { sessionKey: otherKey, principal: bob }), { code: 'capacity_exhausted', retryable: true })
})

t.test('first calls that come at once under one key take one phone', async (t) => {
  const bench = await setup('a', 'b', 'c')

  const answers = await Promise.all(Array.from({ length: 5 }, () => bench.call('observe', {}, { sessionKey: key })))

  t.equal(answers.filter(({ aside }) => aside !== undefined).length, 1)
  t.same(await held(bench), [`a ${key}`])
})

t.test('a named lease outranks the one of the key, and does not move the key', async (t) => {
  const bench = await setup('a', 'b')
  const { structuredContent: { lease: named } } = await bench.call('acquireDevice', { device: 'b' })
  await bench.call('observe', {}, { sessionKey: key })

  await bench.call('releaseDevice', { lease: named }, { sessionKey: key })

  t.same(await held(bench), [`a ${key}`])
  t.equal((await bench.call('observe', {}, { sessionKey: key })).aside, undefined)
})

t.test('acquireDevice binds a key that stands for nothing, and says what a bound one goes on standing for', async (t) => {
  const bench = await setup('a', 'b')

  const first = await bench.call('acquireDevice', {}, { sessionKey: key })
  const second = await bench.call('acquireDevice', {}, { sessionKey: key })

  t.match(first.text, /or leave it out: your session key stands for it/)
  t.match(second.text, /your session key goes on standing for your earlier lease/)
  t.same(await held(bench), [`a ${key}`, 'b undefined'])
  t.equal((await bench.call('releaseDevice', {}, { sessionKey: key })).structuredContent.device, 'a')
})

t.test('without lease and key, the only free phone is taken, and the caller is told to name it', async (t) => {
  const bench = await setup('a', 'b')
  await bench.call('acquireDevice', { device: 'a' }, { principal: bob })

  const { aside } = await bench.call('observe')

  t.match(aside, { facts: { lease: String, device: { id: 'b' } }, text: /Pass it as `lease` from now on/ })
  t.same(await held(bench), ['a undefined', 'b undefined'])
})

t.test('without lease and key, several free phones or none are refused with what there is', async (t) => {
  const bench = await setup('a', 'b')

  t.match(await refusal(bench.call('observe')), {
    code: 'lease_required', retryable: false, nextAction: 'Call acquireDevice, and pass the lease it returns.', free: [{ id: 'a', platform: 'android' }, { id: 'b' }], leases: []
  })
  t.same(await held(bench), [])

  const { structuredContent: { lease } } = await bench.call('acquireDevice', { device: 'a', purpose: 'sign in' })
  await bench.call('acquireDevice', { device: 'b' }, { principal: bob })
  const full = await refusal(bench.call('observe'))
  t.match(full, { code: 'lease_required', free: [], leases: [{ lease, device: 'a', purpose: 'sign in', expiresAt: String }], nextAction: /^Pass your lease/ })
  t.equal(full.leases.length, 1, 'of one\'s own principal only')
  t.notMatch(await refusal(bench.call('observe', {}, { principal: { issuer: 'x', subject: 'eve', key: 'x\0eve' } })), { leases: [{}] })
})

t.test('a call that may have forgotten its lease gets neither that one nor a second phone', async (t) => {
  const bench = await setup('a', 'b')
  const { structuredContent: { lease } } = await bench.call('acquireDevice', { device: 'a' })

  t.match(await refusal(bench.call('observe')), { code: 'lease_required', free: [{ id: 'b' }], leases: [{ lease }] })
  t.same(await held(bench), ['a undefined'])
})

t.test('the lease of a session key is another agent\'s: it is never used without the key, and does not stand in the way', async (t) => {
  const bench = await setup('a', 'b')
  await bench.call('observe', {}, { sessionKey: key })

  t.match((await bench.call('observe')).aside, { facts: { device: { id: 'b' } } })
  t.match(await refusal(bench.call('pressButton', { button: 'home' })), { leases: [{ device: 'a', hasSessionKey: true }, { device: 'b', hasSessionKey: undefined }] })
})

t.test('a key whose lease has ended says so until acquireDevice is called: no call ends up on another phone', async (t) => {
  const bench = await setup('a', 'b')
  await bench.call('observe', {}, { sessionKey: key })
  bench.advance(600_000)

  for (let i = 0; i < 3; i++) {
    t.match(await refusal(bench.call('pressButton', { button: 'home' }, { sessionKey: key })), { code: 'lease_ended', device: 'a', reason: 'expired', nextAction: /^Call acquireDevice: your session key/ })
  }
  t.same(await held(bench), [])

  await bench.call('acquireDevice', { device: 'b' }, { sessionKey: key })
  t.equal((await bench.call('pressButton', { button: 'home' }, { sessionKey: key })).aside, undefined)
  t.same(await held(bench), [`b ${key}`])
})

t.test('after a release the key is as good as new', async (t) => {
  const bench = await setup('a', 'b')
  await bench.call('observe', {}, { sessionKey: key })
  const released = await bench.call('releaseDevice', {}, { sessionKey: key })
  t.match(released.structuredContent, { released: true, alreadyReleased: false, device: 'a' })
  t.match((await bench.call('releaseDevice', {}, { sessionKey: key })).structuredContent, { alreadyReleased: true, device: 'a' }, 'and twice is no error')

  t.match((await bench.call('observe', {}, { sessionKey: key })).aside, { facts: { device: { id: 'b' } } })
})

t.test('what a call took is taken back when its answer does not arrive, although it has used it', async (t) => {
  const bench = await setup('a')
  const { aside } = await bench.call('pressButton', { button: 'home' }, { sessionKey: key })

  await aside?.undo()

  t.same(await held(bench), [])
  t.match((await bench.call('observe', {}, { sessionKey: key })).aside, { facts: { device: { id: 'a' } } }, 'and the key is as good as new')
})

t.test('it is also taken back when the call did not come to use it', async (t) => {
  const bench = await setup('a')
  const { use } = bench.leases
  bench.leases.use = async () => { throw new Error('offline') }
  let aside: Aside | undefined
  await t.rejects(bench.call('observe', {}, { sessionKey: key, addAside: (added) => { aside = added } }), { message: 'offline' })
  bench.leases.use = use

  await aside?.undo()

  t.same(await held(bench), [])
  await t.rejects(bench.call('observe', { lease: aside?.facts['lease'] }), { code: 'lease_ended', details: { reason: 'undelivered' } })
})

t.test('it stays when another call has used it meanwhile, by its key or by its handle', async (t) => {
  for (const another of [{ sessionKey: key }, { lease: true }]) {
    const bench = await setup('a')
    const { aside } = await bench.call('observe', {}, { sessionKey: key })
    await bench.call('observe', 'lease' in another ? { lease: aside?.facts['lease'] } : {}, 'lease' in another ? {} : another)

    await aside?.undo()

    t.same(await held(bench), [`a ${key}`])
  }
})

t.test('it stays when another caller of the key has only renewed it, reset it or read its screen', async (t) => {
  const others: ReadonlyArray<(bench: Bench, lease: string) => Promise<unknown>> = [
    async ({ call }) => await call('renewLease', {}, { sessionKey: key }),
    async ({ call }, lease) => await call('renewLease', { lease }),
    async ({ call }) => await call('resetDevice', { confirm: true }, { sessionKey: key }),
    async (bench, handle) => await createScreenResource(bench.deviceUses).readScreen({ handle, principal: alice, signal: new AbortController().signal })
  ]
  for (const [index, other] of others.entries()) {
    for (const isUsed of [true, false]) {
      const bench = await setup('a')
      const { use } = bench.leases
      if (!isUsed) bench.leases.use = async () => { throw new Error('offline') }
      let aside: Aside | undefined
      const first = bench.call('observe', {}, { sessionKey: key, addAside: (added) => { aside = added } })
      await (isUsed ? first : t.rejects(first, { message: 'offline' }))
      bench.leases.use = use

      await other(bench, String(aside?.facts['lease']))
      await aside?.undo()

      t.same(await held(bench), [`a ${key}`], `${index} ${isUsed}`)
      t.equal((await bench.call('observe', {}, { sessionKey: key })).aside, undefined)
    }
  }
})

t.test('it goes when another key, or the same key of another principal, was at work meanwhile', async (t) => {
  const bench = await setup('a', 'b', 'c')
  const { aside } = await bench.call('observe', {}, { sessionKey: key })
  await bench.call('observe', {}, { sessionKey: otherKey })
  await bench.call('observe', {}, { sessionKey: key, principal: bob })
  await bench.leases.heartbeat({ sessionKey: key, holder: { principal: bob.key } })

  await aside?.undo()

  t.same(await held(bench), [`b ${otherKey}`, `c ${key}`])
})

t.test('a caller that has gone while a phone was taken for it leaves nothing behind', async (t) => {
  const bench = await setup('a')
  const caller = new AbortController()
  const { devices } = bench.leases
  bench.leases.devices = async () => {
    caller.abort()
    return await devices()
  }

  const addAside = (): void => { t.fail('what has been undone is not told') }
  await t.rejects(bench.call('observe', {}, { sessionKey: key, signal: caller.signal, addAside }), { code: 'cancelled' })

  bench.leases.devices = devices
  t.same(await held(bench), [])
})

t.test('a phone that is taken for a call that is then refused is told all the same', async (t) => {
  const bench = await setup('a')
  let told: unknown
  const addAside = (aside: unknown): void => { told = aside }

  await t.rejects(bench.call('launchApp', { app: 'nope' }, { sessionKey: key, addAside }), { code: 'app_not_installed' })

  t.match(told, { facts: { lease: String } })
  t.same(await held(bench), [`a ${key}`])
})

t.test('somebody who is faster to the only free phone leaves nothing to take', async (t) => {
  const bench = await setup('a')
  const { acquire } = bench.leases
  bench.leases.acquire = async (request) => {
    await acquire({ ...request, holder: { principal: bob.key } })
    return await acquire(request)
  }

  t.match(await refusal(bench.call('observe')), { code: 'lease_required', free: [], leases: [] })
})

t.test('when another process has bound the key meanwhile, its lease counts and ours is taken back', async (t) => {
  const bench = await setup('a', 'b')
  const { acquire } = bench.leases
  let selector: DeviceSelector = { device: 'b' }
  bench.leases.acquire = async (request) => {
    if (selector.device !== undefined) await acquire({ ...request, selector })
    selector = {}
    return await acquire(request)
  }

  t.equal((await bench.call('observe', {}, { sessionKey: key })).aside, undefined)
  t.same(await held(bench), [`b ${key}`])
})

t.test('work on leases themselves takes nothing', async (t) => {
  const bench = await setup('a')

  for (const tool of ['renewLease', 'releaseDevice', 'resetDevice']) {
    t.match(await refusal(bench.call(tool, {}, { sessionKey: key })), { code: 'lease_required', message: /its session key stands for none/, free: [{ id: 'a' }] }, tool)
    t.match(await refusal(bench.call(tool)), { code: 'lease_required', free: [{ id: 'a' }] }, tool)
  }
  await bench.call('observe', {}, { sessionKey: key })
  t.match((await bench.call('renewLease', { ttlMs: 30_000 }, { sessionKey: key })).structuredContent, { ttlMs: 30_000 })
  bench.advance(30_000)
  t.match(await refusal(bench.call('renewLease', {}, { sessionKey: key })), { code: 'lease_ended', reason: 'expired' })
  t.match(await refusal(bench.call('releaseDevice', {}, { sessionKey: key })), { code: 'lease_ended', nextAction: /nothing left to release/ })
})

t.test('resetDevice asks about the lease of the key, and an answer for one lease is none for another', async (t) => {
  const bench = await setup('a')
  const asked: string[] = []
  const tryAsk = async (question: string): Promise<any> => {
    asked.push(question)
    return { action: 'accept', content: { confirm: true } }
  }
  await bench.call('observe', {}, { sessionKey: key })
  await bench.call('resetDevice', {}, { sessionKey: key, tryAsk })
  await bench.call('releaseDevice', {}, { sessionKey: key })
  await bench.call('observe', {}, { sessionKey: key })
  await bench.call('resetDevice', {}, { sessionKey: key, tryAsk })

  t.equal(new Set(asked).size, 2)
})
