import type { Lease } from '../../src/leases/contract/lease.ts'
import type { GrantEvent } from '../../src/leases/contract/lease-machine.ts'

// As a principal's key really looks: two parts and a NUL between them.
const holder = { principal: 'https://issuer.example\u0000alice' }

/** A grant of the plainest sort. */
export function grantEvent (deviceId: string, handle: string, more: Partial<GrantEvent> = {}): GrantEvent {
  return {
    type: 'grant',
    deviceId,
    handle,
    bootId: 'boot-1',
    holder,
    sessionKey: undefined,
    purpose: undefined,
    priority: 'normal',
    heartbeatMs: undefined,
    ttlMs: 60_000,
    idleMs: 1_800_000,
    maxLengthMs: 28_800_000,
    nowMs: 1_000_000,
    ...more
  }
}

/** What comes of such a grant. */
export function grantedLease ({ deviceId, handle, ...more }: Pick<Lease, 'deviceId' | 'handle'> & Partial<Lease>): Lease {
  const { bootId, sessionKey, purpose, priority, heartbeatMs, ttlMs, idleMs, maxLengthMs, nowMs } = grantEvent(deviceId, handle)
  return {
    handle,
    deviceId,
    bootId,
    fence: 1,
    holder,
    sessionKey,
    state: 'granted',
    purpose,
    priority,
    grantedAtMs: nowMs,
    ttlMs,
    expiresAtMs: nowMs + ttlMs,
    mustEndAtMs: nowMs + maxLengthMs,
    idleMs,
    lastControlAtMs: nowMs,
    isUsed: false,
    isConfirmed: false,
    heartbeatMs,
    end: undefined,
    ...more
  }
}
