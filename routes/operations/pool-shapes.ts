/**
 * What operators are told of the pool. Each shape is said once: `pool-data.ts` makes values of its
 * type, and `pool-schemas.ts` makes the schema that the document shows and that answers are written by.
 */
import { z } from 'zod'
import { endReasons, leaseStates, priorities } from '../../src/leases/contract/lease.ts'
import { deviceStates } from '../../src/leases/contract/lease-manager.ts'
import { holdKinds } from '../../src/leases/contract/lease-machine.ts'

/** Shapes that stand in the document under a name of their own, and are referred to by it. */
export const namedShapes = z.registry<{ id: string }>()

const count = z.int().min(0)
const instant = z.iso.datetime()
const holder = z.string().describe('Label of the principal.')
const purpose = z.string().describe('What it is for, in the words of the caller that asked for it.')
const priority = z.enum(priorities)

export const leaseShape = z.object({
  id: z.string().describe('Names the lease to operators, for ever. It is no handle: no call can act with it.'),
  handle: z.string().describe('How the handle begins, to find the lease that a holder or the log speaks of.'),
  device: z.string(),
  fence: count,
  state: z.enum(leaseStates),
  holder,
  purpose: purpose.optional(),
  priority,
  grantedAt: instant,
  expiresAt: instant.describe('When it ends unless something moves that: the earliest of its expiry, which use and renewal move, its idle time, which only acting on the device moves, and its full length.'),
  end: z.object({
    reason: z.enum(endReasons),
    at: instant,
    note: z.string().optional().describe('What the operator said.')
  }).optional()
}).register(namedShapes, { id: 'Lease' })

export const deviceShape = z.object({
  id: z.string(),
  name: z.string(),
  platform: z.string(),
  kind: z.string(),
  model: z.string(),
  os: z.string(),
  labels: z.array(z.string()).readonly(),
  state: z.enum(deviceStates),
  reason: z.string().optional().describe('Why it is quarantined, offline or gone.'),
  failures: count.describe('How often in a row it could not be put back; 0 once it could.'),
  holds: z.array(z.object({
    kind: z.enum(holdKinds),
    reason: z.string(),
    by: holder,
    at: instant,
    deadline: instant.optional().describe('When a drain ends the lease that is left.')
  })).describe('Why it is not granted now, and who ordered that: at most one of each kind, each to be lifted by its own order.'),
  lease: leaseShape.optional().describe('The lease that holds it, or that it is being cleaned up after.')
}).register(namedShapes, { id: 'Device' })

export const selectorShape = z.object({
  device: z.string().optional(),
  platform: z.string().optional(),
  kind: z.string().optional(),
  model: z.string().optional(),
  os: z.string().optional(),
  labels: z.array(z.string()).readonly().optional(),
  withoutLabels: z.array(z.string()).readonly().optional()
}).register(namedShapes, { id: 'Selector' })

export const waitingShape = z.object({
  id: z.string().describe('Means one request for ever; orders take it.'),
  position: z.int().min(1).describe('Its position as things are now.'),
  holder,
  purpose: purpose.optional(),
  priority,
  wanted: z.array(selectorShape).readonly().describe('What it asks for: all of these devices or none.'),
  since: instant,
  waitedMs: count,
  estimateMs: count.optional().describe('How much longer it may take; absent where nothing says.')
}).register(namedShapes, { id: 'WaitingRequest' })

export const auditShape = z.object({
  id: count,
  at: instant,
  event: z.string(),
  device: z.string().optional(),
  lease: z.string().optional().describe('How the handle begins.'),
  holder: holder.optional(),
  by: z.string().optional().describe('Label of the operator.'),
  reason: z.string().optional()
}).register(namedShapes, { id: 'AuditEntry' })

export const refusalShape = z.looseObject({
  error: z.string().describe('What is wrong, in one sentence.'),
  code: z.string().optional().describe('Stable; docs/errors.md lists them.'),
  retryable: z.boolean().optional().describe('Whether the same request can work later.'),
  retryAfterMs: count.optional(),
  nextAction: z.string().optional().describe('What to do instead.')
}).register(namedShapes, { id: 'Refusal' })

export type LeaseData = z.output<typeof leaseShape>
export type DeviceData = z.output<typeof deviceShape>
export type WaitingData = z.output<typeof waitingShape>
export type AuditData = z.output<typeof auditShape>
