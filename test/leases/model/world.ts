import type { DeviceDriver } from '../../../src/devices/device-driver.ts'
import { DeviceOfflineRefusal } from '../../../src/devices/device-refusals.ts'
import type { Departure, DeviceSink, DeviceSource } from '../../../src/devices/device-source.ts'
import { createLeaseManager } from '../../../src/leases/create-lease-manager.ts'
import type { LeaseManager } from '../../../src/leases/contract/lease-manager.ts'
import { leaseSettings } from '../../../src/leases/contract/lease-settings.ts'
import type { LeaseStore } from '../../../src/leases/contract/lease-store.ts'
import { createAcquireQueue, type AcquireQueue } from '../../../src/leases/queue/acquire-queue.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import type { Ids } from '../../../src/runtime/ids.ts'
import type { Scheduler } from '../../../src/runtime/scheduler.ts'
import type { Store } from '../../../src/store/store.ts'
import { fakeDriver, type FakeDriver } from '../../support/fake-driver.ts'
import { idle } from '../../support/idle.ts'
import { manualTime } from '../../support/manual-time.ts'
import { phones as descriptions } from './acts.ts'
import { sqliteFiles, type CreateDatabase } from './databases.ts'

export const maxPerHolder = 3
/** Short, so that everything that can happen happens within a short history. */
export const settings = leaseSettings.parse({
  ttlMs: 30_000,
  firstUseMs: 15_000,
  maxTtlMs: 100_000,
  idleMs: 60_000,
  maxLengthMs: 110_000,
  longestVetoMs: 45_000,
  awaitOwnerMs: 5_000,
  recoveryMs: 20_000,
  watchEveryMs: 5_000,
  maxPerHolder,
  topPriority: 'high',
  ageMs: 10_000,
  reserveAfterMs: 8_000,
  maxBypasses: 2,
  cleanupTimeoutMs: 10_000,
  lowestCleanup: 'none',
  probeTimeoutMs: 2_000
})

/** How one rule is broken: something between the manager and what it stands on, or between it and its callers. */
export interface Fault {
  readonly store?: (store: LeaseStore) => LeaseStore
  readonly driver?: (driver: DeviceDriver) => DeviceDriver
  /** Between the source of the phones and the pool. */
  readonly sink?: (sink: DeviceSink) => DeviceSink
  readonly clock?: (clock: Clock) => Clock
  readonly scheduler?: (scheduler: Scheduler) => Scheduler
  readonly queue?: (queue: AcquireQueue) => AcquireQueue
  readonly leases?: (leases: LeaseManager) => LeaseManager
}

/** A phone as it really is. */
export interface Phone {
  readonly driver: FakeDriver
  /** Whether its source has it. */
  isPlugged: boolean
  readonly id: string
  /** Tokens of the cleanups that came to their end. */
  readonly cleanedWith: number[]
  /** Lets a cleanup that lingers come to its end. */
  hurry: () => void
}

/** One run of the server, from its start to its death. */
export interface Process {
  readonly leases: LeaseManager
  /** The store as this process sees it, for whoever looks on. */
  readonly store: LeaseStore
}

export interface World {
  readonly phones: readonly Phone[]
  readonly process: Process
  /** How often the store has been asked for something; as long as that stays the same, there is nothing new. */
  readonly storeCalls: number
  /** Milliseconds since the history began, whatever the wall clock says. */
  nowMs (): number
  wallMs (): number
  setWallClock (byMs: number): void
  /** Until everything has happened that can happen without time passing. */
  drain (): Promise<void>
  /** Lets time pass, timer by timer, and calls `look` after each. */
  pass (ms: number, look: () => Promise<void>): Promise<void>
  /** Ends the process: as if the power was cut, or in order. What it was doing is never heard of again. */
  end (how: { readonly isInOrder: boolean }): Promise<void>
  /** The source of the phones finds one, or finds it again. */
  plug (id: string): Promise<void>
  /** It loses one, or an operator has it removed. */
  unplug (id: string, departure: Departure): Promise<void>
  /** Starts another one over what the last has left. */
  begin (): Promise<void>
  close (): Promise<void>
}

const createSqliteFile = sqliteFiles()

