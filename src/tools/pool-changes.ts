/**
 * What happens to phones and leases, as changes of the resources that show them.
 *
 * A screen is told to have changed when a look finds another one than the look before, and when
 * an action is not followed by a look that could compare. No phone is looked at for the sake of
 * subscribers: what a phone does by itself, unseen, is not told.
 */
import { principalTopic, type EventBus, type Topic } from '../events/event-bus.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { LeaseManager, PoolChange } from '../leases/contract/lease-manager.ts'
import { devicesUri, deviceUri, screenshotUri, screenUri } from './resource-uris.ts'

/** The topic of one device. */
export function deviceTopic (deviceId: string): Topic {
  return `device:${deviceId}`
}

/** A device or a lease is in another state. */
export function publishPoolChange (bus: EventBus, { deviceId, ended }: PoolChange): void {
  bus.publish('global', { type: 'resource', uri: devicesUri })
  bus.publish(deviceTopic(deviceId), { type: 'resource', uri: deviceUri(deviceId) })
  // There is no screen behind it any more, which its reader is told now.
  if (ended !== undefined) publishScreenChange(bus, ended)
}

/** Tells of changes of a pool, and with them whether the list of its devices is another. */
export interface PoolChanges {
  tell (change: PoolChange): void
  /** From now on a device that comes or goes is a change of the list of resources; the clients that hear of it look again. */
  watch (pool: Pick<LeaseManager, 'devices' | 'hasDevice'>): Promise<void>
}

export function createPoolChanges (bus: EventBus): PoolChanges {
  /** The devices of the pool as it was last told of; undefined before it is watched. */
  let listed: Set<string> | undefined
  let hasDevice: LeaseManager['hasDevice'] = () => false

  return {
    tell (change) {
      const { deviceId } = change
      publishPoolChange(bus, change)
      const isThere = hasDevice(deviceId)
      if (listed === undefined || listed.has(deviceId) === isThere) return
      if (isThere) listed.add(deviceId)
      else listed.delete(deviceId)
      bus.publish('global', { type: 'list', list: 'resources' })
    },
    async watch (pool) {
      const devices = await pool.devices()
      hasDevice = (deviceId) => pool.hasDevice(deviceId)
      listed = new Set(devices.map(({ description }) => description.id))
    }
  }
}

/** The phone under a lease shows, or may show, something else. */
export function publishScreenChange (bus: EventBus, { handle, holder }: Lease): void {
  const topic = principalTopic(holder.principal)
  bus.publish(topic, { type: 'resource', uri: screenUri(handle) })
  bus.publish(topic, { type: 'resource', uri: screenshotUri(handle) })
}
