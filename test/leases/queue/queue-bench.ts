import type { DeviceDescription } from '../../../src/devices/device-types.ts'
import type { LineDevice, LineRequest, LineSettings, Turn } from '../../../src/leases/queue/acquire-queue.ts'

export const settings: LineSettings = { ageMs: 60_000, reserveAfterMs: 30_000, maxBypasses: 8 }

/** Somebody who wants any device. */
export function lineRequest (id: string, facts: Partial<LineRequest> = {}): LineRequest {
  return { id, principal: id, priority: 'normal', wanted: [{}], joinedAtMs: 0, ...facts }
}

/** A free device that was never used. */
export function lineDevice (id: string, { labels = [], ...facts }: Partial<Omit<LineDevice, 'description'>> & { readonly labels?: readonly string[] } = {}): LineDevice {
  return { description: lineDescription(id, labels), isFree: true, lastUsedAtMs: 0, failures: 0, freeAtMs: undefined, ...facts }
}

export function lineDescription (id: string, labels: readonly string[]): DeviceDescription {
  return { id, name: id, platform: 'android', kind: 'virtual', model: 'Pixel 9', osVersion: '15', labels }
}

/** Who got which devices, briefly. */
export function served (turns: readonly Turn[]): readonly (readonly string[])[] {
  return turns.map(({ request, deviceIds }) => [request.id, ...deviceIds])
}
