/**
 * With hundreds of requests in the queue every phone that was lifted from a hold, every caller that
 * left and every request that came had the whole queue looked through at once. The loop stood still
 * for seconds, and a shutdown in that time was ended by its watchdog.
 */
import t from 'tap'
import { leaseSettings } from '../../src/leases/contract/lease-settings.ts'
import { createAcquireQueue } from '../../src/leases/queue/acquire-queue.ts'
import type { DeviceAvailability } from '../../src/leases/queue/availability.ts'
import { createWaiters } from '../../src/leases/queue/waiters.ts'
import { idle } from '../support/idle.ts'
import { manualTime } from '../support/manual-time.ts'
import { sequenceIds } from '../support/sequence-ids.ts'
import { available } from '../leases/queue/queue-bench.ts'

const devices = 199
const requests = 480

/** A full queue whose requests want more of one label than is free, and how often it was looked through. */
async function setup () {
  const settings = leaseSettings.parse({})
  const time = manualTime()
  const queue = createAcquireQueue(settings)
  let free = 0
  let looks = 0
  const availability = (): DeviceAvailability[] => Array.from({ length: devices }, (_, at) => pool(at, at < free))
  const waiters = createWaiters({
    queue: {
      ...queue,
      nextGrants (...args) {
        looks++
        return queue.nextGrants(...args)
      }
    },
    devices: { availability, grant: async () => undefined },
    scheduler: time.scheduler,
    nowMs: time.clock.nowMs,
    ids: sequenceIds(),
    settings,
    log: { info () {}, warn () {}, error () {} }
  })
  const told: number[] = []
  const callers = Array.from({ length: requests }, (_, at) => {
    const caller = new AbortController()
    const wanted = Array.from({ length: 16 }, (_, label) => ({ labels: [label < 14 ? `label ${label}` : 'rare'] }))
    const outcome = waiters.acquire({
      holder: { principal: `agent ${at}` }, waitMs: 60_000, signal: caller.signal, onWaiting: ({ position }) => { told.push(position) }
    }, wanted)
    return { leave: () => caller.abort(), code: outcome.then(() => 'served', (refusal: { readonly code?: string }) => refusal.code) }
  })
  const looksOf = async (work: () => unknown): Promise<number> => {
    looks = 0
    await work()
    await idle()
    await idle()
    return looks
  }
  await idle()
  t.teardown(() => waiters.close(new Error('closed')))
  return { waiters, callers, told, looksOf, joining: looks, lift: () => { free++; waiters.devicesChanged() } }
}

const descriptions = Array.from({ length: devices }, (_, at) => {
  const common = Array.from({ length: 14 }, (_, label) => `label ${label}`)
  return available(`phone-${at}`, { labels: at < devices - 2 ? common : [...common, 'rare'] })
})

function pool (at: number, canBeGranted: boolean): DeviceAvailability {
  return { ...descriptions[at] ?? available('none'), canBeGranted, state: canBeGranted ? 'free' : 'leased' }
}

/** The first change of a turn may find that the queue was looked through in it already. */
const onceOrTwice = (looks: number): boolean => looks === 1 || looks === 2

t.test('however much changes in one turn, the queue is looked through at its beginning and its end', async (t) => {
  const { callers, told, looksOf, joining, lift } = await setup()

  t.ok(onceOrTwice(joining), 'all requests that join')
  t.strictSame(told, Array.from({ length: requests }, (_, at) => at + 1), 'each is told its position once')
  t.ok(onceOrTwice(await looksOf(() => { for (let at = 0; at < devices - 1; at++) lift() })), 'all phones that are lifted but one of the rare ones')
  t.ok(onceOrTwice(await looksOf(() => { for (const { leave } of callers.slice(0, -1)) leave() })), 'all callers that leave')

  t.same(new Set(await Promise.all(callers.slice(0, -1).map(({ code }) => code))), new Set(['cancelled']))
})

t.test('what changes in a later turn is looked at, too', async (t) => {
  const { looksOf, lift } = await setup()
  for (let turns = 0; turns < 5; turns++) t.ok(await looksOf(lift) > 0)
})
