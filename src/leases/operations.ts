import type { LeaseContext } from './context.ts'
import { isLive } from './contract/lease.ts'
import type { Hold, HoldKind } from './contract/lease-machine.ts'
import type { PoolOperations } from './contract/lease-manager.ts'
import { DeviceUnknownRefusal, RequestUnknownRefusal, UnknownLeaseRefusal } from './contract/lease-refusals.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import type { Lane } from './device/lane.ts'
import type { Pool } from './device/pool.ts'
import type { Waiters } from './queue/waiters.ts'
import type { ShownTimes } from './shown-times.ts'

/** What operators do to devices and to leases of others. */
export function createOperations ({ context: { nowMs, log }, store, pool, waiters, shown, assertOpen }: {
  readonly context: LeaseContext
  readonly store: LeaseStore
  readonly pool: Pool
  readonly waiters: Pick<Waiters, 'remove'>
  readonly shown: ShownTimes
  readonly assertOpen: () => void
}): PoolOperations {
  function named (deviceId: string): Lane {
    assertOpen()
    const lane = pool.lane(deviceId)
    if (lane === undefined) throw new DeviceUnknownRefusal(deviceId)
    return lane
  }

  function namedOrAll (deviceId: string | undefined): readonly Lane[] {
    assertOpen()
    return deviceId === undefined ? pool.lanes : [named(deviceId)]
  }

  async function lay ({ deviceId, change }: Lane, hold: Hold) {
    await change({ type: 'hold', deviceId, hold, nowMs: nowMs() })
    log.info({ device: deviceId, hold: hold.kind, reason: hold.reason }, 'device is held')
  }

  async function lift ({ deviceId, change }: Lane, kind: HoldKind, by: string): Promise<boolean> {
    const lifted = await change({ type: 'unhold', deviceId, kind, by, nowMs: nowMs() })
    if (lifted === undefined) return false
    log.info({ device: deviceId, hold: kind }, 'hold on device is lifted')
    return true
  }

  return {
    async drain ({ device, reason, deadlineMs, by }) {
      const atMs = nowMs()
      const hold: Hold = { kind: 'drain', reason, by, atMs, ...(deadlineMs === undefined ? {} : { deadlineAtMs: atMs + deadlineMs }) }
      const lanes = namedOrAll(device)
      for (const lane of lanes) await lay(lane, hold)
      return lanes.map(({ deviceId }) => deviceId)
    },

    async undrain ({ device, by }) {
      const lifted: string[] = []
      for (const lane of namedOrAll(device)) {
        if (await lift(lane, 'drain', by)) lifted.push(lane.deviceId)
      }
      return lifted
    },

    async block ({ device, reason, by }) {
      await lay(named(device), { kind: 'block', reason, by, atMs: nowMs() })
    },

    async unblock ({ device, by }) {
      await lift(named(device), 'block', by)
    },

    async revoke ({ handle, reason, by }) {
      assertOpen()
      const lease = await store.lease(handle)
      if (lease === undefined) throw new UnknownLeaseRefusal()
      const ended = isLive(lease) ? await pool.lane(lease.deviceId)?.end(lease, 'revoked', { note: reason, by }) : undefined
      if (ended !== undefined) return shown.lease(ended.lease)
      // Over before, or ended by something else between the two looks.
      const over = await store.lease(handle)
      if (over?.end === undefined) throw new UnknownLeaseRefusal()
      throw shown.refusal(over, 'Go on: there is nothing left to revoke.')
    },

    async removeRequest ({ id, reason }) {
      assertOpen()
      const removed = waiters.remove(id, reason)
      if (removed === undefined) throw new RequestUnknownRefusal()
      log.info({ request: id, reason }, 'request is taken out of the queue')
      return shown.request(removed)
    },

    async retry ({ device }) {
      const lane = named(device)
      log.info({ device }, 'device is tried again')
      if (lane.shownState.state === 'quarantined') await lane.clean()
      else if (!lane.isPresent) await lane.look()
    },

    async audit ({ limit, before }) {
      assertOpen()
      const entries = await store.audit({ limit, ...(before === undefined ? {} : { before }) })
      return entries.map(shown.entry)
    }
  }
}
