import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { Ids } from '../runtime/ids.ts'
import type { DeviceProber } from './device-prober.ts'
import type { Lease } from './contract/lease.ts'
import type { LeaseClock } from './lease-clock.ts'
import { dueAtMs, type LeaseEvent } from './contract/lease-machine.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { shownHandle, type Log } from './log.ts'
import type { Granted, GrantOrder } from './queue/availability.ts'

export interface GrantParts {
  readonly store: LeaseStore
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly clock: LeaseClock
  readonly ids: Ids
  readonly nowMs: () => number
  readonly log: Log
}

/**
 * Asks the devices whether they are there and grants all of them, or none.
 *
 * Asking and granting are two steps, and much may happen in between: the store alone decides.
 *
 * @returns undefined when it came to nothing
 */
export async function grantDevices (
  parts: GrantParts, { deviceIds, terms, signal }: GrantOrder
): Promise<Granted | undefined> {
  const { store, drivers, prober, clock, ids, nowMs } = parts
  const asked = await Promise.all(deviceIds.map(async (deviceId) => {
    const driver = drivers.get(deviceId)
    return driver === undefined ? 'away' : await prober.probe(driver)
  }))
  if (signal.aborted) return undefined
  const grants: LeaseEvent[] = []
  for (const [i, deviceId] of deviceIds.entries()) {
    const sighting = asked[i]
    if (sighting === undefined || typeof sighting === 'string') return undefined
    grants.push({ ...terms, type: 'grant', deviceId, handle: ids.lease(), bootId: sighting.bootId, nowMs: nowMs() })
  }

  const granted = await store.changeAll(grants)
  if (granted === undefined) return undefined
  const leases = granted.flatMap(({ lease }) => lease ?? [])
  for (const lease of leases) {
    drivers.get(lease.deviceId)?.raiseFence(lease.fence)
    clock.watch(dueAtMs(lease))
  }
  return { leases, takeBack: () => takeBack(parts, leases) }
}

/**
 * Undoes a grant of which nobody has learned, so that nothing can have been done under it. Each
 * lease by itself: one that has ended meanwhile must not keep the others with nobody.
 */
async function takeBack ({ store, drivers, nowMs, log }: GrantParts, leases: readonly Lease[]): Promise<void> {
  await Promise.all(leases.map(async ({ deviceId, handle, fence }) => {
    const undone = await store.change({ type: 'end', deviceId, handle, fence, reason: 'undelivered', nowMs: nowMs() })
    if (undone === undefined) return
    drivers.get(deviceId)?.raiseFence(undone.device.fence)
    log.info({ lease: shownHandle(handle), device: deviceId }, 'grant taken back: its caller is gone')
  }))
}