/** Handles that differ in the characters that the audit shows. */
function countingIds (): Ids {
  let leases = 0
  return {
    lease: () => `ls_${(46_655 - leases++).toString(36).padStart(3, '0')}${'0'.repeat(19)}`,
    bytes: (size) => Buffer.alloc(size, 7)
  }
}

/** The queue is looked through at the end of a turn, and what comes of that may have it looked through again. */
const quietTurns = 4

const never = new Promise<never>(() => {})

/** The pool, its phones and its time. `pauses` says how long the store takes each time, in turn. */
export async function createWorld ({ fault = {}, pauses, createDatabase = createSqliteFile }: {
  readonly fault?: Fault
  readonly pauses: readonly number[]
  readonly createDatabase?: CreateDatabase
}): Promise<World> {
  const database = await createDatabase()

  const time = manualTime(Date.UTC(2026, 0, 1))
  const ids = countingIds()
  const phones: readonly Phone[] = descriptions.map(({ id, labels }) => {
    return { driver: fakeDriver({ id, labels: [...labels] }), id, isPlugged: true, cleanedWith: [], hurry: () => {} }
  })
  let pausesTaken = 0
  let storeCalls = 0
  let current: { readonly process: Process, readonly store: Store, readonly life: Life, readonly source: PhoneSource } | undefined

  async function pause () {
    storeCalls++
    const ticks = pauses[pausesTaken++ % pauses.length] ?? 0
    if (ticks > 3) await idle()
    else for (let tick = 0; tick < ticks; tick++) await undefined
  }

  function running () {
    if (current === undefined) throw new Error('no process runs')
    return current
  }

  function phoneOf (id: string): Phone {
    const phone = phones.find((one) => one.id === id)
    if (phone === undefined) throw new Error(`there is no phone ${id}`)
    return phone
  }

  /** What a process finds of the phones, each time through another driver. */
  function createSource (life: Life): PhoneSource {
    const connect = (phone: Phone) => mortal(fault.driver?.(asItIs(phone)) ?? asItIs(phone), life)
    let sink: DeviceSink | undefined
    return {
      async start (started) {
        sink = fault.sink?.(started) ?? started
        await Promise.all(phones.filter(({ isPlugged }) => isPlugged).map(async (phone) => await sink?.appeared(connect(phone))))
      },
      async stop () {},
      async plug (phone) { await sink?.appeared(connect(phone)) },
      async unplug ({ id }, departure) { await sink?.gone(id, departure) }
    }
  }

  async function drain () {
    for (let quiet = 0; quiet < quietTurns;) {
      await idle()
      // What is due now needs no time.
      if ((current?.life.nextTimerMs() ?? Infinity) <= time.clock.monotonicMs()) time.advance(0)
      quiet = current !== undefined && current.life.underWay > 0 ? 0 : quiet + 1
    }
  }

  return {
    phones,
    get process () { return running().process },
    get storeCalls () { return storeCalls },
    nowMs: () => time.clock.monotonicMs(),
    wallMs: () => time.clock.nowMs(),
    setWallClock: (byMs) => time.setWallClock(byMs),
    drain,

    async pass (ms, look) {
      const untilMs = time.clock.monotonicMs() + ms
      for (;;) {
        const nowMs = time.clock.monotonicMs()
        const nextMs = Math.min(untilMs, current?.life.nextTimerMs() ?? untilMs)
        time.advance(Math.max(0, nextMs - nowMs))
        await drain()
        await look()
        if (nextMs >= untilMs) return
      }
    },

    async plug (id) {
      const phone = phoneOf(id)
      phone.isPlugged = true
      await running().source.plug(phone)
    },

    async unplug (id, departure) {
      const phone = phoneOf(id)
      phone.isPlugged = false
      await running().source.unplug(phone, departure)
    },

    async end ({ isInOrder }) {
      const { process, store, life } = running()
      if (isInOrder) {
        const stopped = process.leases.stop()
        await drain()
        await stopped
      }
      life.end()
      current = undefined
      await store.close()
    },

    async begin () {
      const life = createLife(time)
      const store = await database.open()
      const source = createSource(life)
      const faulty = fault.store?.(store.leases) ?? store.leases
      const manager = createLeaseManager({
        store: mortal(faulty, life, pause),
        // Where it answers at once, nothing is ever under way in it.
        ledger: mortal(store.changes, life, database.isElsewhere ? async () => {} : undefined),
        sources: [source],
        clock: fault.clock?.(time.clock) ?? time.clock,
        scheduler: fault.scheduler?.(life.scheduler) ?? life.scheduler,
        ids,
        settings,
        log: { info () {}, warn () {}, error () {} },
        queue: fault.queue?.(createAcquireQueue(settings)) ?? createAcquireQueue(settings)
      })
      const leases = fault.leases?.(manager) ?? manager
      current = { process: { leases, store: faulty }, store, life, source }
      const started = leases.start()
      await drain()
      await started
    },

    async close () {
      current?.life.end()
      await current?.store.close()
      current = undefined
      database.remove()
    }
  }
}

