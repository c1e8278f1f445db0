import t from 'tap'
import type { QueuePosition } from '../../../src/leases/contract/lease-manager.ts'
import type { Lease } from '../../../src/leases/contract/lease.ts'
import { LeasesUnavailableRefusal } from '../../../src/leases/contract/lease-refusals.ts'
import { leaseSettings, type LeaseSettings } from '../../../src/leases/contract/lease-settings.ts'
import { createAcquireQueue, type AcquireQueue } from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceAvailability, Granted, GrantOrder } from '../../../src/leases/queue/availability.ts'
import { createWaiters } from '../../../src/leases/queue/waiters.ts'
import { idle } from '../../support/idle.ts'
import { manualTime } from '../../support/manual-time.ts'
import { sequenceIds } from '../../support/sequence-ids.ts'
import { available } from './queue-bench.ts'

const busy = { canBeGranted: false, state: 'leased' } as const

/** Waiters over devices that are nothing but data, as they would be in another process. */
function setup ({ devices = [available('p1')], settings = {}, queue, grant = async ({ deviceIds }) => granted(deviceIds) }: {
  readonly devices?: readonly DeviceAvailability[]
  readonly settings?: Partial<LeaseSettings>
  readonly queue?: (queue: AcquireQueue) => AcquireQueue
  readonly grant?: (order: GrantOrder) => Promise<Granted | undefined>
} = {}) {
  const time = manualTime()
  const all = leaseSettings.parse(settings)
  const logged: string[] = []
  const write = (_fields: object, message: string) => { logged.push(message) }
  const plain = createAcquireQueue(all)
  const orders: GrantOrder[] = []
  let current = devices
  const waiters = createWaiters({
    queue: queue?.(plain) ?? plain,
    devices: {
      availability: () => current,
      async grant (order) {
        orders.push(order)
        return await grant(order)
      }
    },
    scheduler: time.scheduler,
    nowMs: time.clock.nowMs,
    ids: sequenceIds(),
    settings: all,
    log: { info: write, warn: write, error: write }
  })

  function ask (wanted: Parameters<typeof waiters.acquire>[1] = [{}], { principal = 'ann', waitMs = 60_000 } = {}) {
    const caller = new AbortController()
    const told: QueuePosition[] = []
    let now = 'waiting'
    const outcome = waiters.acquire({
      holder: { principal }, waitMs, signal: caller.signal, onWaiting: (position) => { told.push(position) }
    }, wanted)
    outcome.then(
      (leases) => { now = leases.map(({ deviceId }) => deviceId).join() },
      (refusal: { readonly code?: string }) => { now = refusal.code ?? String(refusal) }
    )
    return { outcome, told, leave: () => caller.abort(), now: () => now }
  }

  return {
    waiters,
    time,
    orders,
    logged,
    ask,
    /** The pool is another one now, of which nothing has been said yet. */
    changeQuietly (...now: readonly DeviceAvailability[]) {
      current = now
    },
    /** The pool is another one now. */
    change (...now: readonly DeviceAvailability[]) {
      current = now
      waiters.devicesChanged()
    }
  }
}

function granted (deviceIds: readonly string[], takeBack: () => Promise<void> = async () => {}): Granted {
  const leases = deviceIds.map((deviceId): Lease => ({
    handle: `ls_${deviceId}`,
    deviceId,
    bootId: 'boot-1',
    fence: 1,
    holder: { principal: 'ann' },
    sessionKey: undefined,
    state: 'granted',
    purpose: undefined,
    priority: 'normal',
    grantedAtMs: 0,
    ttlMs: 1,
    expiresAtMs: 1,
    mustEndAtMs: 1,
    idleMs: 1,
    lastControlAtMs: 0,
    isUsed: false,
    isConfirmed: false,
    heartbeatMs: undefined,
    end: undefined
  }))
  return { leases, takeBack }
}

t.test('a fault while the queue is looked through rejects the request that came, which is not served afterwards', async (t) => {
  let isBroken = true
  const { waiters, ask, orders } = setup({
    queue: (plain) => ({
      ...plain,
      nextGrants (...args) {
        if (isBroken) throw new Error('broken')
        return plain.nextGrants(...args)
      }
    })
  })

  await t.rejects(ask().outcome, /^broken$/)
  isBroken = false
  t.match(await ask().outcome, [{ deviceId: 'p1' }])

  t.equal(orders.length, 1)
  t.same(waiters.list(), [])
})

