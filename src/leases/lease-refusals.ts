import type { DeviceDescription } from '../devices/device-driver.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { EndReason, LeaseEnd } from './lease.ts'
import type { DeviceState } from './lease-manager.ts'

/** The handle is nobody's, or somebody else's: which of the two is not told. */
export class UnknownLeaseRefusal extends Refusal {
  readonly code = 'lease_unknown'

  constructor () {
    super({
      message: 'There is no such lease.',
      retryable: false,
      nextAction: 'Use the lease handle exactly as acquireDevice returned it, or call acquireDevice for a new lease.'
    })
  }
}

/** The lease is over. Its handle never works again; why is told for `leases.keepEndedMs`, after that it is unknown. */
export class LeaseEndedRefusal extends Refusal {
  readonly code = 'lease_ended'

  constructor (
    device: string, { reason, atMs }: LeaseEnd,
    nextAction = 'Call acquireDevice for a new lease; it starts from the home state of its device.'
  ) {
    super({
      message: `The lease on device ${device} ${endings[reason]}.`,
      retryable: false,
      nextAction,
      details: { device, reason, endedAt: new Date(atMs).toISOString() }
    })
  }
}

const endings: Readonly<Record<EndReason, string>> = {
  released: 'was released',
  expired: 'has expired: it was neither used nor renewed in time',
  revoked: 'was revoked',
  device_restarted: 'ended because the device has restarted',
  device_lost: 'ended because the device is gone'
}

/** No device of the pool is what the caller asks for, taken or not. */
export class UnknownDeviceRefusal extends Refusal {
  readonly code = 'no_such_device'

  constructor (pool: readonly DeviceDescription[]) {
    super({
      message: pool.length === 0 ? 'The pool has no devices.' : 'No device of the pool is like that.',
      retryable: false,
      nextAction: pool.length === 0
        ? 'Tell the operator that no device is configured.'
        : 'Ask for one of the devices listed here, or name fewer conditions.',
      details: {
        devices: pool.slice(0, 20).map(({ id, platform, kind, model, labels }) => ({ id, platform, kind, model, labels }))
      }
    })
  }
}

interface Crowd {
  readonly matching: number
  /** How many of them are in which state. */
  readonly states: Readonly<Partial<Record<DeviceState, number>>>
  readonly retryAfterMs: number
}

/** Devices of that sort exist; none of them is free. */
export class CapacityExhaustedRefusal extends Refusal {
  readonly code = 'capacity_exhausted'

  constructor ({ matching, states, retryAfterMs }: Crowd) {
    super({
      message: `None of the ${matching} matching device(s) is free.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Wait retryAfterMs and repeat the call, or ask for another sort of device.',
      details: { matching, states }
    })
  }
}

/** Nobody holds what the caller asks for any more, but it is still being put in order. */
export class CleanupInProgressRefusal extends Refusal {
  readonly code = 'device_cleanup_in_progress'

  constructor ({ matching, states, retryAfterMs }: Crowd) {
    super({
      message: 'The matching device is being cleaned up after its last lease.',
      retryable: true,
      retryAfterMs,
      nextAction: 'Wait retryAfterMs and repeat the call.',
      details: { matching, states }
    })
  }
}

/** The ttl asked for is outside the operator's bounds. */
export class TtlOutOfRangeRefusal extends Refusal {
  readonly code = 'ttl_out_of_range'

  constructor (bounds: { readonly minTtlMs: number, readonly maxTtlMs: number }) {
    super({
      message: `A lease lasts between ${bounds.minTtlMs} and ${bounds.maxTtlMs} milliseconds.`,
      retryable: false,
      nextAction: 'Ask for a ttlMs within these bounds, or leave it out; use and renewal extend a lease.',
      details: bounds
    })
  }
}

/** The gateway is starting or stopping; leases are left alone meanwhile. */
export class LeasesUnavailableRefusal extends Refusal {
  readonly code = 'leases_unavailable'

  constructor () {
    super({
      message: 'The gateway is starting or shutting down.',
      retryable: true,
      retryAfterMs: 1_000,
      nextAction: 'Repeat the call in a moment; leases survive a restart.'
    })
  }
}
