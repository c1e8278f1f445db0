import { z } from 'zod'
import { cleanupLevels } from '../cleanup/cleanup-level.ts'
import { priorities } from './lease.ts'

/** The shortest ttl that a request may ask for: less would end leases between two thoughts of an agent. */
export const minTtlMs = 30_000

/** The longest that a request may wait in the queue. */
export const longestWaitMs = 3_600_000

/** What a holder may promise as the longest time between two heartbeats. */
export const heartbeatBounds = { minMs: 2_000, maxMs: 60_000 }

const minuteMs = 60_000
const dayMs = 86_400_000

/** How long leases last, how requests wait, and how long devices get to answer. */
export const leaseSettings = z.strictObject({
  ttlMs: z.int().min(minTtlMs).max(dayMs).default(600_000)
    .describe('How long a lease lasts without use or renewal, in milliseconds, when its holder asks for nothing else.'),
  maxTtlMs: z.int().min(minTtlMs).max(dayMs).default(dayMs)
    .describe('The longest ttl a holder may ask for, in milliseconds.'),
  firstUseMs: z.int().min(1_000).max(dayMs).default(2 * minuteMs)
    .describe('How long a lease that is neither used nor renewed after its grant is kept while a request waits for its device, in milliseconds. Its agent may never have learned of it.'),
  idleMs: z.int().min(minuteMs).max(7 * dayMs).default(30 * minuteMs)
    .describe('How long a lease lasts after its last call that acts on the device, in milliseconds, however much is looked, renewed or beaten.'),
  maxLengthMs: z.int().min(minuteMs).max(30 * dayMs).default(8 * 60 * minuteMs)
    .describe('How long a lease lasts at most, in milliseconds, however much it is used and renewed.'),
  longestVetoMs: z.int().min(10_000).max(dayMs).default(600_000)
    .describe('How long a running call may keep a lease whose time is over, counted from the start of the call, in milliseconds.'),
  awaitOwnerMs: z.int().min(1_000).max(600_000).default(15_000)
    .describe('How long leases last at least after a restart, for their holders to show up and their devices to answer, in milliseconds.'),
  recoveryMs: z.int().min(1_000).max(dayMs).default(120_000)
    .describe('How long a leased device may be away before the lease ends, and any device before it counts as gone, in milliseconds.'),
  watchEveryMs: z.int().min(500).max(60_000).default(5_000)
    .describe('How often devices that are leased or free are asked whether they are still there, in milliseconds.'),
  maxPerHolder: z.int().min(1).max(10_000).optional()
    .describe('How many leases one principal may have at once; a request for more waits, or is refused. All agents that use one token are one principal.'),
  maxWaitingPerHolder: z.int().min(1).max(10_000).optional()
    .describe('How many requests of one principal may wait in the queue at once. All agents that use one token are one principal.'),
  maxWaiting: z.int().min(1).max(100_000).default(1_000)
    .describe('How many requests may wait in the queue at once.'),
  topPriority: z.enum(priorities).default('normal')
    .describe('The highest priority that callers may ask for.'),
  ageMs: z.int().min(1_000).max(dayMs).default(60_000)
    .describe('How long a request waits before it goes up one priority, in milliseconds.'),
  reserveAfterMs: z.int().min(0).max(dayMs).default(30_000)
    .describe('How long a request waits before free devices are kept for it until it has all it needs, in milliseconds.'),
  maxBypasses: z.int().min(0).max(10_000).default(8)
    .describe('How often a request may be overtaken before free devices are kept for it.'),
  cleanupTimeoutMs: z.int().min(1_000).max(600_000).default(10_000)
    .describe('How long a device may take to be put back to its home state before it is quarantined, in milliseconds.'),
  lowestCleanup: z.enum(cleanupLevels).default('apps')
    .describe('The least cleanup a release may ask for. `none` leaves apps, settings and files to the next holder, `apps` undoes what the lease changed, `full` makes the device as new after every lease.'),
  probeTimeoutMs: z.int().min(100).max(30_000).default(2_000)
    .describe('How long a device may take to say that it is there before a lease is granted on it, in milliseconds.'),
  keepEndedMs: z.int().min(60_000).max(30 * dayMs).default(dayMs)
    .describe('How long the handle of an ended lease is still answered with why it ended, in milliseconds.'),
  keepAuditMs: z.int().min(60_000).max(3_650 * dayMs).default(30 * dayMs)
    .describe('How long it is remembered what happened to devices and leases, in milliseconds.')
}).refine(({ ttlMs, maxTtlMs }) => ttlMs <= maxTtlMs, {
  path: ['ttlMs'],
  error: 'must not be longer than maxTtlMs'
})

export type LeaseSettings = Readonly<z.output<typeof leaseSettings>>
