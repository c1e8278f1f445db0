import t from 'tap'
import { maxWaitMs } from '../../src/tools/acquire.ts'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { scriptedPhone } from '../support/scripted-driver.ts'
import { alice, bob, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

function fleet () {
  return [
    scriptedPhone({ id: 'a-tablet', platform: 'android', kind: 'emulator', model: 'Tab X', osVersion: '15', labels: ['big', 'spare'] }),
    scriptedPhone({ id: 'b-phone', platform: 'ios', kind: 'simulator', model: 'iPhone 16', osVersion: '18.2' }),
    scriptedPhone({ id: 'c-phone', platform: 'android', kind: 'virtual', osVersion: '14', labels: ['big'] })
  ]
}

async function setup (phones = [scriptedPhone()]) {
  for (const phone of phones) phone.show(node('text', { text: 'Hello' }))
  const time = manualTime()
  return { ...await toolBench({ phones, time }), time }
}

t.test('acquireDevice takes a device that fits everything asked for', async (t) => {
  const { call } = await setup(fleet())

  t.match((await call('acquireDevice', { labels: ['big'], withoutLabels: ['spare'] })).structuredContent.device, { id: 'c-phone' })
  t.match((await call('acquireDevice', { os: '>=15 <16' })).structuredContent.device, { id: 'a-tablet' })
  t.match((await call('acquireDevice', { model: 'iphone*', os: '18.x' })).structuredContent.device, { id: 'b-phone' })
})

t.test('a range of OS versions that is none is refused with what is wrong, not with an empty pool', async (t) => {
  const { tools } = await setup()
  const input = tools.find(({ name }) => name === 'acquireDevice')?.input

  t.match(input?.safeParse({ os: 'android 15' }).error?.issues, [{ path: ['os'], message: /"android" is no condition/ }])
  t.equal(input?.safeParse({ os: '>=14 <16' }).success, true)
})

t.test('a caller that waits is told its place, and gets the phone when it is free', async (t) => {
  const { call, acquire, leases } = await setup()
  const lease = await acquire()
  const told: Array<string | undefined> = []

  const waiting = call('acquireDevice', { waitMs: 60_000, purpose: 'smoke test' }, { principal: bob, progress: ({ message }) => { told.push(message) } })
  await idle()
  t.match(told[0], /^position 1 in the queue/)
  t.match(leases.waiting(), [{ principal: bob.key, position: 1, purpose: 'smoke test' }])
  await call('releaseDevice', { lease })

  t.match((await waiting).structuredContent, { device: { id: 'phone-1' }, fence: Number })
  t.same(leases.waiting(), [])
})

t.test('the whole wait is told, also while nothing moves, and nothing after it', async (t) => {
  const { call, acquire, time } = await setup()
  const lease = await acquire()
  const told: number[] = []
  const waiting = call('acquireDevice', { waitMs: 60_000 }, { principal: bob, progress: ({ progress }) => { told.push(progress) } })
  await idle()

  time.advance(31_000)
  t.ok(told.length >= 3)
  t.same(told, [...told].sort((a, b) => a - b))
  await call('releaseDevice', { lease })
  await waiting
  const before = told.length
  time.advance(60_000)
  t.equal(told.length, before)
})

t.test('a wait in vain ends with when to try again', async (t) => {
  const { call, acquire, advance } = await setup()
  await acquire()
  const waiting = call('acquireDevice', { waitMs: 60_000 }, { principal: bob })
  await idle()

  advance(60_000)

  await t.rejects(waiting, { code: 'wait_timed_out', retryable: true })
})

t.test('a caller that goes away leaves the queue at once, and the next one is served', async (t) => {
  const { call, acquire, leases } = await setup()
  const lease = await acquire()
  const caller = new AbortController()
  const gone = call('acquireDevice', { waitMs: 60_000 }, { principal: bob, signal: caller.signal })
  await idle()
  const next = call('acquireDevice', { waitMs: 60_000 })
  await idle()
  t.same(leases.waiting().map(({ principal }) => principal), [bob.key, alice.key])

  caller.abort()
  await t.rejects(gone, { code: 'cancelled' })
  t.same(leases.waiting().map(({ principal }) => principal), [alice.key])
  await call('releaseDevice', { lease })

  t.match((await next).structuredContent, { device: { id: 'phone-1' } })
})

t.test('an answer that did not arrive is undone, but never what has been used since', async (t) => {
  const { call, leases } = await setup(fleet())
  const lost = await call('acquireDevice', { device: 'a-tablet' })
  const used = await call('acquireDevice', { device: 'b-phone' })
  await call('observe', { lease: used.structuredContent.lease })

  await lost.undo?.()
  await used.undo?.()

  t.same((await leases.list()).map(({ deviceId }) => deviceId), ['b-phone'])
  await t.rejects(call('observe', { lease: lost.structuredContent.lease }), { code: 'lease_ended', details: { reason: 'undelivered' } })
})

t.test('acquireDevices takes several phones under labels of the caller\'s choosing', async (t) => {
  const { call, leases } = await setup(fleet())

  const { structuredContent, text } = await call('acquireDevices', { devices: { alice: { platform: 'ios' }, 'the other': { labels: ['big'], os: '14' } }, ttlMs: 60_000, purpose: 'chat' })

  t.match(structuredContent, {
    leases: {
      alice: { lease: /^ls_/, fence: 1, ttlMs: 60_000, device: { id: 'b-phone' } },
      'the other': { lease: /^ls_/, device: { id: 'c-phone' } }
    }
  })
  t.equal(structuredContent.ofSessionKey, undefined)
  t.match(text, /^"alice": lease ls_\S+ on b-phone .*\n"the other": lease ls_\S+ on c-phone /)
  t.same((await leases.list()).map(({ purpose, ttlMs }) => [purpose, ttlMs]), [['chat', 60_000], ['chat', 60_000]])
})

t.test('acquireDevices takes a list with labels, as it is published, as well as an object from label to phone', async (t) => {
  const { call } = await setup(fleet())

  const { structuredContent, text } = await call('acquireDevices', { devices: [{ label: 'bob', platform: 'ios' }, { label: 'alice' }] })

  t.same(Object.keys(structuredContent.leases), ['bob', 'alice'])
  t.match(structuredContent.leases.bob, { device: { platform: 'ios' } })
  t.match(text, /^"bob": lease /)
  for (const { lease } of Object.values<{ lease: string }>(structuredContent.leases)) await call('releaseDevice', { lease })
  t.match((await call('acquireDevices', { devices: { a: null, b: { platform: null, os: '14' } } })).structuredContent, { leases: { a: {}, b: {} } })
})

t.test('acquireDevices takes all or none', async (t) => {
  const { call, leases } = await setup(fleet())
  await call('acquireDevice', { platform: 'ios' }, { principal: bob })

  await t.rejects(call('acquireDevices', { devices: { a: { platform: 'ios' }, b: {} } }), { code: 'capacity_exhausted' })

  t.same((await leases.list()).map(({ deviceId }) => deviceId), ['b-phone'])
})

t.test('acquireDevices wants 1 to 16 labels, and knows its arguments', async (t) => {
  const { call } = await setup(fleet())

  for (const devices of [{}, Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`d${index}`, {}])), { '': {} }, { a: { colour: 'red' } }, { a: 'ios' },
    [], [{}], [{ label: '' }], [{ label: 'a' }, { label: 'a' }], [{ label: '__proto__' }], [{ label: 'a', colour: 'red' }], 'ios'
  ]) {
    await t.rejects(call('acquireDevices', { devices }), { name: 'ZodError' }, JSON.stringify(devices).slice(0, 40))
  }
})

