import { quote, word } from '../devices/screen/quote.ts'
import type { DeviceDescription } from '../devices/device-driver.ts'
import type { Lease } from '../leases/lease.ts'
import { isoTime } from './iso-time.ts'

/** A lease as every result shows it that is about one. */
export function leaseTerms ({ handle, fence, expiresAtMs, ttlMs }: Lease): Record<string, unknown> {
  return { lease: handle, fence, expiresAt: isoTime(expiresAtMs), ttlMs }
}

/** A device in a line of text. */
export function deviceName ({ id, platform, osVersion, kind, model }: DeviceDescription): string {
  return `${word(id)} (${kind} ${platform} ${word(osVersion)}, ${quote(model, 60)})`
}

/** A lease in a line of text, without a full stop. */
export function leaseName (lease: Lease, device: DeviceDescription): string {
  return `${lease.handle} on ${deviceName(device)} until ${isoTime(lease.expiresAtMs)}`
}

/** How long something may still take: `about 40 s`. */
export function roughTime (ms: number): string {
  return ms < 120_000 ? `about ${Math.max(1, Math.ceil(ms / 1_000))} s` : `about ${Math.ceil(ms / 60_000)} min`
}
