/**
 * What clients were told about leases, which is what a restarted gateway has to stand by.
 *
 *   held       it was granted, and the client has not asked to give it back
 *   releasing  the client asked to, and the gateway died before it answered
 *   over       it was released or has ended, and the client was told
 */
export interface KnownLease {
  readonly handle: string
  readonly device: string
  readonly fence: number
  readonly client: string
  /** Whether its client names it in calls, rather than leave it to a session key. */
  readonly namesIt: boolean
  state: 'held' | 'releasing' | 'over'
  /** An operator has been asked to take it away, whatever came of that. */
  isRevoked: boolean
}

export interface KnownLeases {
  /** A lease that a client was told of. @returns what is wrong with it */
  acknowledge (lease: Omit<KnownLease, 'state' | 'isRevoked'>): { readonly lease: KnownLease, readonly problems: readonly string[] }
  /** Those that are not over. */
  open (): readonly KnownLease[]
  find (device: string, fence: number): KnownLease | undefined
  /** The latest that are over. */
  ended (count: number): readonly KnownLease[]
}

export function createKnownLeases ({ onGrant }: { readonly onGrant: (lease: KnownLease) => void }): KnownLeases {
  const byHandle = new Map<string, KnownLease>()
  const highest = new Map<string, number>()

  return {
    acknowledge (told) {
      const problems: string[] = []
      const { device, fence, handle, client } = told
      const before = highest.get(device) ?? 0
      if (fence <= before) problems.push(`${device} was granted to ${client} with fence ${fence} after fence ${before}`)
      if (byHandle.has(handle)) problems.push(`a handle on ${device} was given out twice`)
      for (const other of byHandle.values()) {
        if (other.device === device && other.state === 'held' && !other.isRevoked) problems.push(`${device} was granted to ${client} while ${other.client} held it`)
      }
      highest.set(device, Math.max(before, fence))
      const lease: KnownLease = { ...told, state: 'held', isRevoked: false }
      byHandle.set(handle, lease)
      onGrant(lease)
      return { lease, problems }
    },
    open: () => [...byHandle.values()].filter(({ state }) => state !== 'over'),
    find: (device, fence) => [...byHandle.values()].find((lease) => lease.device === device && lease.fence === fence),
    ended: (count) => [...byHandle.values()].filter(({ state }) => state === 'over').slice(-count)
  }
}
