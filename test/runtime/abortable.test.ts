import { getEventListeners } from 'node:events'
import t from 'tap'
import { unlessAborted, waitFor } from '../../src/runtime/abortable.ts'
import { manualTime } from '../support/manual-time.ts'

const never = new Promise<never>(() => {})

t.test('work is waited for until one of the signals fires, and the reason is thrown', async (t) => {
  const [stays, goes] = [new AbortController(), new AbortController()]

  t.equal(await unlessAborted(Promise.resolve(7), [stays.signal]), 7)
  const given = unlessAborted(never, [stays.signal, goes.signal])
  goes.abort(new Error('gone'))

  await t.rejects(given, { message: 'gone' })
  await t.rejects(unlessAborted(never, [goes.signal]), { message: 'gone' })
  t.equal(getEventListeners(stays.signal, 'abort').length, 0)
})

t.test('a wait that is called off leaves no timer behind, and one of no time does not begin when it was called off', async (t) => {
  const { scheduler, timers } = manualTime()
  const caller = new AbortController()
  const waiting = waitFor(100, [caller.signal], scheduler)
  t.equal(timers(), 1)

  caller.abort(new Error('gone'))

  await t.rejects(waiting, { message: 'gone' })
  t.equal(timers(), 0)
  await t.rejects(waitFor(0, [caller.signal], scheduler), { message: 'gone' })
})
