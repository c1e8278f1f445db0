import t from 'tap'
import { cancelledBy } from '../../src/devices/cancellation.ts'
import { createRunningRequests } from '../../src/mcp/running-requests.ts'
import { manualTime } from '../support/manual-time.ts'

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

  t.match(cancelledBy(request.signal), { code: 'cancelled', retryAfterMs: Number, message: /shutting down/, nextAction: /survives a restart/, details: { reason: 'shutting_down' } })
})

t.test('a request that has ended is told nothing any more', async (t) => {
  const { running, advance } = setup()
  const request = running.begin()

  request.end()
  advance(120_000)
  running.abortAll()

  t.equal(request.signal.aborted, false)
})
