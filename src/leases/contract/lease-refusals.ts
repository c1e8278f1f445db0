import type { DeviceDescription } from '../../devices/device-types.ts'
import { quote } from '../../text/quote.ts'
import { Refusal, type Retry } from '../../refusals/refusal.ts'
import type { EndReason, LeaseEnd, Priority } from './lease.ts'
import type { Hold } from './lease-machine.ts'
import type { DeviceState } from './lease-manager.ts'

/** There is no lease of that handle, or it belongs to another holder: which of the two is not told. */
export class UnknownLeaseRefusal extends Refusal {
  readonly code = 'lease_unknown'
  override readonly kind = 'not_found'

  constructor () {
    super({
      message: 'There is no such lease.',
      retryable: false,
      nextAction: 'Use the lease handle exactly as acquireDevice returned it, or call acquireDevice for a new lease.'
    })
  }
}

/** The call names a lease that is bound to another session key than its own: it belongs to another agent of the principal. */
export class OtherSessionKeyRefusal extends Refusal {
  readonly code = 'lease_of_other_session'

  constructor () {
    super({
      message: 'This lease belongs to another session key than the one that the call came with.',
      retryable: false,
      nextAction: 'Leave out `lease` to use the one of your session key, or send the session key under which the lease was acquired.'
    })
  }
}

/** The lease is over. Its handle never works again; why is told for `leases.keepEndedMs`, after that it is unknown. */
export class LeaseEndedRefusal extends Refusal {
  readonly code = 'lease_ended'
  /** Id of its device. */
  readonly device: string

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
    this.device = device
  }
}

const endings: Readonly<Record<EndReason, string>> = {
  released: 'was released',
  released_by_other: 'was released by another agent of the same principal',
  undelivered: 'was taken back, because the answer that granted it could not be delivered',
  unused: 'was given back, because it was not used and a request waited for its device',
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
  override readonly kind = 'not_found'

  /** `sorts`: of several that are wanted, those that no device is like, in words. */
  constructor (pool: readonly DeviceDescription[], sorts: readonly string[] = []) {
    const sought = sorts.length === 0 ? 'like that' : `like this: ${listed(sorts)}`
    super({
      message: pool.length === 0 ? 'The pool has no devices.' : `No device of the pool is ${sought}.`,
      retryable: false,
      nextAction: pool.length === 0
        ? 'Tell the operator that no device is configured.'
        : 'Ask for one of the devices listed here, or name fewer conditions.',
      details: {
        devices: pool.slice(0, 20).map(({ id, platform, kind, model, osVersion, labels }) => ({ id, platform, kind, model, os: osVersion, labels }))
      }
    })
  }
}

/** Each of several devices is there, but not all of them at once: the pool has too few of that sort. */
export class TooManyDevicesRefusal extends Refusal {
  readonly code = 'too_many_devices'
  override readonly kind = 'limit'

  constructor ({ wanted, matching, atOnce, short }: {
    readonly wanted: number
    readonly matching: number
    readonly atOnce: number
    readonly short: Shortage
  }) {
    super({
      message: `The pool can never serve these ${wanted} devices at once: ` +
        `${short.wanted} of them must be ${listed(short.sorts)}, and the pool has ${short.available} of that sort.`,
      retryable: false,
      nextAction: `Ask for at most ${atOnce} of them at once, or name fewer conditions. No device serves two labels.`,
      details: { wanted, matching, atOnce, short }
    })
  }
}

/** The sort of device of which there are too few, where several are wanted. */
export interface Shortage {
  /** How many of that sort are wanted. */
  readonly wanted: number
  /** How many there are. */
  readonly available: number
  /** What is asked for of them, in words: several where different selectors compete for the same devices. */
  readonly sorts: readonly string[]
}

const mostSortsTold = 4

function listed (sorts: readonly string[]): string {
  const more = sorts.length > mostSortsTold ? [`${sorts.length - mostSortsTold} more`] : []
  return [...sorts.slice(0, mostSortsTold), ...more].join(' or ')
}

