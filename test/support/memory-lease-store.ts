import { auditOf, type AuditEntry } from '../../src/leases/contract/audit.ts'
import { isLive, type Lease } from '../../src/leases/contract/lease.ts'
import { advance, type DeviceRecord, type LeaseEvent, type Occupancy } from '../../src/leases/contract/lease-machine.ts'
import type { LeaseStore } from '../../src/leases/contract/lease-store.ts'

/**
 * A `LeaseStore` that forgets. `pause` runs before and after each operation, for stores that
 * take their time: what happens at one instant here happens between two awaits there.
 */
export function memoryLeaseStore ({ pause = async () => {} }: { readonly pause?: () => Promise<void> } = {}): LeaseStore {
  let devices = new Map<string, DeviceRecord>()
  let leases = new Map<string, Lease>()
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

  function change (event: LeaseEvent): Occupancy | undefined {
    const device = devices.get(event.deviceId)
    if (device === undefined) return undefined
    const lease = openLease(device.id)
    const after = advance({ device, lease }, withFreeKey(event))
    if (after === undefined) return undefined
    if (lease === undefined && after.lease !== undefined && leases.has(after.lease.handle)) throw new Error('handle used twice')
    devices.set(device.id, after.device)
    if (after.lease !== undefined) leases.set(after.lease.handle, after.lease)
    const entry = auditOf(event, { device, lease }, after)
    if (entry !== undefined) audit = [...audit, { id: ++entries, ...entry }]
    return after
  }

  function withFreeKey (event: LeaseEvent): LeaseEvent {
    if (event.type !== 'grant' || event.sessionKey === undefined) return event
    const isTaken = [...leases.values()].some((lease) => {
      return isLive(lease) && lease.sessionKey === event.sessionKey && lease.holder.principal === event.holder.principal
    })
    return isTaken ? { ...event, sessionKey: undefined } : event
  }

  function changeAll (events: readonly LeaseEvent[]): readonly Occupancy[] | undefined {
    const before = [new Map(devices), new Map(leases), audit] as const
    const changed: Occupancy[] = []
    for (const event of events) {
      const after = change(event)
      if (after === undefined) {
        [devices, leases, audit] = before
        return undefined
      }
      changed.push(after)
    }
    return changed
  }

  return {
    enroll: (deviceIds) => operation(() => {
      for (const id of deviceIds) {
        if (!devices.has(id)) {
          devices.set(id, { id, state: 'free', fence: 0, reason: undefined, holds: [], lastUsedAtMs: 0, failures: 0 })
        }
      }
    }),

    occupancies: () => operation(() => [...devices.values()]
      .sort((a, b) => a.id < b.id ? -1 : 1)
      .map((device) => ({ device, lease: openLease(device.id) }))),

    change: (event) => operation(() => change(event)),
    changeAll: (events) => operation(() => changeAll(events)),
    lease: (handle) => operation(() => leases.get(handle)),
    liveLeases: () => operation(() => [...leases.values()].filter(isLive).sort((a, b) => a.expiresAtMs - b.expiresAtMs)),
    boundLease: ({ sessionKey, principal }) => operation(() => [...leases.values()]
      .findLast((lease) => lease.sessionKey === sessionKey && lease.holder.principal === principal)),

    purgeEnded: (untilMs) => operation(() => {
      const old = [...leases.values()].filter(({ state, end }) => state === 'ended' && end !== undefined && end.atMs <= untilMs)
      for (const { handle } of old) leases.delete(handle)
      return old.length
    }),

    audit: ({ limit, before = Number.MAX_SAFE_INTEGER }) => operation(() => audit.filter(({ id }) => id < before).toReversed().slice(0, limit)),
    purgeAudit: (untilMs) => operation(() => {
      const kept = audit.filter(({ atMs }) => atMs > untilMs)
      const gone = audit.length - kept.length
      audit = kept
      return gone
    }),
    noteAlive: (atMs) => operation(() => { aliveAtMs = atMs }),
    aliveAtMs: () => operation(() => aliveAtMs)
  }
}
