import type { ChangeLedger, RecordedChange } from '../../src/leases/cleanup/change-ledger.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'

/** A `ChangeLedger` that forgets, over the store that knows the fences. */
export function memoryChangeLedger (store: Pick<LeaseStore, 'occupancies'>): ChangeLedger {
  const byDevice = new Map<string, RecordedChange[]>()
  let lastId = 0

  return {
    async record (change, { deviceId, fence }) {
      const device = (await store.occupancies()).find(({ device }) => device.id === deviceId)?.device
      if (device?.fence !== fence) return false
      const before = byDevice.get(deviceId) ?? []
      const isKnown = before.some(({ change: { kind, target } }) => kind === change.kind && target === change.target)
      if (!isKnown) byDevice.set(deviceId, [{ id: ++lastId, change }, ...before])
      return true
    },

    async changesOf (deviceId) {
      return byDevice.get(deviceId) ?? []
    },

    async remove (id) {
      for (const [deviceId, changes] of byDevice) byDevice.set(deviceId, changes.filter((change) => change.id !== id))
    }
  }
}
