import { z } from 'zod'

/** The shortest ttl anybody may ask for: less would end leases between two thoughts of an agent. */
export const minTtlMs = 30_000

const dayMs = 86_400_000

/** How long leases last and how long devices get to answer. */
export const leaseSettings = z.strictObject({
  ttlMs: z.int().min(minTtlMs).max(dayMs).default(600_000)
    .describe('How long a lease lasts without use or renewal, in milliseconds, when its holder asks for nothing else.'),
  maxTtlMs: z.int().min(minTtlMs).max(dayMs).default(dayMs)
    .describe('The longest ttl a holder may ask for, in milliseconds.'),
  cleanupTimeoutMs: z.int().min(1_000).max(600_000).default(10_000)
    .describe('How long a device may take to be put back to its home state before it is quarantined, in milliseconds.'),
  probeTimeoutMs: z.int().min(100).max(30_000).default(2_000)
    .describe('How long a device may take to say that it is there before a lease is granted on it, in milliseconds.'),
  keepEndedMs: z.int().min(60_000).max(30 * dayMs).default(dayMs)
    .describe('How long the handle of an ended lease is still answered with why it ended, in milliseconds.')
}).refine(({ ttlMs, maxTtlMs }) => ttlMs <= maxTtlMs, {
  path: ['ttlMs'],
  error: 'must not be longer than maxTtlMs'
})

export type LeaseSettings = Readonly<z.output<typeof leaseSettings>>
