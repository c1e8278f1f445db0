/**
 * Which lease a call of a device tool is about. The only place that decides it:
 *
 * 1. the lease it names;
 * 2. the live lease that its session key stands for (POOL-01);
 * 3. with a session key that stands for nothing: any free phone. It is taken for the caller, and
 *    from then on the key stands for that lease;
 * 4. with neither: the only free phone of the pool, if there is exactly one;
 * 5. otherwise the call is refused with what there is to choose from.
 *
 * Whatever is taken here is told before everything else in the result, and taken back when the
 * result does not arrive, unless another call has claimed it meanwhile. No call waits in the queue
 * here: a caller that wants to wait says so to acquireDevice.
 *
 * A caller in the middle of its work must never find itself on another phone without having
 * asked for one. Hence two exceptions:
 *
 * - A key whose lease has ended by anything but its holder answers `lease_ended`, as the handle
 *   would, until acquireDevice is called under it. A new phone knows nothing of what was done on
 *   the old one, and of several calls under way not only the first may learn of it. After a
 *   release there is no work to be in the middle of, and the key is as good as new.
 * - Without a key, nothing is taken for a principal that holds a lease which no key stands for:
 *   the call may have forgotten to name that one. It is not used either, because several agents
 *   may share a principal, and it may be another one's.
 */
import { ensureNotCancelled } from '../refusals/cancellation.ts'
import type { Lease } from '../leases/contract/lease.ts'
import { isLive } from '../leases/contract/lease.ts'
import type { DeviceSelector, LeaseManager, PooledDevice } from '../leases/contract/lease-manager.ts'
import { CapacityExhaustedRefusal, CleanupInProgressRefusal, LeaseEndedRefusal } from '../leases/contract/lease-refusals.ts'
import type { Clock } from '../runtime/clock.ts'
import { leaseName, leaseTerms, listedLease } from './lease-data.ts'
import { deviceData } from './pooled-device-data.ts'
import type { ToolCall } from './tool-definition.ts'
import { LeaseRequiredRefusal } from './tool-refusals.ts'
import { createKeyedTurns } from './turns.ts'

/** What decides about a call; its identity stands for the call. */
type Caller = Pick<ToolCall, 'principal' | 'sessionKey' | 'signal' | 'addAside' | 'noteWait'>

/** The lease that a call is about. */
export interface ChosenLease {
  readonly handle: string
  /** It was taken for this call: that the call uses it does not show that its caller knows of it. */
  readonly byAcquirer: boolean
}

export interface LeaseChoice {
  /**
   * The lease that a call is about, which may have been taken for it just now.
   *
   * @throws {LeaseRequiredRefusal} it has to say which
   * @throws {LeaseEndedRefusal} its session key stands for a lease that is over
   */
  choose (handle: string | undefined, call: Caller): Promise<ChosenLease>
  /**
   * The same for work on leases themselves: nothing is taken, and a lease that is over is found
   * as well.
   *
   * @throws {LeaseRequiredRefusal} it has to say which
   */
  find (handle: string | undefined, call: Caller): Promise<string>
}

/** How many phones and leases a refusal lists. */
const mostListed = 20