t.test('a device that appears serves the request that waits for it', async (t) => {
  const { ask, change } = setup({ devices: [available('p1', { ...busy, labels: ['lab'] }), available('p2', busy)] })
  const request = ask([{ labels: ['lab'] }])

  change(available('p1', { ...busy, labels: ['lab'] }), available('p2', busy), available('p3', { labels: ['lab'] }))
  await idle()

  t.equal(request.now(), 'p3')
})

t.test('a request goes on waiting for a device that is away', async (t) => {
  const { ask, change } = setup({ devices: [available('p1', busy), available('p2', busy)] })
  const request = ask([{ device: 'p1' }])

  change(available('p1', { canBeGranted: false, state: 'gone' }), available('p2'))
  await idle()
  t.equal(request.now(), 'waiting')
  change(available('p1'), available('p2'))
  await idle()

  t.equal(request.now(), 'p1')
})

t.test('a request whose last matching device has left the pool is refused at once, others go on', async (t) => {
  const { ask, change, waiters } = setup({ devices: [available('p1', busy), available('p2', busy), available('p3', busy)] })
  const hopeless = ask([{ device: 'p1' }])
  const tooWide = ask([{}, {}, {}])
  const patient = ask([{}, {}])

  change(available('p2', busy), available('p3', busy))
  await idle()

  t.same([hopeless.now(), tooWide.now(), patient.now()], ['no_such_device', 'too_many_devices', 'waiting'])
  await t.rejects(hopeless.outcome, { code: 'no_such_device', details: { devices: [{ id: 'p2' }, { id: 'p3' }] } })
  t.equal(waiters.list().length, 1)
})

t.test('a device that is about to leave the pool is not waited for, and its lease counts for its holder', async (t) => {
  const leased = { ...busy, holder: 'ann' }
  const { ask, change } = setup({ devices: [available('p1', leased), available('p2', busy)], settings: { maxPerHolder: 1 } })
  const forIt = ask([{ device: 'p1' }], { principal: 'ben' })
  const limited = ask()

  change(available('p1', { ...leased, isLeaving: true }), available('p2'))
  await idle()
  t.same([forIt.now(), limited.now()], ['no_such_device', 'waiting'])
  change(available('p2'))
  await idle()

  t.equal(limited.now(), 'p2')
})

t.test('a pool that another request sees first has changed for those that wait, too', async (t) => {
  const { ask, changeQuietly } = setup({ devices: [available('p1', busy), available('p2', busy)] })
  const hopeless = ask([{ device: 'p1' }])

  changeQuietly(available('p2', busy))
  await t.rejects(ask([{ device: 'p1' }]).outcome, { code: 'no_such_device' })

  t.equal(hopeless.now(), 'no_such_device')
})

t.test('a request whose device leaves the pool while it is being granted is refused when the grant fails', async (t) => {
  let fail = () => {}
  const { ask, change } = setup({ grant: async () => await new Promise((resolve) => { fail = () => resolve(undefined) }) })
  const request = ask()
  change()
  await idle()
  t.equal(request.now(), 'waiting')

  fail()

  await t.rejects(request.outcome, { code: 'no_such_device' })
})

t.test('a device is proposed to one request at a time, and to the next when the grant has failed', async (t) => {
  const answers: Array<(granted: Granted | undefined) => void> = []
  const { ask, orders, time } = setup({ grant: async () => await new Promise((resolve) => { answers.push(resolve) }) })
  const first = ask()
  const second = ask()
  time.advance(1_000)
  await idle()
  t.equal(orders.length, 1)

  first.leave()
  t.ok(orders[0]?.signal.aborted)
  await idle()
  t.equal(orders.length, 1, 'until the device side has answered')
  answers[0]?.(undefined)
  await idle()
  answers[1]?.(granted(['p1']))

  t.match(await second.outcome, [{ deviceId: 'p1' }])
})

