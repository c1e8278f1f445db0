import { cancelledBy, unlessCancelled } from '../devices/cancellation.ts'
import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { Ids } from '../runtime/ids.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import type { Holder, Lease } from './lease.ts'
import type { Occupancy } from './lease-machine.ts'
import type { DeviceSelector, DeviceState } from './lease-manager.ts'
import { CapacityExhaustedRefusal, CleanupInProgressRefusal, UnknownDeviceRefusal } from './lease-refusals.ts'
import type { LeaseStore } from './lease-store.ts'
import { matchesSelector } from './match-device.ts'

const shortestWaitMs = 1_000
const longestWaitMs = 30_000

export interface GrantRequest {
  readonly holder: Holder
  readonly selector: DeviceSelector
  readonly ttlMs: number
  readonly purpose: string | undefined
  readonly signal: AbortSignal
}

export interface GrantParts {
  readonly store: LeaseStore
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly cleaner: DeviceCleaner
  readonly ids: Ids
  readonly nowMs: () => number
  /** Throws once nothing may be granted any more. */
  readonly assertOpen: () => void
}

/**
 * Finds a free device that matches and answers, and grants a lease on it.
 *
 * Looking, asking the phone and granting are three steps, and others take theirs in between:
 * the store alone decides who gets a device, and whoever lost looks again. A round that grants
 * nothing has found a device offline or lost it to somebody, so it does not go on for ever.
 */
export async function grantDevice (parts: GrantParts, { holder, selector, ttlMs, purpose, signal }: GrantRequest): Promise<Lease> {
  const { store, drivers, prober, ids, nowMs, assertOpen } = parts
  const matching = [...drivers.values()].filter(({ description }) => matchesSelector(description, selector))
  if (matching.length === 0) throw new UnknownDeviceRefusal([...drivers.values()].map(({ description }) => description))

  for (;;) {
    assertOpen()
    const taken = await occupanciesOf(store, matching)
    const driver = pick(matching, taken, prober)
    if (driver === undefined) throw noneFree(parts, matching, taken)
    const deviceId = driver.description.id

    // The phone is waited for, but not longer than the caller waits.
    const bootId = await unlessCancelled(signal, prober.probe(driver))
    assertOpen()
    if (bootId === undefined) continue
    const granted = await store.change({ type: 'grant', deviceId, handle: ids.lease(), bootId, holder, purpose, ttlMs, nowMs: nowMs() })
    const lease = granted?.lease
    if (lease === undefined) continue
    driver.raiseFence(lease.fence)
    if (signal.aborted) {
      await store.change({ type: 'withdraw', deviceId, handle: lease.handle, fence: lease.fence })
      throw cancelledBy(signal)
    }
    return lease
  }
}

async function occupanciesOf (store: LeaseStore, drivers: readonly FencedDriver[]): Promise<ReadonlyMap<string, Occupancy>> {
  const wanted = new Set(drivers.map(({ description }) => description.id))
  const found = await store.occupancies()
  return new Map(found.filter(({ device }) => wanted.has(device.id)).map((occupancy) => [occupancy.device.id, occupancy]))
}

/**
 * The least recently used of the free devices. One that another request is asking right now is
 * likely to be gone in a moment, and comes last.
 */
function pick (drivers: readonly FencedDriver[], taken: ReadonlyMap<string, Occupancy>, prober: DeviceProber): FencedDriver | undefined {
  const free = drivers.flatMap((driver) => {
    const { id } = driver.description
    const device = taken.get(id)?.device
    if (device?.state !== 'free' || prober.offline(id) !== undefined) return []
    return [{ driver, id, wanted: Number(prober.isProbing(id)), lastUsedAtMs: device.lastUsedAtMs }]
  })
  free.sort((a, b) => a.wanted - b.wanted || a.lastUsedAtMs - b.lastUsedAtMs || (a.id < b.id ? -1 : 1))
  return free[0]?.driver
}

function noneFree ({ prober, cleaner, nowMs }: GrantParts, matching: readonly FencedDriver[], taken: ReadonlyMap<string, Occupancy>) {
  const states: Partial<Record<DeviceState, number>> = {}
  let soonestMs = Number.POSITIVE_INFINITY
  for (const { description: { id } } of matching) {
    const { state, changesAtMs } = outlook(id, taken.get(id))
    states[state] = (states[state] ?? 0) + 1
    soonestMs = Math.min(soonestMs, changesAtMs - nowMs())
  }
  const retryAfterMs = Math.min(Math.max(soonestMs, shortestWaitMs), longestWaitMs)
  const crowd = { matching: matching.length, states, retryAfterMs }
  // Cleanup is all that stands between the caller and a device when nobody holds one of them.
  return states.cleaning !== undefined && states.leased === undefined
    ? new CleanupInProgressRefusal(crowd)
    : new CapacityExhaustedRefusal(crowd)

  /** Which state keeps a device from being granted, and when that may be different. */
  function outlook (id: string, occupancy: Occupancy | undefined): { readonly state: DeviceState, readonly changesAtMs: number } {
    const offline = prober.offline(id)
    switch (occupancy?.device.state) {
      case 'leased':
        return { state: 'leased', changesAtMs: occupancy.lease?.expiresAtMs ?? 0 }
      case 'cleaning':
        return { state: 'cleaning', changesAtMs: 0 }
      case 'quarantined':
        return { state: 'quarantined', changesAtMs: cleaner.nextTryAtMs(id) ?? 0 }
      case 'free':
      case undefined:
        return offline ? { state: 'offline', changesAtMs: offline.nextLookAtMs } : { state: 'free', changesAtMs: 0 }
    }
  }
}
