/**
 * The rules of the lease store, for every database: what an event may change is for `advance`
 * to say, a session key is bound to one live lease of a principal, several events change all
 * their devices or none, and what happened is written into the audit with the change itself.
 */
import { auditOf } from './contract/audit.ts'
import { isLive, type Lease } from './contract/lease.ts'
import { advance, type DeviceRecord, type GrantEvent, type LeaseEvent, type Occupancy } from './contract/lease-machine.ts'
import type { ChangeScope, Decision, FoundRows, LeaseRows, RowWrite } from './contract/lease-rows.ts'
import type { LeaseStore } from './contract/lease-store.ts'

/** A `LeaseStore` over the rows of a database. */
export function createLeaseStore (rows: LeaseRows): LeaseStore {
  function transact (events: readonly LeaseEvent[]): Promise<Decision | undefined> {
    return rows.transact(scopeOf(events), (found) => decide(events, found))
  }

  return {
    enroll: (deviceIds) => rows.addMissing(deviceIds.map(newDevice)),

    async change (event) {
      return (await transact([event]))?.changed[0]
    },

    async changeAll (events) {
      return (await transact(events))?.changed
    },

    occupancies: () => rows.occupancies(),
    lease: (handle) => rows.lease(handle),
    liveLeases: () => rows.liveLeases(),
    boundLease: (key) => rows.boundLease(key),
    purgeEnded: (untilMs, most) => rows.purgeEnded(untilMs, most),
    audit: (page) => rows.audit(page),
    purgeAudit: (untilMs, most) => rows.purgeAudit(untilMs, most),
    noteAlive: (atMs) => rows.noteAlive(atMs),
    aliveAtMs: () => rows.aliveAtMs()
  }
}

function newDevice (id: string): DeviceRecord {
  return { id, state: 'free', fence: 0, reason: undefined, holds: [], lastUsedAtMs: 0, failures: 0 }
}

function scopeOf (events: readonly LeaseEvent[]): ChangeScope {
  return {
    deviceIds: events.map(({ deviceId }) => deviceId),
    sessionKeys: events.flatMap((event) => {
      return isKeyed(event) ? { sessionKey: event.sessionKey, principal: event.holder.principal } : []
    }),
    durable: events.some((event) => event.type !== 'extend' || event.durable)
  }
}

/** Lets the events happen one after the other. Undefined: one of them does not fit. */
function decide (events: readonly LeaseEvent[], { occupancies, keyedLeases }: FoundRows): Decision | undefined {
  const current = new Map(occupancies.map((occupancy) => [occupancy.device.id, occupancy]))
  const leases = new Map(keyedLeases.map((lease) => [lease.handle, lease]))
  const writes: RowWrite[] = []
  const changed: Occupancy[] = []
  for (const event of events) {
    const before = current.get(event.deviceId)
    if (before === undefined) return undefined
    const after = advance(before, withFreeKey(event, leases))
    if (after === undefined) return undefined
    addWrites(writes, event, before, after)
    current.set(event.deviceId, withoutEnded(after))
    if (after.lease !== undefined) leases.set(after.lease.handle, after.lease)
    changed.push(after)
  }
  return { writes, changed }
}

/** A device as the next event finds it: it has left a lease that has ended behind. */
function withoutEnded (occupancy: Occupancy): Occupancy {
  return occupancy.lease?.state === 'ended' ? { device: occupancy.device, lease: undefined } : occupancy
}

function addWrites (writes: RowWrite[], event: LeaseEvent, before: Occupancy, after: Occupancy): void {
  if (after.device !== before.device) writes.push({ write: 'device', device: after.device })
  if (after.lease !== undefined && after.lease !== before.lease) {
    writes.push({ write: before.lease === undefined ? 'new_lease' : 'lease', lease: after.lease })
  }
  const entry = auditOf(event, before, after)
  if (entry !== undefined) writes.push({ write: 'audit', entry })
}

function isKeyed (event: LeaseEvent): event is GrantEvent & { readonly sessionKey: string } {
  return event.type === 'grant' && event.sessionKey !== undefined
}

/** The event without its session key if a live lease of its holder has that. */
function withFreeKey (event: LeaseEvent, leases: ReadonlyMap<string, Lease>): LeaseEvent {
  if (!isKeyed(event)) return event
  const isTaken = [...leases.values()].some((lease) => {
    return isLive(lease) && lease.sessionKey === event.sessionKey && lease.holder.principal === event.holder.principal
  })
  return isTaken ? { ...event, sessionKey: undefined } : event
}
