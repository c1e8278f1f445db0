import type { DeviceDescription } from '../devices/device-driver.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { EndReason, LeaseEnd, Priority } from './lease.ts'
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
    device: string, { reason, atMs, note }: LeaseEnd,
    nextAction = 'Call acquireDevice for a new lease; it starts from the home state of its device.'
  ) {
    super({
      message: `The lease on device ${device} ${endings[reason]}${note === undefined ? '' : `: ${note}`}.`,
      retryable: false,
      nextAction,
      details: { device, reason, endedAt: new Date(atMs).toISOString(), ...(note === undefined ? {} : { note }) }
    })
  }
}

const endings: Readonly<Record<EndReason, string>> = {
  released: 'was released',
  undelivered: 'was taken back, because the answer that granted it could not be delivered',
  expired: 'has expired: it was neither used nor renewed in time',
  idle: 'has ended because nothing was done on the device for too long',
  max_length: 'has lasted as long as a lease may',
  heartbeat_lost: 'ended because its holder stopped sending heartbeats',
  owner_lost: 'ended because its holder did not show up after the gateway had restarted',
  revoked: 'was revoked by an operator',
  drained: 'ended because an operator takes the device out of use',
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
  /** How many requests wait for one of them. */
  readonly waiting: number
  /** How many of them are in which state. */
  readonly states: Readonly<Partial<Record<DeviceState, number>>>
  readonly retryAfterMs: number
}

/** Devices of that sort exist; none of them is free. */
export class CapacityExhaustedRefusal extends Refusal {
  readonly code = 'capacity_exhausted'

  constructor ({ matching, waiting, states, retryAfterMs }: Crowd) {
    super({
      message: `None of the ${matching} matching device(s) can be had now.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Repeat the call with waitMs to wait in line, or after retryAfterMs; or ask for another sort of device.',
      details: { matching, waiting, states }
    })
  }
}

/** Nobody holds what the caller asks for any more, but it is still being put in order. */
export class CleanupInProgressRefusal extends Refusal {
  readonly code = 'device_cleanup_in_progress'

  constructor ({ matching, waiting, states, retryAfterMs }: Crowd) {
    super({
      message: 'The matching device is being cleaned up after its last lease.',
      retryable: true,
      retryAfterMs,
      nextAction: 'Wait retryAfterMs and repeat the call, or wait in line with waitMs.',
      details: { matching, waiting, states }
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

/** No device became free while the caller waited. */
export class WaitTimedOutRefusal extends Refusal {
  readonly code = 'wait_timed_out'

  constructor ({ position, retryAfterMs }: { readonly position: number, readonly retryAfterMs: number }) {
    super({
      message: `No matching device became free in time; the request had come to position ${position}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Repeat the call with a longer waitMs, or ask for another sort of device. A repeated call joins the end of the line.',
      details: { position }
    })
  }
}

/** The line is as long as it may be, for everybody or for this holder. */
export class QueueFullRefusal extends Refusal {
  readonly code = 'queue_full'

  constructor ({ limit, of }: { readonly limit: number, readonly of: 'everybody' | 'holder' }) {
    super({
      message: of === 'holder' ? `You have ${limit} requests waiting already.` : `${limit} requests are waiting already.`,
      retryable: true,
      retryAfterMs: 5_000,
      nextAction: of === 'holder'
        ? 'Wait until one of your requests is answered, or cancel one.'
        : 'Wait retryAfterMs and repeat the call.',
      details: { limit }
    })
  }
}

/** The holder has as many leases as it may have at once. */
export class LeaseLimitReachedRefusal extends Refusal {
  readonly code = 'lease_limit_reached'

  constructor (limit: number) {
    super({
      message: `You may hold ${limit} leases at once.`,
      retryable: true,
      retryAfterMs: 5_000,
      nextAction: 'Release a lease that you do not need any more (listLeases shows yours), then repeat the call.',
      details: { limit }
    })
  }
}

/** The priority is above what the operator lets callers ask for. */
export class PriorityNotAllowedRefusal extends Refusal {
  readonly code = 'priority_not_allowed'

  constructor ({ asked, highest }: { readonly asked: Priority, readonly highest: Priority }) {
    super({
      message: `Priority ${asked} is not for callers here.`,
      retryable: false,
      nextAction: `Ask for priority ${highest} or a lower one, or leave it out.`,
      details: { highest }
    })
  }
}

/** An operator named a device that is not part of the pool. */
export class DeviceUnknownRefusal extends Refusal {
  readonly code = 'device_unknown'

  constructor (device: string) {
    super({
      message: `The pool has no device ${device}.`,
      retryable: false,
      nextAction: 'Use the id of a device as the status shows it.',
      details: { device }
    })
  }
}
