/**
 * The pool with one rule broken at a time, at one of its seams. The histories have to notice
 * every one of them, or they would not notice the same fault in the pool itself.
 */
import type { Lease } from '../../../src/leases/contract/lease.ts'
import type { LeaseEvent, Occupancy } from '../../../src/leases/contract/lease-machine.ts'
import type { LeaseStore } from '../../../src/leases/contract/lease-store.ts'
import { LeaseEndedRefusal } from '../../../src/leases/contract/lease-refusals.ts'
import type { AcquireQueue, NextGrant } from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceAvailability } from '../../../src/leases/queue/availability.ts'
import { settings, type Fault } from './world.ts'

export interface Mutant {
  readonly rule: string
  /** Made anew for each history. */
  readonly fault: () => Fault
}

type Change = (event: LeaseEvent) => Promise<Occupancy | undefined>

/** A store in which one change after another is made in another way. */
function changing (how: (change: Change, store: LeaseStore) => Change): Fault {
  return {
    store (store) {
      const change = how((event) => store.change(event), store)
      return {
        ...store,
        change,
        async changeAll (events) {
          const changed: Occupancy[] = []
          for (const event of events) {
            const occupancy = await change(event)
            if (occupancy === undefined) return undefined
            changed.push(occupancy)
          }
          return changed
        }
      }
    }
  }
}

/** A store that tells something else of its leases than there is. */
function telling (tell: (lease: Lease) => Lease): Fault {
  const occupancy = ({ device, lease }: Occupancy): Occupancy => ({ device, lease: lease && tell(lease) })
  return {
    store: (store) => ({
      ...store,
      async occupancies () { return (await store.occupancies()).map(occupancy) },
      async change (event) {
        const changed = await store.change(event)
        return changed && occupancy(changed)
      },
      async changeAll (events) { return (await store.changeAll(events))?.map(occupancy) },
      async lease (handle) {
        const lease = await store.lease(handle)
        return lease && tell(lease)
      },
      async liveLeases () { return (await store.liveLeases()).map(tell) }
    })
  }
}

async function occupancyOf (store: LeaseStore, deviceId: string): Promise<Occupancy | undefined> {
  return (await store.occupancies()).find(({ device }) => device.id === deviceId)
}

function taken (devices: readonly DeviceAvailability[], ids: readonly string[]): readonly DeviceAvailability[] {
  return devices.map((device) => ids.includes(device.description.id) ? { ...device, canBeGranted: false } : device)
}

/** Serves one request after another in an order of its own, until it has had enough. */
function servingInOrder (
  queue: AcquireQueue, order: (ids: readonly string[]) => readonly string[], isEnough: (grant: NextGrant | undefined) => boolean
): AcquireQueue {
  return {
    ...queue,
    get requests () { return queue.requests },
    nextGrants (devices, nowMs, allowanceOf) {
      const ids = queue.requests.map(({ id }) => id)
      const grants: NextGrant[] = []
      let left = devices
      for (const id of order(ids)) {
        for (const other of ids) if (other !== id) queue.suspend(other)
        const [grant] = queue.nextGrants(left, nowMs, allowanceOf)
        for (const other of ids) if (other !== id) queue.resume(other)
        if (grant !== undefined) {
          grants.push(grant)
          left = taken(left, grant.deviceIds)
        }
        if (isEnough(grant)) break
      }
      return grants
    }
  }
}

/** Looks once too often before it sees that something does not stand in the way of a device any more. */
function noticingLate (isInTheWay: (device: DeviceAvailability) => boolean): Fault {
  return {
    queue (queue) {
      let before = new Set<string>()
      return {
        ...queue,
        get requests () { return queue.requests },
        nextGrants (devices, nowMs, allowanceOf) {
          const stale = taken(devices, [...before])
          before = new Set(devices.filter(isInTheWay).map(({ description: { id } }) => id))
          return queue.nextGrants(stale, nowMs, allowanceOf)
        }
      }
    }
  }
}

