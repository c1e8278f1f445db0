import { createLeaseStore } from '../../src/leases/create-lease-store.ts'
import type { AuditEntry } from '../../src/leases/contract/audit.ts'
import { isLive, type Lease } from '../../src/leases/contract/lease.ts'
import type { DeviceRecord } from '../../src/leases/contract/lease-machine.ts'
import type { LeaseRows, RowWrite } from '../../src/leases/contract/lease-rows.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'

interface Pace {
  readonly pause?: () => Promise<void>
}

/**
 * A `LeaseStore` that forgets. `pause` runs before and after each operation, for stores that
 * take their time: what happens at one instant here happens between two awaits there.
 */
export function memoryLeaseStore (pace: Pace = {}): LeaseStore {
  return createLeaseStore(memoryLeaseRows(pace))
}

function memoryLeaseRows ({ pause = async () => {} }: Pace): LeaseRows {
  const devices = new Map<string, DeviceRecord>()
  const leases = new Map<string, Lease>()
  let audit: readonly AuditEntry[] = []
  let entries = 0
  let aliveAtMs: number | undefined

  async function operation<T> (work: () => T): Promise<T> {
    await pause()
    const result = work()
    await pause()
    return result
  }

  function openLease (deviceId: string): Lease | undefined {
    return [...leases.values()].find((lease) => lease.deviceId === deviceId && lease.state !== 'ended')
  }

  function make (change: RowWrite): void {
    switch (change.write) {
      case 'device':
        devices.set(change.device.id, change.device)
        return
      case 'new_lease':
        leases.set(change.lease.handle, change.lease)
        return
      case 'lease':
        leases.set(change.lease.handle, change.lease)
        return
      case 'audit':
        audit = [...audit, { id: ++entries, ...change.entry }]
    }
  }

  return {
    addMissing: (records) => operation(() => {
      for (const record of records) if (!devices.has(record.id)) devices.set(record.id, record)
    }),

    transact: ({ deviceIds, sessionKeys }, decide) => operation(() => {
      const decision = decide({
        occupancies: deviceIds.flatMap((id) => {
          const device = devices.get(id)
          return device === undefined ? [] : { device, lease: openLease(id) }
        }),
        keyedLeases: [...leases.values()].filter((lease) => isLive(lease) && sessionKeys.some(({ sessionKey, principal }) => {
          return lease.sessionKey === sessionKey && lease.holder.principal === principal
        }))
      })
      // Before the first write: one that is refused must leave nothing of the others behind.
      for (const change of decision?.writes ?? []) {
        if (change.write === 'new_lease' && leases.has(change.lease.handle)) throw new Error('handle used twice')
      }
      decision?.writes.forEach(make)
      return decision
    }),

    occupancies: () => operation(() => [...devices.values()]
      .sort((a, b) => a.id < b.id ? -1 : 1)
      .map((device) => ({ device, lease: openLease(device.id) }))),

    lease: (handle) => operation(() => leases.get(handle)),
    liveLeases: () => operation(() => [...leases.values()].filter(isLive).sort((a, b) => a.expiresAtMs - b.expiresAtMs)),
    boundLease: ({ sessionKey, principal }) => operation(() => [...leases.values()]
      .findLast((lease) => lease.sessionKey === sessionKey && lease.holder.principal === principal)),

    purgeEnded: (untilMs, most) => operation(() => {
      const old = [...leases.values()]
        .filter(({ state, end }) => state === 'ended' && end !== undefined && end.atMs <= untilMs)
        .sort((a, b) => (a.end?.atMs ?? 0) - (b.end?.atMs ?? 0))
        .slice(0, most)
      for (const { handle } of old) leases.delete(handle)
      return old.length
    }),

    audit: ({ limit, before = Number.MAX_SAFE_INTEGER }) => operation(() => audit.filter(({ id }) => id < before).toReversed().slice(0, limit)),
    purgeAudit: (untilMs, most) => operation(() => {
      const old = new Set(audit.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs).slice(0, most))
      audit = audit.filter((entry) => !old.has(entry))
      return old.size
    }),
    noteAlive: (atMs) => operation(() => { aliveAtMs = atMs }),
    aliveAtMs: () => operation(() => aliveAtMs)
  }
}
