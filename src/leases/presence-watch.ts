import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import type { DeviceProber, Sighting } from './device-prober.ts'
import { isLive, type EndReason, type Lease } from './contract/lease.ts'
import type { Log } from './log.ts'
import type { OccupancyBoard } from './occupancy-board.ts'

const soonestRetryMs = 1_000

/**
 * Sees to it that a lease never outlives the incarnation it is for, and that it lives as long.
 *
 * Leased devices are looked at every few seconds, and at once when a call finds one away. One
 * that comes back in the same boot within the recovery window is adopted: its lease goes on. One
 * that comes back in another boot ends the lease, `device_restarted`, and so does one that stays
 * away, `device_lost`. Time in which we could not look does not count as away.
 */
export interface PresenceWatch {
  /** Looks at the device of a lease, and has ended the lease by the time it returns if it has to. */
  look (lease: Lease): Promise<Sighting>
  /** When it is worth asking again for a device that is away: something is found out or decided by then. */
  retryAfterMs (lease: Lease): number
  /** What any look has found; the prober's business is to tell. */
  onLook (deviceId: string, sighting: Sighting): void
  start (): void
  stop (): void
}

export function createPresenceWatch ({ board, drivers, prober, scheduler, nowMs, everyMs, windowMs, end, log }: {
  readonly board: OccupancyBoard
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly everyMs: number
  /** How long the device of a lease may be away. */
  readonly windowMs: (lease: Lease) => number
  readonly end: (lease: Lease, reason: EndReason) => Promise<unknown>
  readonly log: Log
}): PresenceWatch {
  /** For each leased device that is away, the last look before its lease ends. */
  const lastLooks = new Map<string, Cancel>()
  let stopWatching: Cancel | undefined
  let stopped = false

  async function look (lease: Lease): Promise<Sighting> {
    const driver = drivers.get(lease.deviceId)
    if (driver === undefined) throw new Error(`no driver for device ${lease.deviceId}`)
    const sighting = await prober.probe(driver)
    await decide(lease, sighting)
    return sighting
  }

  async function decide (lease: Lease, sighting: Sighting): Promise<void> {
    const { deviceId } = lease
    if (stopped) return
    if (sighting !== 'away') {
      lastLooks.get(deviceId)?.()
      lastLooks.delete(deviceId)
      if (sighting !== 'unseen' && sighting.bootId !== lease.bootId) await end(lease, 'device_restarted')
      return
    }
    const awaySinceMs = prober.offline(deviceId)?.awaySinceMs
    if (awaySinceMs === undefined) return
    const leftMs = awaySinceMs + windowMs(lease) - nowMs()
    if (leftMs <= 0) {
      await end(lease, 'device_lost')
    } else if (!lastLooks.has(deviceId)) {
      lastLooks.set(deviceId, scheduler.after(leftMs, () => {
        lastLooks.delete(deviceId)
        lookInBackground(deviceId)
      }))
    }
  }

  function liveLeaseOn (deviceId: string): Lease | undefined {
    const lease = board.of(deviceId)?.lease
    return lease !== undefined && isLive(lease) ? lease : undefined
  }

  function lookInBackground (deviceId: string) {
    const lease = liveLeaseOn(deviceId)
    if (lease === undefined) return
    look(lease).catch((fault: unknown) => log.error({ device: deviceId, err: fault }, 'look at leased device broke off'))
  }

  return {
    look,

    retryAfterMs (lease) {
      const { awaySinceMs = nowMs(), nextLookAtMs = nowMs() } = prober.offline(lease.deviceId) ?? {}
      const leftMs = awaySinceMs + windowMs(lease) - nowMs()
      return Math.max(soonestRetryMs, Math.min(nextLookAtMs - nowMs(), everyMs, leftMs))
    },

    onLook (deviceId, sighting) {
      const lease = liveLeaseOn(deviceId)
      if (lease === undefined) return
      decide(lease, sighting).catch((fault: unknown) => {
        log.error({ device: deviceId, err: fault }, 'what a look found could not be recorded')
      })
    },

    start () {
      stopWatching = scheduler.every(everyMs, () => {
        for (const deviceId of drivers.keys()) lookInBackground(deviceId)
      })
    },

    stop () {
      stopped = true
      stopWatching?.()
      for (const cancel of lastLooks.values()) cancel()
    }
  }
}
