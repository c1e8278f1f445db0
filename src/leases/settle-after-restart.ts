import type { FencedDriver } from '../devices/fenced-driver.ts'
import type { DeviceCleaner } from './device-cleaner.ts'
import { isLive, type EndReason, type Lease } from './contract/lease.ts'
import type { LeaseEvent } from './contract/lease-machine.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { OccupancyBoard } from './occupancy-board.ts'
import type { PresenceWatch } from './presence-watch.ts'

export interface SettleParts {
  readonly store: LeaseStore
  readonly board: OccupancyBoard
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly presence: Pick<PresenceWatch, 'look'>
  readonly cleaner: DeviceCleaner
  readonly nowMs: () => number
  readonly awaitOwnerMs: number
  readonly end: (lease: Lease, reason: EndReason) => Promise<unknown>
}

/**
 * Takes over from the process before this one, which may have died at any point.
 *
 * A live lease awaits its owner: its instants move by the time from when the last process is
 * known to have been alive until now, in which nobody could use it. That also takes them from
 * the time of that process to the time of this one, whatever was done to the clock in between.
 * Then its device is looked at: in the same boot the lease goes on, in another it has ended. A
 * device that does not answer now has as long as the owner has to show up.
 *
 * Whatever a lease has left behind is cleaned, in the background: until then the device is not
 * granted anyway.
 */
export async function settleAfterRestart ({ store, board, drivers, presence, cleaner, nowMs, awaitOwnerMs, end }: SettleParts): Promise<void> {
  await store.enroll([...drivers.keys()])
  const found = await store.occupancies()
  board.note(found)
  for (const { device } of found) drivers.get(device.id)?.raiseFence(device.fence)

  const live = found.flatMap(({ lease }) => lease !== undefined && isLive(lease) ? [lease] : [])
  const aliveAtMs = Math.max(await store.aliveAtMs() ?? -Infinity, ...live.map(({ lastControlAtMs }) => lastControlAtMs))
  const resumedAtMs = nowMs()
  const awaiting = await store.changeAll(live.map(({ deviceId, handle, fence }): LeaseEvent => {
    return { type: 'await_owner', deviceId, handle, fence, nowMs: resumedAtMs, forgivenMs: resumedAtMs - aliveAtMs, ownerMs: awaitOwnerMs }
  }))
  await store.noteAlive(resumedAtMs)

  for (const { device, lease } of found) {
    if (device.state !== 'free' && (lease === undefined || !isLive(lease))) cleaner.begin(device)
  }
  await Promise.all((awaiting ?? []).map(async ({ lease }) => {
    if (lease === undefined) return
    if (drivers.has(lease.deviceId)) await presence.look(lease)
    else await end(lease, 'device_lost')
  }))
}