interface Crowd {
  /** How many devices are wanted at once. */
  readonly wanted: number
  readonly matching: number
  /** How many requests wait for one of them. */
  readonly waiting: number
  /** What there is too little of when several are wanted; undefined when the devices are there, but kept for requests in front. */
  readonly short: Shortage | undefined
  /** How many of them are in which state. */
  readonly states: Readonly<Partial<Record<DeviceState, number>>>
  readonly retryAfterMs: number
}

/** Devices of that sort exist; none of them is free, or not as many as are wanted at once. */
export class CapacityExhaustedRefusal extends Refusal {
  readonly code = 'capacity_exhausted'

  constructor ({ wanted, matching, waiting, short, states, retryAfterMs }: Crowd) {
    super({
      message: wanted === 1
        ? `None of the ${matching} matching device(s) can be had now.`
        : `The ${wanted} devices cannot be had all at once now; ` +
          `${shortNow(short) ?? `${states.free ?? 0} of the ${matching} that match are free`}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Repeat the call with waitMs to wait in the queue, or after retryAfterMs; or ask for another sort of device.',
      details: { matching, waiting, states, ...(short === undefined ? {} : { short }) }
    })
  }
}

/** What an operator has laid on a device that the caller wants. */
export interface HeldDevice {
  readonly device: string
  readonly hold: Hold
}

/** An operator keeps so many of the devices that match from new leases that the rest cannot serve the request. */
export class DevicesOnHoldRefusal extends Refusal {
  readonly code = 'devices_on_hold'

  constructor ({ matching, waiting, short, states, retryAfterMs }: Crowd, held: readonly HeldDevice[]) {
    super({
      message: `This cannot be had now, because ${holdNote(held)}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Ask for another sort of device (listDevices shows which are not held), or tell your user what the operator says. No release of a lease ends a hold.',
      details: {
        matching,
        waiting,
        states,
        ...(short === undefined ? {} : { short }),
        holds: held.slice(0, 20).map(({ device, hold: { kind } }) => ({ device, kind }))
      }
    })
  }
}

const mostHoldsTold = 3

/** What is laid on the devices, in the operator's words, as part of a sentence. */
export function holdNote (held: readonly HeldDevice[]): string {
  const told = [...new Set(held.map(({ hold: { kind, reason } }) => `${kind} ${quote(reason, 200)}`))]
  const more = told.length > mostHoldsTold ? [`${told.length - mostHoldsTold} more`] : []
  return `an operator keeps what matches from new leases: ${[...told.slice(0, mostHoldsTold), ...more].join(', ')}`
}

function shortNow (short: Shortage | undefined): string | undefined {
  return short && `${short.wanted} of them must be ${listed(short.sorts)}, and of that sort ${short.available} can be had`
}

/** What the caller asks for is leased no more, but still being put in order. */
export class CleanupInProgressRefusal extends Refusal {
  readonly code = 'device_cleanup_in_progress'