t.test('acquireDevices waits like acquireDevice, and an answer that did not arrive is undone as a whole', async (t) => {
  const { call, leases } = await setup(fleet())
  const { structuredContent: { lease } } = await call('acquireDevice', { device: 'c-phone' })
  const told: Array<string | undefined> = []
  const waiting = call('acquireDevices', { devices: { a: { platform: 'android' }, b: { platform: 'android' } }, waitMs: 60_000 }, { principal: bob, progress: ({ message }) => { told.push(message) } })
  await idle()
  t.match(told, [/^position 1 in the queue/])
  t.same((await leases.list()).map(({ deviceId }) => deviceId), ['c-phone'], 'and holds nothing meanwhile')
  await call('releaseDevice', { lease })
  const { undo } = await waiting
  t.equal((await leases.list()).length, 2)

  await undo?.()

  t.same(await leases.list(), [])
})

t.test('a session key stands for one of several phones, and the caller is told for which', async (t) => {
  const { call, leases } = await setup(fleet())

  const { structuredContent: { leases: granted, ofSessionKey }, text } = await call('acquireDevices', { devices: { a: {}, b: {} } }, { sessionKey: 'hash' })

  t.match(text, `Without one your session key stands for "${ofSessionKey}".`)
  t.same((await leases.list()).filter(({ sessionKey }) => sessionKey === 'hash').map(({ handle }) => handle), [granted[ofSessionKey].lease])
})

t.test('how long a call wants to wait is read from whatever comes', async (t) => {
  for (const [waitMs, expected] of [[5_000, 5_000], ['5000', 5_000], [3_600_000, 3_600_000], [3_600_001, 0], [0, 0], [-1, 0], ['soon', 0], [Number.NaN, 0], [null, 0], [[5], 0], [{}, 0], [true, 0], [undefined, 0]] as const) {
    t.equal(maxWaitMs({ waitMs }), expected, JSON.stringify(waitMs))
  }
})
