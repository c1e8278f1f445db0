import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import type { DeviceProber } from './device-prober.ts'
import type { EndReason, Lease } from './lease.ts'
import type { Occupancy } from './lease-machine.ts'
import type { LeaseStore } from './lease-store.ts'

interface SettleParts {
  readonly store: LeaseStore
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly prober: DeviceProber
  readonly cleaner: DeviceCleaner
  readonly nowMs: () => number
  readonly end: (lease: Lease, reason: EndReason) => Promise<unknown>
}

/**
 * Takes over from the process before this one, which may have died at any point.
 *
 * A granted lease goes on as it is when its time is not over and its device answers with the
 * boot id of the grant. Otherwise it ends, with the reason. A device that does not answer now
 * may have restarted unseen, so its lease cannot be vouched for and ends too. Whatever a lease
 * has left behind is cleaned, in the background: until then the device is not granted anyway.
 */
export async function settleAfterRestart ({ store, drivers, prober, cleaner, nowMs, end }: SettleParts): Promise<void> {
  await store.enroll([...drivers.keys()])
  await Promise.all((await store.occupancies()).map(settle))

  async function settle ({ device, lease }: Occupancy) {
    const driver = drivers.get(device.id)
    driver?.raiseFence(device.fence)
    if (lease?.state === 'granted') {
      const reason = await whyOver(lease, driver)
      await (reason === undefined ? capExpiry(lease) : end(lease, reason))
    } else if (device.state !== 'free') {
      cleaner.begin(device)
    }
  }

  async function whyOver (lease: Lease, driver: FencedDriver | undefined): Promise<EndReason | undefined> {
    if (lease.expiresAtMs <= nowMs()) return 'expired'
    if (driver === undefined) return 'device_lost'
    const bootId = await prober.probe(driver)
    if (bootId === undefined) return 'device_lost'
    return bootId === lease.bootId ? undefined : 'device_restarted'
  }

  // An expiry further away than one ttl was written by a clock that has been set back since.
  async function capExpiry ({ deviceId, handle, fence, ttlMs, expiresAtMs }: Lease) {
    if (expiresAtMs <= nowMs() + ttlMs) return
    await store.change({ type: 'extend', deviceId, handle, fence, nowMs: nowMs(), inUse: false, durable: true })
  }
}