  constructor ({ wanted, matching, waiting, short, states, retryAfterMs }: Crowd) {
    const sentence = shortNow(short)
    super({
      message: wanted === 1 || sentence === undefined
        ? 'The matching device is being cleaned up after its last lease.'
        : `The ${wanted} devices cannot be had all at once until a cleanup is done: ${sentence}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Wait retryAfterMs and repeat the call, or wait in the queue with waitMs.',
      details: { matching, waiting, states, ...(short === undefined ? {} : { short }) }
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
  override readonly kind = 'unavailable'

  constructor () {
    super({
      message: 'The gateway is starting or shutting down.',
      retryable: true,
      retryAfterMs: 1_000,
      nextAction: 'Repeat the call in a moment. Leases go on after a restart, but for those of virtual phones, which start anew with the gateway.'
    })
  }
}

/** No device became free while the caller waited. */
export class WaitTimedOutRefusal extends Refusal {
  readonly code = 'wait_timed_out'

  constructor ({ position, note, retryAfterMs }: {
    readonly position: number
    readonly note: string | undefined
    readonly retryAfterMs: number
  }) {
    super({
      message: note === undefined
        ? `No matching device became free in time; the request had come to position ${position}.`
        : `The request could not be served in time, because ${note}.`,
      retryable: true,
      retryAfterMs,
      nextAction: 'Repeat the call with a longer waitMs, or ask for another sort of device. A repeated call joins the end of the queue.',
      details: { position }
    })
  }
}

/** The queue is as long as it may be, in all or for this holder. */
export class QueueFullRefusal extends Refusal {
  readonly code = 'queue_full'
  override readonly kind = 'limit'

  constructor ({ limit, of }: { readonly limit: number, readonly of: 'all' | 'holder' }) {
    super({
      message: of === 'holder' ? `${limit} requests with your token are waiting already.` : `${limit} requests are waiting already.`,
      retryable: true,
      retryAfterMs: 5_000,
      nextAction: of === 'holder'
        ? 'Wait until a request of your own is answered, or wait retryAfterMs and repeat the call.'
        : 'Wait retryAfterMs and repeat the call.',
      details: { limit }
    })
  }
}

/** An operator has taken the request out of the queue. */
export class RequestRemovedRefusal extends Refusal {
  readonly code = 'request_removed'

  constructor (reason: string) {
    super({
      message: `An operator has taken the request out of the queue: ${quote(reason, 200)}.`,
      retryable: false,
      nextAction: 'Tell your user what the operator says. A repeated call joins the end of the queue.',
      details: { reason }
    })
  }
}

/** An operator named a request that is not in the queue, or no longer. */
export class RequestUnknownRefusal extends Refusal {
  readonly code = 'request_unknown'
  override readonly kind = 'not_found'

  constructor () {
    super({
      message: 'There is no such request in the queue.',
      retryable: false,
      nextAction: 'Use the id of a request as GET /queue shows it; one that has been answered is no longer there.'
    })
  }
}

const whenOneHasEnded: Retry = { retryable: true, retryAfterMs: 5_000 }

/** The holder would have more leases than it may have at once. Other agents with the same token count too. */
export class LeaseLimitReachedRefusal extends Refusal {
  readonly code = 'lease_limit_reached'
  override readonly kind = 'limit'

  constructor ({ limit, wanted, isKept }: LimitReached & { readonly wanted: number }) {
    const canFit = wanted <= limit
    super({
      message: `There is a limit: ${limitNote({ limit, isKept })}.`,
      ...(canFit ? whenOneHasEnded : { retryable: false }),
      nextAction: canFit
        ? 'Repeat the call with waitMs to wait until a lease ends, or release one that you acquired yourself. Leases of your token that you did not acquire are other agents\'.'
        : `Ask for at most ${limit} device(s) at once.`,
      details: { limit, wanted }
    })
  }
}

/** The limit on a holder's leases that keeps a request waiting. */
export interface LimitReached {
  readonly limit: number
  /** Whether the holder has fewer leases than that, and an earlier request of the holder waits for the rest. */
  readonly isKept: boolean
}

/** The limit on a holder's leases, as part of a sentence. */
export function limitNote ({ limit, isKept }: LimitReached): string {
  const limited = `all agents that use your token may hold ${limit} lease(s) at once between them`
  return isKept ? `${limited}, and an earlier request with your token waits for those that are left` : limited
}

/** The priority is above what the operator lets callers ask for. */
export class PriorityNotAllowedRefusal extends Refusal {
  readonly code = 'priority_not_allowed'
  override readonly kind = 'forbidden'

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
  override readonly kind = 'not_found'

  constructor (device: string) {
    super({
      message: `The pool has no device ${device}.`,
      retryable: false,
      nextAction: 'Use the id of a device as the status shows it.',
      details: { device }
    })
  }
}
