import type { Holder, Lease } from '../leases/contract/lease.ts'

/** How many are remembered; one that is forgotten is not taken back, and expires. */
const mostFresh = 1_000

/**
 * Leases that were taken on the side of a call, and that nobody but that call has named or used.
 *
 * When the answer of such a call does not arrive, its lease is taken back, for nobody knows of
 * it. Whoever names it or uses it does know, by its handle or by a session key that several
 * agents share, and goes on with it. So does who only looks, renews or beats, of which the lease
 * itself tells nothing or too little.
 */
export interface FreshLeases {
  add (lease: Lease): void
  /** Somebody else than the call names the lease, or is about to use it. */
  touch (named: { readonly handle: string } | { readonly sessionKey: string, readonly holder: Holder }): void
  has (handle: string): boolean
  /** Forgets it. @returns whether it was fresh */
  take (handle: string): boolean
}

export function createFreshLeases (): FreshLeases {
  const fresh = new Map<string, Lease>()

  return {
    add (lease) {
      const [oldest] = fresh.keys()
      if (fresh.size >= mostFresh && oldest !== undefined) fresh.delete(oldest)
      fresh.set(lease.handle, lease)
    },

    touch (named) {
      if ('handle' in named) {
        fresh.delete(named.handle)
        return
      }
      for (const { handle, sessionKey, holder } of fresh.values()) {
        if (sessionKey === named.sessionKey && holder.principal === named.holder.principal) fresh.delete(handle)
      }
    },

    has: (handle) => fresh.has(handle),
    take: (handle) => fresh.delete(handle)
  }
}