/** Where a process has its phones from. */
interface PhoneSource extends DeviceSource {
  plug (phone: Phone): Promise<void>
  unplug (phone: Phone, departure: Departure): Promise<void>
}

/** What keeps a process going: once it has ended, no timer fires any more and nothing is ever answered. */
interface Life {
  readonly scheduler: Scheduler
  readonly hasEnded: boolean
  underWay: number
  nextTimerMs (): number | undefined
  end (): void
}

function createLife ({ clock, scheduler }: { readonly clock: Clock, readonly scheduler: Scheduler }): Life {
  const timers = new Set<{ dueMs: number, cancel: () => void }>()
  let hasEnded = false

  function set (delayMs: number, everyMs: number | undefined, work: () => void) {
    const timer = { dueMs: clock.monotonicMs() + Math.max(delayMs, 0), cancel: () => {} }
    const fire = () => {
      if (everyMs === undefined) timers.delete(timer)
      else timer.dueMs += Math.max(everyMs, 1)
      work()
    }
    const cancel = everyMs === undefined ? scheduler.after(delayMs, fire) : scheduler.every(everyMs, fire)
    timer.cancel = () => {
      timers.delete(timer)
      cancel()
    }
    timers.add(timer)
    return timer.cancel
  }

  return {
    scheduler: {
      after: (delayMs, work) => hasEnded ? () => {} : set(delayMs, undefined, work),
      every: (intervalMs, work) => hasEnded ? () => {} : set(intervalMs, intervalMs, work)
    },
    get hasEnded () { return hasEnded },
    underWay: 0,
    nextTimerMs: () => timers.size === 0 ? undefined : Math.min(...[...timers].map(({ dueMs }) => dueMs)),
    end () {
      hasEnded = true
      for (const { cancel } of [...timers]) cancel()
    }
  }
}

/** The same object for as long as the process lives. With a `pause`, its answers take their time. */
function mortal<T extends object> (object: T, life: Life, pause?: () => Promise<void>): T {
  async function answered (call: () => unknown): Promise<unknown> {
    if (life.hasEnded) return await never
    if (pause !== undefined) life.underWay++
    try {
      await pause?.()
      if (life.hasEnded) return await never
      const answer = await call()
      await pause?.()
      return life.hasEnded ? await never : answer
    } catch (fault) {
      throw life.hasEnded ? await never : fault
    } finally {
      if (pause !== undefined) life.underWay--
    }
  }

  return new Proxy(object, {
    get (target, name) {
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (...args: unknown[]) => answered(() => member.apply(target, args)) : member
    }
  })
}

/** A phone that is away answers nothing, and one that is there notes which cleanups it came to the end of. */
function asItIs ({ driver, id, cleanedWith }: Phone): DeviceDriver {
  return new Proxy<DeviceDriver>(driver, {
    get (target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'bootId') return member
      return async (...args: readonly unknown[]) => {
        if (driver.boot === undefined) throw new DeviceOfflineRefusal(id, { retryAfterMs: 1_000 })
        const answer: unknown = await member.apply(target, args)
        const command = args.at(-1)
        if (name === 'restoreHome' && typeof command === 'object' && command !== null && 'fence' in command) cleanedWith.push(Number(command.fence))
        return answer
      }
    }
  })
}
