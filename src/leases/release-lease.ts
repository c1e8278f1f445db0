import { allowedCleanup, type CleanupLevel } from './cleanup/cleanup-level.ts'
import { isLive, type Lease } from './contract/lease.ts'
import type { LeaseClaim, LeaseManager, ReleaseResult } from './contract/lease-manager.ts'
import type { Pool } from './device/pool.ts'
import type { LeaseLookup } from './lease-lookup.ts'
import type { ShownTimes } from './shown-times.ts'

/** Releases leases, each once: a second release of a lease that is being released joins the first. */
export function createRelease ({ pool, lookup, shown, lowestCleanup }: {
  readonly pool: Pool
  readonly lookup: LeaseLookup
  readonly shown: ShownTimes
  /** The least cleanup a holder may ask for. */
  readonly lowestCleanup: CleanupLevel
}): LeaseManager['release'] {
  const underWay = new Map<string, Promise<ReleaseResult | undefined>>()

  async function releaseNow (lease: Lease, cleanup: CleanupLevel, sessionKey: string | undefined): Promise<ReleaseResult | undefined> {
    const isOwn = lease.sessionKey === undefined || lease.sessionKey === sessionKey
    const ended = await pool.lane(lease.deviceId)?.end(lease, isOwn ? 'released' : 'released_by_other', { cleanup })
    if (ended === undefined) return undefined
    const { cleaned, failed, lease: final } = await ended.cleanup
    return { lease: final ?? ended.lease, cleaned, failed, releasedNow: true }
  }

  async function release ({ cleanup: wanted, ...claim }: LeaseClaim & { readonly cleanup?: CleanupLevel }): Promise<ReleaseResult> {
    const cleanup = await lookup.checked(claim, () => allowedCleanup(wanted, lowestCleanup))
    const again = () => release({ ...claim, cleanup })
    const lease = await lookup.leaseOf(claim)
    const earlier = underWay.get(lease.handle)
    if (earlier !== undefined) {
      const joined = await earlier
      return joined === undefined ? await again() : { ...joined, releasedNow: false }
    }
    if (isLive(lease)) {
      const releasing = releaseNow(lease, cleanup, claim.sessionKey).finally(() => underWay.delete(lease.handle))
      underWay.set(lease.handle, releasing)
      // Undefined: it ended in another way between the two looks; the next look says which.
      return await releasing ?? await again()
    }
    if (lease.end?.reason !== 'released' && lease.end?.reason !== 'released_by_other') throw shown.refusal(lease, 'Go on: there is nothing left to release.')
    // Released before a restart, and perhaps still being cleaned up after.
    const cleaning = lease.state === 'releasing' ? await pool.lane(lease.deviceId)?.cleanupAfter(lease) : undefined
    return { lease: cleaning?.lease ?? lease, cleaned: cleaning?.cleaned ?? [], failed: cleaning?.failed ?? [], releasedNow: false }
  }

  return async (request) => {
    const { lease, ...result } = await release(request)
    return { lease: shown.lease(lease), ...result }
  }
}
