import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import { isLive } from './contract/lease.ts'
import type { LeaseBook } from './lease-book.ts'
import { holdOf, type Hold, type HoldKind } from './contract/lease-machine.ts'
import type { PoolOperations } from './contract/lease-manager.ts'
import { DeviceUnknownRefusal, UnknownLeaseRefusal } from './contract/lease-refusals.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Log } from './log.ts'
import type { OccupancyBoard } from './occupancy-board.ts'
import type { ShownTimes } from './shown-times.ts'

export interface OperationParts {
  readonly store: LeaseStore
  readonly board: OccupancyBoard
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly cleaner: DeviceCleaner
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly shown: ShownTimes
  readonly book: LeaseBook
  readonly assertOpen: () => void
  readonly log: Log
}

/** What operators do, and the deadlines of what they have begun. */
export interface OperationsDesk {
  readonly operations: PoolOperations
  /** Takes over the deadlines that an earlier process has left. */
  start (): void
  stop (): void
}

export function createPoolOperations (
  { store, board, drivers, prober, cleaner, scheduler, nowMs, shown, book, assertOpen, log }: OperationParts
): OperationsDesk {
  const deadlines = new Map<string, Cancel>()

  function named (device: string | undefined): readonly string[] {
    assertOpen()
    if (device === undefined) return [...drivers.keys()]
    if (!drivers.has(device)) throw new DeviceUnknownRefusal(device)
    return [device]
  }

  async function lay (deviceId: string, hold: Hold) {
    await store.change({ type: 'hold', deviceId, hold, nowMs: nowMs() })
    log.info({ device: deviceId, hold: hold.kind, reason: hold.reason }, 'device is held')
    keepDeadline(deviceId)
  }

  async function lift (deviceId: string, kind: HoldKind, by: string): Promise<boolean> {
    const lifted = await store.change({ type: 'unhold', deviceId, kind, by, nowMs: nowMs() })
    if (lifted === undefined) return false
    log.info({ device: deviceId, hold: kind }, 'hold on device is lifted')
    keepDeadline(deviceId)
    return true
  }

  function drainOf (deviceId: string): Hold | undefined {
    const occupancy = board.of(deviceId)
    return occupancy && holdOf(occupancy.device, 'drain')
  }

  /** Sets the timer for what the board says, in place of the one before. */
  function keepDeadline (deviceId: string) {
    deadlines.get(deviceId)?.()
    deadlines.delete(deviceId)
    const deadlineAtMs = drainOf(deviceId)?.deadlineAtMs
    if (deadlineAtMs === undefined) return
    deadlines.set(deviceId, scheduler.after(Math.max(0, deadlineAtMs - nowMs()), () => {
      // A timer knows nothing of stalls, and none lasts longer than a month.
      if (deadlineAtMs > nowMs()) return keepDeadline(deviceId)
      deadlines.delete(deviceId)
      endDrained(deviceId).catch((fault: unknown) => log.error({ device: deviceId, err: fault }, 'drained device could not be taken'))
    }))
  }

  async function endDrained (deviceId: string) {
    const drain = drainOf(deviceId)
    const lease = board.of(deviceId)?.lease
    if (drain?.deadlineAtMs === undefined || lease === undefined || !isLive(lease)) return
    await book.end(lease, 'drained', { note: drain.reason, by: drain.by })
  }

  const operations: PoolOperations = {
    async drain ({ device, reason, deadlineMs, by }) {
      const atMs = nowMs()
      const hold: Hold = { kind: 'drain', reason, by, atMs, ...(deadlineMs === undefined ? {} : { deadlineAtMs: atMs + deadlineMs }) }
      const deviceIds = named(device)
      for (const deviceId of deviceIds) await lay(deviceId, hold)
      return deviceIds
    },

    async undrain ({ device, by }) {
      const lifted: string[] = []
      for (const deviceId of named(device)) {
        if (await lift(deviceId, 'drain', by)) lifted.push(deviceId)
      }
      return lifted
    },

    async block ({ device, reason, by }) {
      for (const deviceId of named(device)) await lay(deviceId, { kind: 'block', reason, by, atMs: nowMs() })
    },

    async unblock ({ device, by }) {
      for (const deviceId of named(device)) await lift(deviceId, 'block', by)
    },

    async revoke ({ handle, reason, by }) {
      assertOpen()
      const lease = await store.lease(handle)
      if (lease === undefined) throw new UnknownLeaseRefusal()
      const ended = isLive(lease) ? await book.end(lease, 'revoked', { note: reason, by }) : undefined
      if (ended !== undefined) return shown.lease(ended.lease)
      // Over before, or by somebody else between the two looks.
      const over = await store.lease(handle)
      if (over?.end === undefined) throw new UnknownLeaseRefusal()
      throw book.refusalOf(over, 'Go on: there is nothing left to revoke.')
    },

    async retry ({ device }) {
      const [deviceId = device] = named(device)
      const driver = drivers.get(deviceId)
      log.info({ device: deviceId }, 'device is tried again')
      const record = board.of(deviceId)?.device
      if (record?.state === 'quarantined') await cleaner.clean(record)
      else if (driver !== undefined && prober.offline(deviceId) !== undefined) await prober.probe(driver)
    },

    async audit ({ limit, before }) {
      assertOpen()
      const entries = await store.audit({ limit, ...(before === undefined ? {} : { before }) })
      return entries.map(shown.entry)
    }
  }

  return {
    operations,
    start () {
      for (const { device } of board.all()) keepDeadline(device.id)
    },
    stop () {
      for (const cancel of deadlines.values()) cancel()
    }
  }
}
