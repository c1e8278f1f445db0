import type { ChangeLedger } from '../../src/leases/cleanup/change-ledger.ts'
import { createChangeLedger, type StoredChange } from '../../src/leases/cleanup/change-rows.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'

/** A `ChangeLedger` that forgets, over the store that knows the fences. */
export function memoryChangeLedger (store: Pick<LeaseStore, 'occupancies'>): ChangeLedger {
  const byDevice = new Map<string, readonly StoredChange[]>()
  let lastId = 0

  return createChangeLedger({
    async add ({ deviceId, kind, target, before }, mayAdd) {
      const device = (await store.occupancies()).find(({ device }) => device.id === deviceId)?.device
      if (!mayAdd(device?.fence)) return false
      const there = byDevice.get(deviceId) ?? []
      const isThere = there.some((row) => row.kind === kind && row.target === target)
      if (!isThere) byDevice.set(deviceId, [{ id: ++lastId, kind, target, before }, ...there])
      return true
    },

    async ofDevice (deviceId) {
      return byDevice.get(deviceId) ?? []
    },

    async remove (id) {
      for (const [deviceId, changes] of byDevice) byDevice.set(deviceId, changes.filter((change) => change.id !== id))
    }
  })
}
