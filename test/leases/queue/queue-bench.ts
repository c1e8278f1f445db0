import type { DeviceDescription } from '../../../src/devices/device-types.ts'
import type { FairnessSettings, NextGrant, QueuedRequest } from '../../../src/leases/queue/acquire-queue.ts'
import type { DeviceAvailability } from '../../../src/leases/queue/availability.ts'

export const settings: FairnessSettings = { ageMs: 60_000, reserveAfterMs: 30_000, maxBypasses: 8 }

/** A request for any device. */
export function queued (id: string, facts: Partial<QueuedRequest> = {}): QueuedRequest {
  return { id, principal: id, priority: 'normal', wanted: [{}], joinedAtMs: 0, ...facts }
}

type Facts = Partial<Omit<DeviceAvailability, 'description'>> & { readonly labels?: readonly string[] }

/** A device that can be granted and was never used. */
export function available (id: string, { labels = [], ...facts }: Facts = {}): DeviceAvailability {
  return {
    description: described(id, labels),
    canBeGranted: true,
    expectedAtMs: undefined,
    lastUsedAtMs: 0,
    failures: 0,
    state: 'free',
    hold: undefined,
    nextTryAtMs: undefined,
    holder: undefined,
    isLeaving: false,
    ...facts
  }
}

export function described (id: string, labels: readonly string[]): DeviceDescription {
  return { id, name: id, platform: 'android', kind: 'virtual', model: 'Pixel 9', osVersion: '15', labels }
}

/** Which request got which devices, briefly. */
export function granted (grants: readonly NextGrant[]): readonly (readonly string[])[] {
  return grants.map(({ request, deviceIds }) => [request.id, ...deviceIds])
}
