import type { Lease } from '../../src/leases/lease.ts'
import { advance, type DeviceRecord } from '../../src/leases/lease-machine.ts'
import type { LeaseStore } from '../../src/leases/lease-store.ts'

/**
 * A `LeaseStore` that forgets. `pause` runs before and after each operation, for stores that
 * take their time: what happens at one instant here happens between two awaits there.
 */
export function memoryLeaseStore ({ pause = async () => {} }: { readonly pause?: () => Promise<void> } = {}): LeaseStore {
  const devices = new Map<string, DeviceRecord>()
  const leases = new Map<string, Lease>()

  async function operation<T> (work: () => T): Promise<T> {
    await pause()
    const result = work()
    await pause()
    return result
  }

  function openLease (deviceId: string): Lease | undefined {
    return [...leases.values()].find((lease) => lease.deviceId === deviceId && lease.state !== 'ended')
  }

  return {
    enroll: (deviceIds) => operation(() => {
      for (const id of deviceIds) {
        if (!devices.has(id)) devices.set(id, { id, state: 'free', fence: 0, reason: undefined, lastUsedAtMs: 0 })
      }
    }),

    occupancies: () => operation(() => [...devices.values()]
      .sort((a, b) => a.id < b.id ? -1 : 1)
      .map((device) => ({ device, lease: openLease(device.id) }))),

    change: (event) => operation(() => {
      const device = devices.get(event.deviceId)
      if (device === undefined) return undefined
      const lease = openLease(device.id)
      const after = advance({ device, lease }, event)
      if (after === undefined) return undefined
      if (lease === undefined && after.lease !== undefined && leases.has(after.lease.handle)) throw new Error('handle used twice')
      devices.set(device.id, after.device)
      if (after.lease !== undefined) leases.set(after.lease.handle, after.lease)
      else if (lease !== undefined) leases.delete(lease.handle)
      return after
    }),

    lease: (handle) => operation(() => leases.get(handle)),

    grantedLeases: () => operation(() => [...leases.values()]
      .filter(({ state }) => state === 'granted')
      .sort((a, b) => a.expiresAtMs - b.expiresAtMs)),

    purgeEnded: (untilMs) => operation(() => {
      const old = [...leases.values()].filter(({ state, end }) => state === 'ended' && end !== undefined && end.atMs <= untilMs)
      for (const { handle } of old) leases.delete(handle)
      return old.length
    })
  }
}
