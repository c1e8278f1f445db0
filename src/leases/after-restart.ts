/**
 * Takes over from the process before this one, which may have died at any point.
 *
 * A live lease awaits its owner: its instants move by the time from when the last process is
 * known to have been alive until now, in which the lease could not be used. That also takes them
 * from the time of that process to the time of this one, whatever was done to the clock in
 * between. This is done before the devices come. When one does, its lane looks at it: in the same
 * boot its lease goes on, in another it has ended. A device that does not answer has as long as
 * the owner has to show up. Whatever a lease has left behind is cleaned by the lane; until then
 * the device is not granted anyway.
 *
 * Once all sources have told of their devices, the leases of devices that have not come are over.
 */
import type { LeaseContext } from './context.ts'
import { isLive } from './contract/lease.ts'
import type { LeaseEvent } from './contract/lease-machine.ts'
import type { PoolChange } from './contract/lease-manager.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Pool } from './device/pool.ts'

interface RestartParts {
  readonly context: Pick<LeaseContext, 'nowMs'>
  readonly store: LeaseStore
}

/** Before the devices come. */
export async function awaitOwners ({ context: { nowMs }, store }: RestartParts, awaitOwnerMs: number): Promise<void> {
  const live = await store.liveLeases()
  const aliveAtMs = Math.max(await store.aliveAtMs() ?? -Infinity, ...live.map(({ lastControlAtMs }) => lastControlAtMs))
  const resumedAtMs = nowMs()
  await store.changeAll(live.map(({ deviceId, handle, fence }): LeaseEvent => {
    return { type: 'await_owner', deviceId, handle, fence, nowMs: resumedAtMs, forgivenMs: resumedAtMs - aliveAtMs, ownerMs: awaitOwnerMs }
  }))
  await store.noteAlive(resumedAtMs)
}

/** Once the devices have come. */
export async function endLeasesOfMissing (
  { context: { nowMs }, store, pool, tell }: RestartParts & { readonly pool: Pool, readonly tell: (change: PoolChange) => void }
): Promise<void> {
  for (const { device: { id: deviceId, state, fence }, lease } of await store.occupancies()) {
    if (pool.lane(deviceId) !== undefined) continue
    let dirtyWith = state === 'cleaning' ? fence : undefined
    if (lease !== undefined && isLive(lease)) {
      const { handle, fence } = lease
      const ended = await store.change({ type: 'end', deviceId, handle, fence, reason: 'device_lost', nowMs: nowMs() })
      tell({ deviceId, ended: ended?.lease })
      dirtyWith = ended?.device.fence
    }
    if (dirtyWith === undefined) continue
    await store.change({ type: 'quarantine', deviceId, fence: dirtyWith, reason: 'The device is not in the pool.', nowMs: nowMs() })
  }
}
