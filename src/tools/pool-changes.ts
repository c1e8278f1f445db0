/**
 * What happens to phones and leases, as changes of the resources that show them.
 *
 * A screen is told to have changed when a look finds another one than the look before, and when
 * an action is not followed by a look that could compare. Nobody looks at a phone for the sake
 * of those who subscribe: what a phone does by itself, unseen, is not told.
 */
import { principalTopic, type EventBus, type Topic } from '../events/event-bus.ts'
import type { Lease } from '../leases/contract/lease.ts'
import type { PoolChange } from '../leases/contract/lease-manager.ts'
import { devicesUri, deviceUri, screenshotUri, screenUri } from './resource-uris.ts'

export interface PoolChanges {
  /** A device or a lease is in another state. */
  onPoolChange (change: PoolChange): void
  /** The phone under a lease shows, or may show, something else. */
  onScreenChange (lease: Lease): void
}

/** The topic of one device. */
export function deviceTopic (deviceId: string): Topic {
  return `device:${deviceId}`
}

export function createPoolChanges (bus: EventBus): PoolChanges {
  function onScreenChange ({ handle, holder }: Lease): void {
    const topic = principalTopic(holder.principal)
    bus.publish(topic, { type: 'resource', uri: screenUri(handle) })
    bus.publish(topic, { type: 'resource', uri: screenshotUri(handle) })
  }

  return {
    onPoolChange ({ deviceId, ended }) {
      bus.publish('global', { type: 'resource', uri: devicesUri })
      bus.publish(deviceTopic(deviceId), { type: 'resource', uri: deviceUri(deviceId) })
      // There is no screen behind it any more, which whoever reads it now is told.
      if (ended !== undefined) onScreenChange(ended)
    },
    onScreenChange
  }
}
