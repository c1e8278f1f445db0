import type { LeaseContext } from '../context.ts'
import type { Lease } from '../contract/lease.ts'
import type { GrantEvent } from '../contract/lease-machine.ts'
import type { LeaseStore } from '../contract/lease-store.ts'
import { shownHandle } from '../log.ts'
import type { GrantOrder, QueuedDevices } from '../queue/availability.ts'
import type { Lane } from './lane.ts'
import { inTurn } from './mailbox.ts'
import type { Pool } from './pool.ts'

/** The devices of a pool, as the queue sees them and has them granted. */
export function queuedDevices ({ context: { ids, nowMs, log }, store, pool }: {
  readonly context: LeaseContext
  readonly store: LeaseStore
  readonly pool: Pool
}): QueuedDevices {
  /**
   * Asks the devices whether they are there and grants all of them, or none. Asking and granting
   * are two steps, and much may happen in between: the store alone decides.
   */
  async function grant ({ deviceIds, terms, signal }: GrantOrder): Promise<readonly Lease[] | undefined> {
    const lanes = deviceIds.flatMap((deviceId) => pool.lane(deviceId) ?? [])
    const sightings = await Promise.all(lanes.map((lane) => lane.probe()))
    if (signal.aborted || lanes.length < deviceIds.length) return undefined
    const events: GrantEvent[] = []
    for (const [i, { deviceId }] of lanes.entries()) {
      const sighting = sightings[i]
      if (sighting === undefined || typeof sighting === 'string') return undefined
      events.push({ ...terms, type: 'grant', deviceId, handle: ids.lease(), bootId: sighting.bootId, nowMs: nowMs() })
    }
    return await inTurn(lanes.map(({ mailbox }) => mailbox), () => record(lanes, events))
  }

  /** Records the grants in one transaction, in the turn of all their devices. */
  async function record (lanes: readonly Lane[], events: readonly GrantEvent[]): Promise<readonly Lease[] | undefined> {
    if (lanes.some((lane) => lane.isLeaving || pool.lane(lane.deviceId) !== lane)) return undefined
    for (const { steps } of lanes) await steps.begin()
    const granted = await store.changeAll(events).catch((fault: unknown) => {
      for (const { steps } of lanes) steps.doubt()
      throw fault
    })
    if (granted === undefined) {
      // One of the records was not what its lane thought: no other request is to be granted from it.
      for (const { steps } of lanes) await steps.readAgain()
      return undefined
    }
    // All are noted before any of them is announced.
    const announcements = granted.map((occupancy, i) => {
      const [lane, event] = [lanes[i], events[i]]
      const change = event && lane?.steps.note(event, occupancy)
      return () => { if (change !== undefined) lane?.steps.announce(change) }
    })
    for (const announce of announcements) announce()
    return granted.flatMap(({ lease }) => lease ?? [])
  }

  /** Each lease by itself: one that has ended meanwhile must not keep the others. */
  async function takeBack (leases: readonly Lease[]): Promise<void> {
    await Promise.all(leases.map(async ({ deviceId, handle, fence }) => {
      const undone = await pool.lane(deviceId)?.change({ type: 'end', deviceId, handle, fence, reason: 'undelivered', nowMs: nowMs() })
      if (undone !== undefined) log.info({ lease: shownHandle(handle), device: deviceId }, 'grant taken back: its caller is gone')
    }))
  }

  return {
    availability: () => pool.lanes.map(({ availability }) => availability),

    async grant (order) {
      const leases = await grant(order)
      return leases && { leases, takeBack: () => takeBack(leases) }
    }
  }
}
