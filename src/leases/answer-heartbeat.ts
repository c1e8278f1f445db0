import type { AwaitedOwners } from './awaited-owners.ts'
import type { Heartbeats } from './heartbeats.ts'
import type { LeaseBook } from './lease-book.ts'
import type { LeaseManager } from './contract/lease-manager.ts'
import type { LeaseStore } from './contract/lease-store.ts'

/** Takes signs of life for the lease that is named, or that is bound to the session key. */
export function createHeartbeatAnswer ({ store, book, heartbeats, owners }: {
  readonly store: LeaseStore
  readonly book: LeaseBook
  readonly heartbeats: Heartbeats
  readonly owners: AwaitedOwners
}): LeaseManager['heartbeat'] {
  return async function answer (beat) {
    const { handle, sessionKey, holder: { principal } } = beat
    const named = handle !== undefined
      ? await store.lease(handle)
      : sessionKey && await store.boundLease({ sessionKey, principal })
    if (!named || named.holder.principal !== principal) return 'unknown'
    const lease = await book.settled(named)
    if (lease.end !== undefined) return { ended: lease.end.reason }
    heartbeats.hear(lease.handle)
    // It ended between the two looks; the next look says how.
    if (!await book.confirm(lease)) return await answer(beat)
    if (lease.state === 'awaiting_owner') await owners.found(lease)
    return 'ok'
  }
}