t.test('a request whose grant cannot be decided stays at its position, is told why, and is tried again', async (t) => {
  let fault: Error | undefined = new LeasesUnavailableRefusal()
  const { ask, orders, time, logged } = setup({
    async grant ({ deviceIds }) {
      if (fault !== undefined) throw fault
      return granted(deviceIds)
    }
  })
  const first = ask()
  await idle()
  const second = ask([{}], { waitMs: 2_500 })
  await idle()
  t.equal(orders.length, 2, 'a new request tries at once')
  time.advance(999)
  await idle()
  t.equal(orders.length, 2)
  time.advance(1)
  await idle()
  t.equal(orders.length, 3)
  const note = 'granting it failed and is tried again: The gateway is starting or shutting down'
  t.match(first.told.at(-1), { position: 1, note })
  t.match(second.told.at(-1), { position: 2, note })

  time.advance(1_500)
  await idle()
  await t.rejects(second.outcome, { code: 'wait_timed_out', message: `The request could not be served in time, because ${note}.` })
  t.same([...new Set(logged)], ['devices could not be granted'])
  t.equal(logged.length, 1, 'told once')

  fault = undefined
  const third = ask()
  await idle()
  t.same([first.now(), third.now()], ['p1', 'waiting'])
})

t.test('a fault that is no refusal is not told to callers that wait', async (t) => {
  const { ask, time } = setup({ grant: async () => { throw new Error('SQLITE_FULL at /secret/path') } })
  const request = ask()
  await idle()
  time.advance(1_000)
  await idle()

  t.equal(request.now(), 'waiting')
  t.equal(request.told.at(-1)?.note, 'granting it failed and is tried again')
})

t.test('a failure is forgotten with its device', async (t) => {
  let isBroken = true
  const { ask, change } = setup({
    devices: [available('p1'), available('p2', busy)],
    async grant ({ deviceIds }) {
      if (isBroken) throw new Error('broken')
      return granted(deviceIds)
    }
  })
  const request = ask([{}], { waitMs: 0 })
  await t.rejects(request.outcome, { message: 'broken' })

  isBroken = false
  change(available('p2', busy))
  await t.rejects(ask([{}], { waitMs: 0 }).outcome, { code: 'capacity_exhausted' })
})

t.test('a request that is removed is refused with the reason, and one that is being granted gives that back', async (t) => {
  const answers: Array<() => void> = []
  let takenBack = 0
  const { ask, waiters } = setup({
    async grant ({ deviceIds }) {
      await new Promise<void>((resolve) => { answers.push(resolve) })
      return granted(deviceIds, async () => { takenBack++ })
    }
  })
  const [served, waiting, next] = [ask(), ask(), ask()]
  const [first, second] = waiters.list()

  t.equal(waiters.remove('request-0', 'no'), undefined)
  t.strictSame(waiters.remove(second?.id ?? '', 'say "no"'), second)
  t.equal(waiters.remove(second?.id ?? '', 'no'), undefined)
  t.strictSame(waiters.remove(first?.id ?? '', 'no'), first)
  for (const { outcome } of [served, waiting]) await t.rejects(outcome, { code: 'request_removed', retryable: false })
  await t.rejects(waiting.outcome, {
    code: 'request_removed', message: 'An operator has taken the request out of the queue: "say \\"no\\"".', details: { reason: 'say "no"' }
  })
  answers[0]?.()
  await idle()
  t.equal(takenBack, 1)
  answers[1]?.()
  t.match(await next.outcome, [{ deviceId: 'p1' }])
})

t.test('a grant whose caller has left is taken back before its device is granted again', async (t) => {
  const events: string[] = []
  const answers: Array<() => void> = []
  const { ask, logged } = setup({
    async grant ({ deviceIds }) {
      events.push('grant')
      await new Promise<void>((resolve) => { answers.push(resolve) })
      return granted(deviceIds, async () => {
        events.push('take back')
        await idle()
        throw new Error('broken')
      })
    }
  })
  const gone = ask()
  const next = ask()
  gone.leave()
  answers[0]?.()
  await idle()
  await idle()
  answers[1]?.()

  t.match(await next.outcome, [{ deviceId: 'p1' }])
  t.same(events, ['grant', 'take back', 'grant'])
  t.same(logged, ['a grant could not be taken back'])
})
