import fc from 'fast-check'
import t from 'tap'
import { cancelledBy } from '../../src/refusals/cancellation.ts'
import type { CallerIdentity } from '../../src/mcp/exchange/caller-identity.ts'
import { createRunningRequests } from '../../src/mcp/running-requests.ts'
import { manualTime } from '../support/manual-time.ts'
import { principal } from '../support/mcp-request.ts'

function setup () {
  const { advance, ...time } = manualTime()
  return { advance, running: createRunningRequests({ limitMs: 60_000, ...time }) }
}

t.test('a request whose caller has gone is told so', async (t) => {
  const { running } = setup()
  const [gone, stays] = [running.begin(), running.begin()]

  gone.abort()

  t.match(cancelledBy(gone.signal), { code: 'cancelled', retryable: true, message: /cancelled before it finished/, details: { reason: 'caller_gone' } })
  t.equal(stays.signal.aborted, false)
})

t.test('CANCEL-03: a request that runs too long is told that it did', async (t) => {
  const { running, advance } = setup()
  const old = running.begin()
  advance(30_000)
  const young = running.begin()

  advance(31_000)

  t.match(cancelledBy(old.signal), { code: 'cancelled', message: /longer than a call may/, nextAction: /shorter wait/, details: { reason: 'time_limit' } })
  t.equal(young.signal.aborted, false)
})

t.test('a shutdown is told as one, with a time to come back after', async (t) => {
  const { running } = setup()
  const request = running.begin()

  running.abortAll()

  t.match(cancelledBy(request.signal), { code: 'cancelled', retryAfterMs: Number, message: /shutting down/, nextAction: /same lease; that of a virtual phone has ended/, details: { reason: 'shutting_down' } })
})

t.test('a request that has ended is told nothing any more', async (t) => {
  const { running, advance } = setup()
  const request = running.begin()

  request.end()
  advance(120_000)
  running.abortAll()

  t.equal(request.signal.aborted, false)
})

t.test('CANCEL-03: the time a caller wants to wait is not counted, for it alone', async (t) => {
  const { running, advance } = setup()
  const patient = running.begin()
  patient.allow(100_000)
  const other = running.begin()

  advance(61_000)
  t.same([patient.signal.aborted, other.signal.aborted], [false, true])
  advance(98_000)
  t.equal(patient.signal.aborted, false)
  advance(2_000)
  t.match(cancelledBy(patient.signal), { details: { reason: 'time_limit' } })
})

t.test('whoever waits for the last request to end is told when it has', async (t) => {
  const { running } = setup()
  const [one, other] = [running.begin(), running.begin()]
  let isIdle = false
  const idle = running.idle().then(() => { isIdle = true })

  one.end()
  await Promise.resolve()
  t.equal(isIdle, false)
  other.end()
  await idle
  await running.idle()
})

t.test('LEGACY-13: a request is cancelled exactly when it alone has the id and the caller', async (t) => {
  const caller = fc.record({
    subject: fc.constantFrom('ada', 'eve'), key: fc.constantFrom(undefined, 'k1', 'k2'), session: fc.constantFrom(undefined, 's1', 's2')
  })
  const identity = ({ subject, key, session }: { subject: string, key: string | undefined, session: string | undefined }): CallerIdentity =>
    ({ principal: principal(subject), sessionKey: key, sessionId: session, legacySession: undefined })
  /** By both ids where there are two, else by both keys, else neither may have any. */
  function areAlike (one: { key: string | undefined, session: string | undefined }, other: typeof one): boolean {
    if (one.session !== undefined && other.session !== undefined) return one.session === other.session
    if (one.key !== undefined || other.key !== undefined) return one.key === other.key
    return one.session === undefined && other.session === undefined
  }
  const request = fc.record({ caller, id: fc.constantFrom(1, '1', 2), hasEnded: fc.boolean(), isCancellable: fc.boolean() })
  fc.assert(fc.property(fc.array(request, { maxLength: 8 }), request, (requests, { caller, id }) => {
    const { running } = setup()
    const begun = requests.map((one) => {
      const run = running.begin(one.isCancellable ? { caller: identity(one.caller), id: one.id } : undefined)
      if (one.hasEnded) run.end()
      return { ...one, run }
    })
    const meant = begun.filter((one) => one.isCancellable && !one.hasEnded && one.id === id &&
      one.caller.subject === caller.subject && areAlike(one.caller, caller))

    running.cancel({ caller: identity(caller), id })

    return begun.every(({ run }) => run.signal.aborted === (meant.length === 1 && meant[0]?.run === run) && run.isCancelled === run.signal.aborted)
  }))
})

t.test('a signal that was asked for before it fires is the one that fires, for the first reason', async (t) => {
  const { running } = setup()
  const request = running.begin()
  const { signal } = request
  let fired = 0
  signal.addEventListener('abort', () => fired++)

  running.abortAll()
  request.abort()

  t.equal(request.signal, signal)
  t.equal(fired, 1)
  t.match(cancelledBy(signal), { details: { reason: 'shutting_down' } })
})