export const mutants: readonly Mutant[] = [
  {
    rule: 'a fence rises with each grant',
    fault: () => {
      const fences = new Map<string, number>()
      const told = telling((lease) => {
        fences.set(lease.handle, lease.fence)
        return { ...lease, fence: 1 }
      })
      const asMeant = (event: LeaseEvent): LeaseEvent => 'handle' in event && event.type !== 'grant' ? { ...event, fence: fences.get(event.handle) ?? event.fence } : event
      return {
        store (store) {
          return told.store?.({ ...store, change: (event) => store.change(asMeant(event)), changeAll: (events) => store.changeAll(events.map(asMeant)) }) ?? store
        }
      }
    }
  },
  {
    rule: 'a device has one holder at a time',
    fault: () => changing((change, store) => async (event) => {
      if (event.type !== 'grant') return await change(event)
      const { device, lease } = await occupancyOf(store, event.deviceId) ?? {}
      if (device !== undefined && lease !== undefined) {
        const ended = await change({ ...event, type: 'end', handle: lease.handle, fence: lease.fence, reason: 'revoked' })
        if (ended !== undefined) await change({ ...event, type: 'settle', fence: ended.device.fence })
      }
      const granted = await change(event)
      // For all that the manager can see it is as free as before.
      return granted && { ...granted, device: { ...granted.device, state: 'free' } }
    })
  },
  {
    rule: 'the request that came first is served first',
    fault: () => ({ queue: (queue) => servingInOrder(queue, (ids) => [...ids].reverse(), () => false) })
  },
  {
    rule: 'a request that cannot be served blocks no other',
    fault: () => ({ queue: (queue) => servingInOrder(queue, (ids) => ids, (grant) => grant === undefined) })
  },
  {
    rule: 'several devices are granted all or none',
    fault: () => ({
      queue: (queue) => ({
        ...queue,
        get requests () { return queue.requests },
        nextGrants: (devices, nowMs, allowanceOf) => queue.nextGrants(devices, nowMs, allowanceOf)
          .map(({ request, deviceIds }) => ({ request, deviceIds: deviceIds.slice(0, 1) }))
      })
    })
  },
  {
    rule: 'a caller who has left is not served',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        acquire: (request) => leases.acquire({ ...request, signal: new AbortController().signal }),
        acquireAll: (request) => leases.acquireAll({ ...request, signal: new AbortController().signal })
      })
    })
  },
  {
    rule: 'who waits, waits for as long as it wants',
    fault: () => ({ leases: (leases) => ({ ...leases, acquire: (request) => leases.acquire({ ...request, waitMs: (request.waitMs ?? 0) / 2 }) }) })
  },
  {
    rule: 'a device that has been cleaned is there for who waits',
    fault: () => noticingLate(({ state }) => state === 'cleaning')
  },
  {
    rule: 'a device that an operator lets go is there for who waits',
    fault: () => noticingLate(({ hold }) => hold !== undefined)
  },
  {
    rule: 'a device is cleaned before anybody else gets it',
    fault: () => changing((change) => async (event) => {
      const changed = await change(event)
      return event.type === 'end' && changed?.device.state === 'cleaning'
        ? await change({ type: 'settle', deviceId: event.deviceId, fence: changed.device.fence, nowMs: event.nowMs })
        : changed
    })
  },
  {
    rule: 'a device that could not be cleaned is given to nobody',
    fault: () => changing((change) => (event) => change(event.type === 'quarantine' ? { ...event, type: 'settle' } : event))
  },
  {
    rule: 'a blocked device is given to nobody',
    fault: () => changing((change, store) => async (event) => {
      const { device } = await occupancyOf(store, event.deviceId) ?? {}
      const holds = event.type === 'grant' ? device?.holds ?? [] : []
      for (const { kind, by } of holds) await change({ type: 'unhold', deviceId: event.deviceId, kind, by, nowMs: event.nowMs })
      const changed = await change(event)
      for (const hold of holds) await change({ type: 'hold', deviceId: event.deviceId, hold, nowMs: event.nowMs })
      return changed && { ...changed, device: { ...changed.device, holds: [] } }
    })
  },
  {
    rule: 'a drain ends the lease that is left at its deadline',
    fault: () => changing((change) => (event) => {
      if (event.type !== 'hold') return change(event)
      const { deadlineAtMs: _, ...hold } = event.hold
      return change({ ...event, hold })
    })
  },
  {
    rule: 'a lease ends when its time is over',
    fault: () => ({ scheduler: (scheduler) => ({ ...scheduler, after: (delayMs, work) => delayMs > 20_000 ? () => {} : scheduler.after(delayMs, work) }) })
  },
  {
    rule: 'a lease does not end before its time is over',
    fault: () => ({ clock: (clock) => ({ nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs() * 1.01 }) })
  },
  {
    rule: 'the wall clock says nothing about leases',
    fault: () => ({ clock: (clock) => ({ nowMs: () => clock.nowMs(), monotonicMs: () => clock.nowMs() }) })
  },
  {
    rule: 'use moves the expiry',
    fault: () => changing((change, store) => async (event) => {
      return event.type === 'extend' && event.by !== 'renewal' ? await occupancyOf(store, event.deviceId) : await change(event)
    })
  },
  {
    rule: 'looking does not keep a lease from idling',
    fault: () => ({ leases: (leases) => ({ ...leases, use: (request, work) => leases.use({ ...request, kind: 'control' }, work) }) })
  },
  {
    rule: 'no lease is longer than the longest',
    fault: () => changing((change) => (event) => change(event.type === 'grant' ? { ...event, maxLengthMs: 2 * event.maxLengthMs } : event))
  },
  {
    rule: 'a running call holds off the end by time',
    fault: () => ({ leases: (leases) => ({ ...leases, use: (request, work) => leases.use({ ...request, limitMs: 1 }, work) }) })
  },
  {
    rule: 'a running call holds it off for so long and no longer',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        use: ({ limitMs: _, ...endless }, work) => leases.use(endless, work)
      })
    })
  },
  {
    rule: 'who promised heartbeats and is silent is given up',
    fault: () => telling((lease) => ({ ...lease, heartbeatMs: undefined }))
  },
  {
    rule: 'an ended handle stays ended',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        async renew (request) {
          try {
            return await leases.renew(request)
          } catch (cause) {
            const [other] = await leases.list(request.holder)
            if (cause instanceof LeaseEndedRefusal && other !== undefined) return other
            throw cause
          }
        }
      })
    })
  },
  {
    rule: 'an ended handle is refused with the reason',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        renew: (request) => leases.renew(request).catch((cause: unknown) => {
          throw cause instanceof LeaseEndedRefusal ? new LeaseEndedRefusal('p1', { reason: 'released', atMs: 0 }) : cause
        })
      })
    })
  },
  {
    rule: 'a lease is its holder\'s alone',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        async renew (request) {
          const lease = (await leases.list()).find(({ handle }) => handle === request.handle)
          return await leases.renew({ ...request, holder: lease?.holder ?? request.holder })
        }
      })
    })
  },
  {
    rule: 'an acquisition that is undone takes nothing else with it',
    fault: () => ({
      leases: (leases) => ({
        ...leases,
        async undo (request) {
          await leases.undo(request)
          for (const { handle } of await leases.list(request.holder)) await leases.release({ handle, holder: request.holder })
        }
      })
    })
  },
  {
    rule: 'what its holder knows of is not taken back',
    fault: () => changing((change) => async (event) => {
      return await change(event) ?? (event.type === 'end' && event.reason === 'undelivered' ? await change({ ...event, reason: 'released' }) : undefined)
    })
  },
  {
    rule: 'use and renewal show that the holder knows of a lease',
    fault: () => changing((change) => (event) => change(event.type === 'extend' ? { ...event, byAcquirer: true } : event))
  },
  {
    rule: 'a heartbeat shows that the holder knows of a lease',
    fault: () => changing((change, store) => (event) => event.type === 'confirm' ? occupancyOf(store, event.deviceId) : change(event))
  },
  {
    rule: 'the call that acquired a lease does not show that',
    fault: () => ({ leases: (leases) => ({ ...leases, use: (request, work) => leases.use({ ...request, byAcquirer: false }, work) }) })
  },
  {
    rule: 'what was done under a lease that is taken back is cleaned up',
    fault: () => changing((change) => async (event) => {
      const changed = await change(event)
      return event.type === 'end' && event.reason === 'undelivered' && changed?.device.state === 'cleaning'
        ? await change({ type: 'settle', deviceId: event.deviceId, fence: changed.device.fence, nowMs: event.nowMs })
        : changed
    })
  },
  {
    rule: 'a lease ends with the incarnation it is for',
    fault: () => ({
      driver: (driver) => new Proxy(driver, {
        get: (target, name) => name === 'bootId' ? async (signal: AbortSignal) => (await target.bootId(signal)) && 'boot-1' : Reflect.get(target, name)
      })
    })
  },
  {
    rule: 'a device that stays away loses its lease',
    fault: () => {
      const last = new Map<string, string>()
      return {
        driver: (driver) => new Proxy(driver, {
          get: (target, name) => name !== 'bootId'
            ? Reflect.get(target, name)
            : async (signal: AbortSignal) => {
              const { id } = target.description
              try {
                last.set(id, await target.bootId(signal))
              } catch (cause) {
                if (!last.has(id)) throw cause
              }
              return last.get(id)
            }
        })
      }
    }
  },
  {
    rule: 'a device that is away for a moment keeps its lease',
    fault: () => ({
      driver: (driver) => new Proxy(driver, {
        get: (target, name) => name !== 'bootId' ? Reflect.get(target, name) : (signal: AbortSignal) => target.bootId(signal).catch(() => 'another boot')
      })
    })
  },
  {
    rule: 'leases survive a restart',
    fault: () => {
      let starts = 0
      return {
        store (store) {
          let isLater = starts++ > 0
          return {
            ...store,
            async liveLeases () {
              for (const lease of isLater ? await store.liveLeases() : []) await store.change({ ...lease, type: 'end', reason: 'expired', nowMs: lease.expiresAtMs })
              isLater = false
              return await store.liveLeases()
            }
          }
        }
      }
    }
  },
  {
    rule: 'a device that was being cleaned when the server ended is cleaned before anybody gets it',
    fault: () => ({
      store: (store) => ({
        ...store,
        async enroll (deviceIds) {
          await store.enroll(deviceIds)
          for (const { device } of await store.occupancies()) {
            if (device.state === 'cleaning') await store.change({ type: 'settle', deviceId: device.id, fence: device.fence, nowMs: device.lastUsedAtMs })
          }
        }
      })
    })
  },
  {
    rule: 'a lease that is not used is given back while a request waits for its device',
    fault: () => changing((change) => async (event) => event.type === 'end' && event.reason === 'unused' ? undefined : await change(event))
  },
  {
    rule: 'only a lease that is not used is given back because its device is wanted',
    fault: () => changing((change) => async (event) => {
      const changed = await change(event)
      // What the lane hears of the lease is what it was at its grant.
      return changed?.lease === undefined || event.type !== 'extend' ? changed : { ...changed, lease: { ...changed.lease, isUsed: false, isConfirmed: false } }
    })
  },
  {
    rule: 'a device that a source has found is there for who waits',
    fault: () => ({ sink: (sink) => ({ ...sink, appeared: async (driver) => { if (driver.description.id !== 'p3') await sink.appeared(driver) } }) })
  },
  {
    rule: 'a lease goes on when its device is found again in the same boot',
    fault: () => ({
      sink: (sink) => ({
        ...sink,
        gone: (id, departure) => sink.gone(id, departure.kind === 'removed' ? departure : { ...departure, kind: 'removed', by: 'op', lease: 'ends' })
      })
    })
  },
  {
    rule: 'a device that an operator has removed leaves the pool',
    fault: () => ({ sink: (sink) => ({ ...sink, gone: (id) => sink.gone(id, { kind: 'lost', reason: '' }) }) })
  },
  {
    rule: 'a removal waits for the lease unless the operator says otherwise',
    fault: () => ({ sink: (sink) => ({ ...sink, gone: (id, departure) => sink.gone(id, departure.kind === 'removed' ? { ...departure, lease: 'ends' } : departure) }) })
  },
  {
    rule: 'a removal ends the lease if the operator says so',
    fault: () => ({ sink: (sink) => ({ ...sink, gone: (id, departure) => sink.gone(id, departure.kind === 'removed' ? { ...departure, lease: 'goes_on' } : departure) }) })
  },
  {
    rule: 'a free device that has gone away is not shown as free',
    fault: () => ({ scheduler: (scheduler) => ({ ...scheduler, every: (intervalMs, work) => intervalMs === settings.watchEveryMs ? () => {} : scheduler.every(intervalMs, work) }) })
  },
  {
    rule: 'the audit tells every grant',
    fault: () => ({ store: (store) => ({ ...store, audit: async (page) => (await store.audit(page)).filter(({ event, deviceId }) => event !== 'grant' || deviceId !== 'p2') }) })
  },
  {
    rule: 'the audit tells every end',
    fault: () => ({ store: (store) => ({ ...store, audit: async (page) => (await store.audit(page)).filter(({ event, reason }) => event !== 'end' || reason !== 'expired') }) })
  }
]
