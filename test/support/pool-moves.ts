import type { AcquireTerms, DeviceSelector, LeaseManager } from '../../src/leases/contract/lease-manager.ts'
import type { Lease } from '../../src/leases/contract/lease.ts'
import { idle } from './idle.ts'
import type { ManualTime } from './manual-time.ts'

/** A request under way, and what has come of it by now. */
export interface Request {
  readonly outcome: Promise<Lease>
  /** Its caller goes. */
  leave (): void
  /** The device it got, the code it was refused with, or `waiting`. */
  now (): string
  /** The positions that its caller was told. */
  readonly positions: readonly number[]
}

/** Asks for a device on behalf of somebody who waits an hour, unless told otherwise. */
export function request (
  leases: LeaseManager, principal: string, terms: Partial<AcquireTerms> & { readonly selector?: DeviceSelector } = {}
): Request {
  const caller = new AbortController()
  const positions: number[] = []
  let state = 'waiting'
  const outcome = leases.acquire({
    holder: { principal }, selector: {}, waitMs: 3_600_000, signal: caller.signal, onWaiting: ({ position }) => { positions.push(position) }, ...terms
  })
  outcome.then(({ deviceId }) => { state = deviceId }, (refusal: { code?: string }) => { state = String(refusal.code) })
  return { outcome, positions, leave: () => caller.abort(), now: () => state }
}

/** Lets time pass in steps, with everything going on in between that can. */
export async function pass (time: ManualTime, ms: number, stepMs = 1_000): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
    time.advance(Math.min(stepMs, leftMs))
    await idle()
  }
}