export function createLeaseChoice (
  { leases, clock }: { readonly leases: LeaseManager, readonly clock: Clock }
): LeaseChoice {
  const turns = createKeyedTurns(clock)
  // A call may ask more than once, and means the same lease each time.
  const taken = new WeakMap<Caller, string>()

  async function takeFor (call: Caller, selector: DeviceSelector): Promise<Lease> {
    const { principal, sessionKey, signal } = call
    const holder = { principal: principal.key }
    const lease = await leases.acquire({ holder, selector, signal, ...(sessionKey === undefined ? {} : { sessionKey }) })
    if (lease.sessionKey !== sessionKey) {
      // Another process has bound the key meanwhile, and its lease counts.
      await takeBack(lease)
      return lease
    }
    try {
      await tell(call, lease)
    } catch (error) {
      // If this fails too, it expires.
      await takeBack(lease).catch(() => undefined)
      throw error
    }
    taken.set(call, lease.handle)
    return lease
  }

  /** Ends a lease that was taken for a call, unless another call goes on with it. */
  async function takeBack ({ handle, holder }: Lease): Promise<void> {
    await leases.undo({ handle, holder })
  }

  async function tell (call: Caller, lease: Lease): Promise<void> {
    const device = (await leases.devices()).find(({ description }) => description.id === lease.deviceId)
    if (device === undefined) throw new Error(`device ${lease.deviceId} was leased and is not in the pool`)
    ensureNotCancelled(call.signal)
    const how = call.sessionKey === undefined ? 'Pass it as `lease` from now on' : 'Your session key stands for it: calls without `lease` use it'
    call.addAside({
      text: `Took a phone for you, in its home state: lease ${leaseName(lease, device.description)}. ${how}. When you are done: releaseDevice.`,
      facts: { ...leaseTerms(lease), device: deviceData(device.description) },
      undo: async () => await takeBack(lease)
    })
  }

  async function ofKey (call: Caller, sessionKey: string): Promise<string> {
    const holder = { principal: call.principal.key }
    const bound = await leases.boundTo({ sessionKey, holder })
    if (bound !== undefined) return bound.handle
    // Of several first calls at once one takes a phone, and the others find it.
    return await turns.take(`${holder.principal}\0${sessionKey}`, call, async () => {
      for (;;) {
        const last = await leases.lastBoundTo({ sessionKey, holder })
        if (last !== undefined && isLive(last)) return last.handle
        if (last?.end !== undefined && !isForgotten(last)) {
          throw new LeaseEndedRefusal(last.deviceId, last.end, 'Call acquireDevice: your session key then stands for a new lease, on a phone in its home state.')
        }
        const lease = await takeFor(call, {})
        if (lease.sessionKey === sessionKey) return lease.handle
      }
    })
  }

  async function onlyFree (call: Caller): Promise<string> {
    const [free, own] = await surroundings(call)
    const [only] = free
    const mayMeanAnother = own.some(({ sessionKey }) => sessionKey === undefined)
    if (only === undefined || free.length > 1 || mayMeanAnother) throw refusal(call, free, own)
    try {
      return (await takeFor(call, { device: only.description.id })).handle
    } catch (error) {
      // Another request was faster, or waits for it in the queue.
      if (error instanceof CapacityExhaustedRefusal || error instanceof CleanupInProgressRefusal) throw refusal(call, [], own)
      throw error
    }
  }

  async function surroundings ({ principal }: Caller): Promise<readonly [free: readonly PooledDevice[], own: readonly Lease[]]> {
    const [devices, own] = await Promise.all([leases.devices(), leases.list({ principal: principal.key })])
    return [devices.filter(({ state }) => state === 'free'), own]
  }

  return {
    async choose (handle, call) {
      const chosen = handle ?? taken.get(call) ?? (call.sessionKey === undefined ? await onlyFree(call) : await ofKey(call, call.sessionKey))
      return { handle: chosen, byAcquirer: taken.get(call) === chosen }
    },

    async find (handle, call) {
      if (handle !== undefined) return handle
      const { sessionKey, principal } = call
      const last = sessionKey === undefined ? undefined : await leases.lastBoundTo({ sessionKey, holder: { principal: principal.key } })
      if (last === undefined) throw refusal(call, ...await surroundings(call))
      return last.handle
    }
  }
}

/** Whether a lease has ended in a way that leaves nothing to be in the middle of. */
function isForgotten ({ end }: Lease): boolean {
  return end?.reason === 'released' || end?.reason === 'undelivered'
}

function refusal (call: Caller, free: readonly PooledDevice[], own: readonly Lease[]): LeaseRequiredRefusal {
  return new LeaseRequiredRefusal({
    hasKey: call.sessionKey !== undefined,
    free: free.slice(0, mostListed).map(({ description }) => deviceData(description)),
    leases: own.slice(0, mostListed).map((lease) => listedLease(lease, call)),
    freeInAll: free.length
  })
}
