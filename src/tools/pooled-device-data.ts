import type { DeviceDescription } from '../devices/device-types.ts'
import { isLive } from '../leases/contract/lease.ts'
import type { PooledDevice } from '../leases/contract/lease-manager.ts'
import type { Principal } from '../protocol/principal.ts'
import { endsAt } from './lease-data.ts'

/** Whether the caller holds the device. */
export function isMine ({ lease }: PooledDevice, principal: Principal): boolean {
  return lease !== undefined && isLive(lease) && lease.holder.principal === principal.key
}

/** A device as results show it, whatever it is doing. */
export function deviceData ({ id, name, platform, kind, model, osVersion, labels }: DeviceDescription): Record<string, unknown> {
  return { id, name, platform, kind, model, os: osVersion, ...(labels.length === 0 ? {} : { labels }) }
}

/** A device of the pool as results and resources show it to `principal`. */
export function pooledDeviceData (device: PooledDevice, principal: Principal): Record<string, unknown> {
  const { description, state, reason, lease } = device
  return {
    ...deviceData(description),
    state,
    ...(reason === undefined ? {} : { reason }),
    // Whose a lease is, and its handle, are only for its holder; that there is one is the state.
    ...(lease !== undefined && isMine(device, principal) ? { mine: true, expiresAt: endsAt(lease) } : {})
  }
}
