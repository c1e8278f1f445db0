import t from 'tap'
import { scriptedCaller } from '../support/asking.ts'
import { bob, toolBench } from '../support/tool-bench.ts'
import { node } from '../support/ui-node.ts'

const accepted = { action: 'accept', content: { confirm: true } }

async function setup () {
  const bench = await toolBench({ shows: node('text', { text: 'Home' }) })
  const lease = await bench.acquire()
  return {
    ...bench,
    lease,
    reset: (args: Record<string, unknown> = {}, call: Parameters<typeof bench.call>[2] = {}) => bench.call('resetDevice', { lease, ...args }, call)
  }
}

t.test('a confirmed reset erases the phone, keeps the lease and shows the screen', async (t) => {
  const { reset, call, phone, lease } = await setup()

  const { text, structuredContent } = await reset({}, scriptedCaller({ confirm: accepted }))

  t.same(phone.did, ['restore'])
  t.match(text, /^Reset phone-1; it is still yours/)
  t.match(text, /Home/)
  t.match(structuredContent, { device: 'phone-1', cleaned: Array, screen: Object })
  t.match(await call('listLeases'), { structuredContent: { leases: [{ lease }] } })
})

t.test('the user is asked about this very phone', async (t) => {
  const { reset } = await setup()
  const caller = scriptedCaller({ confirm: accepted })

  await reset({}, caller)

  t.match(caller.asked.get('confirm'), { method: 'elicitation/create', params: { message: /phone-1 .*deleted/, requestedSchema: { properties: { confirm: { type: 'boolean' } }, required: ['confirm'] } } })
})

t.test('a form that is sent off empty, or without the tick, erases nothing', async (t) => {
  const { reset, phone } = await setup()
  for (const content of [undefined, {}, { confirm: null }, { confirm: 'true' }, { confirm: 'yes' }, { confirm: 1 }, { other: true }]) {
    await t.rejects(reset({ confirm: true }, scriptedCaller({ confirm: { action: 'accept', ...(content === undefined ? {} : { content }) } })), JSON.stringify(content))
  }
  t.same(phone.did, [])
})

t.test('MRTR-09: whoever declines, closes the question or unticks it keeps the phone as it is', async (t) => {
  const { reset, phone } = await setup()
  for (const [answer, action] of [
    [{ action: 'decline' }, 'decline'], [{ action: 'cancel' }, 'cancel'], [{ action: 'accept', content: { confirm: false } }, 'decline']
  ] as const) {
    // That the call says confirm does not outrank the user.
    await t.rejects(reset({ confirm: true }, scriptedCaller({ confirm: answer })), { code: 'not_confirmed', details: { action }, message: /resetting phone-1/ })
  }
  t.same(phone.did, [])
})

t.test('where nobody can be asked, the call itself has to say that it means it', async (t) => {
  const { reset, phone } = await setup()

  await t.rejects(reset(), { code: 'confirmation_required', retryable: false, nextAction: /confirm: true/ })
  t.same(phone.did, [])

  await reset({ confirm: true })
  t.same(phone.did, ['restore'])
})

t.test('a lease that is not the caller\'s, or over, is refused before anybody is asked', async (t) => {
  const { reset, call, phone } = await setup()
  const caller = scriptedCaller({ confirm: accepted })

  await t.rejects(reset({}, { ...caller, principal: bob }), { code: 'lease_unknown' })
  await call('releaseDevice', { lease: (await call('listLeases')).structuredContent.leases[0].lease })
  await t.rejects(reset({}, caller), { code: 'lease_ended' })

  t.equal(caller.asked.size, 0)
  t.same(phone.did, ['restore'], 'the release alone')
})

t.test('a lease that ends while the user thinks is refused, and the phone is left alone', async (t) => {
  const { reset, call, phone, lease } = await setup()
  const caller = scriptedCaller({ confirm: accepted })

  await t.rejects(reset({}, {
    ...caller,
    async tryAsk (key, question) {
      await call('releaseDevice', { lease })
      return await caller.tryAsk(key, question)
    }
  }), { code: 'lease_ended' })

  t.same(phone.did, ['restore'], 'the release alone')
})

t.test('without a screen it says what was done and no more', async (t) => {
  const { reset } = await setup()
  t.notOk('screen' in (await reset({ observe: 'none', confirm: true })).structuredContent)
})
