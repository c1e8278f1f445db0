/**
 * What happens to phones and leases, as changes of the resources that show them.
 *
 * A screen is told to have changed when a look finds another one than the look before, and when
 * an action is not followed by a look that could compare. No phone is looked at for the sake of
 * subscribers: what a phone does by itself, unseen, is not told.
 */
import { principalTopic, type EventBus, type Topic } from '../events/event-bus.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { PoolChange } from '../leases/contract/lease-manager.ts'
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

/** The phone under a lease shows, or may show, something else. */
export function publishScreenChange (bus: EventBus, { handle, holder }: Lease): void {
  const topic = principalTopic(holder.principal)
  bus.publish(topic, { type: 'resource', uri: screenUri(handle) })
  bus.publish(topic, { type: 'resource', uri: screenshotUri(handle) })
}
