import { quote, word } from '../text/quote.ts'
import type { DeviceDescription } from '../devices/device-types.ts'
import type { Lease } from '../leases/contract/lease.ts'
import { dueAtMs, whyDue } from '../leases/contract/lease-machine.ts'
import { isoTime } from './iso-time.ts'

/** When a lease ends unless something moves that: by its expiry, its idle time or its full length. */
export function endsAt (lease: Lease): string {
  return isoTime(dueAtMs(lease))
}

/** When a lease ends and what moves that, as a clause whose subject is the lease. */
export function endClause (lease: Lease): string {
  switch (whyDue(lease, dueAtMs(lease))?.reason) {
    case 'idle': return `ends at ${endsAt(lease)} if nothing acts on the phone until then (looking and renewing do not count)`
    case 'max_length': return `ends at ${endsAt(lease)} however much it is used`
    default: return `lasts until ${endsAt(lease)}; each use extends it to ${lease.ttlMs} ms from then`
  }
}

/** A lease as every result shows it that is about one. */
export function leaseTerms (lease: Lease): Record<string, unknown> {
  return { lease: lease.handle, fence: lease.fence, expiresAt: endsAt(lease), ttlMs: lease.ttlMs }
}

/** Whether the session key of a call stands for the lease. */
export function isOfKey (lease: Lease, { sessionKey }: { readonly sessionKey: string | undefined }): boolean {
  return sessionKey !== undefined && lease.sessionKey === sessionKey
}

/** A lease in a list of those of the caller's principal, some of which may be other agents'. */
export function listedLease (lease: Lease, call: { readonly sessionKey: string | undefined }): Record<string, unknown> {
  const { handle, deviceId, purpose, sessionKey } = lease
  return {
    lease: handle,
    device: deviceId,
    expiresAt: endsAt(lease),
    ...(purpose === undefined ? {} : { purpose }),
    ...(sessionKey === undefined ? {} : { hasSessionKey: true }),
    ...(isOfKey(lease, call) ? { mine: true } : {})
  }
}

/** A device in a line of text. */
export function deviceName ({ id, platform, osVersion, kind, model }: DeviceDescription): string {
  return `${word(id)} (${kind} ${platform} ${word(osVersion)}, ${quote(model, 60)})`
}

/** A lease in a line of text with when it ends, without a full stop. */
export function leaseName (lease: Lease, device: DeviceDescription): string {
  return `${lease.handle} on ${deviceName(device)}, which ${endClause(lease)}`
}

/** How long something may still take: `about 40 s`. */
export function roughTime (ms: number): string {
  return ms < 120_000 ? `about ${Math.max(1, Math.ceil(ms / 1_000))} s` : `about ${Math.ceil(ms / 60_000)} min`
}
