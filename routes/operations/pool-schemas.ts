/**
 * What operators are told of the pool, as JSON schemas: for the document, and for what is sent.
 * Each stands in the document once; routes refer to it.
 */
import type { FastifyInstance } from 'fastify'
import { deviceStates } from '../../src/leases/contract/lease-manager.ts'
import { holdKinds } from '../../src/leases/contract/lease-machine.ts'
import { endReasons, leaseStates } from '../../src/leases/contract/lease.ts'

export const count = { type: 'integer', minimum: 0 } as const
const instant = { type: 'string', format: 'date-time' } as const
const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const holder = { type: 'string', description: 'Label of the principal.' } as const
const priority = { type: 'string', enum: ['low', 'normal', 'high'] } as const
const purpose = { type: 'string', description: 'What it is for, in the words of the caller that asked for it.' } as const

const lease = {
  $id: 'Lease',
  type: 'object',
  required: ['id', 'handle', 'device', 'fence', 'state', 'holder', 'priority', 'grantedAt', 'expiresAt'],
  properties: {
    id: { type: 'string', description: 'Names the lease to operators, for ever. It is no handle: no call can act with it.' },
    handle: { type: 'string', description: 'How the handle begins, to find the lease that a holder or the log speaks of.' },
    device: text,
    fence: count,
    state: { type: 'string', enum: leaseStates },
    holder,
    purpose,
    priority,
    grantedAt: instant,
    expiresAt: { ...instant, description: 'When it ends unless something moves that: the earliest of its expiry, which use and renewal move, its idle time, which only acting on the device moves, and its full length.' },
    end: {
      type: 'object',
      required: ['reason', 'at'],
      properties: { reason: { type: 'string', enum: endReasons }, at: instant, note: { type: 'string', description: 'What the operator said.' } }
    }
  }
} as const

const device = {
  $id: 'Device',
  type: 'object',
  required: ['id', 'name', 'platform', 'kind', 'model', 'os', 'labels', 'state', 'failures', 'holds'],
  properties: {
    id: text,
    name: text,
    platform: text,
    kind: text,
    model: text,
    os: text,
    labels: texts,
    state: { type: 'string', enum: deviceStates },
    reason: { type: 'string', description: 'Why it is quarantined, offline or gone.' },
    failures: { ...count, description: 'How often in a row it could not be put back; 0 once it could.' },
    holds: {
      type: 'array',
      description: 'Why it is not granted now, and who ordered that: at most one of each kind, each to be lifted by its own order.',
      items: {
        type: 'object',
        required: ['kind', 'reason', 'by', 'at'],
        properties: {
          kind: { type: 'string', enum: holdKinds },
          reason: text,
          by: holder,
          at: instant,
          deadline: { ...instant, description: 'When a drain ends the lease that is left.' }
        }
      }
    },
    lease: { description: 'The lease that holds it, or that it is being cleaned up after.', $ref: 'Lease#' }
  }
} as const

const selector = {
  $id: 'Selector',
  type: 'object',
  properties: { device: text, platform: text, kind: text, model: text, os: text, labels: texts, withoutLabels: texts }
} as const

const waiting = {
  $id: 'WaitingRequest',
  type: 'object',
  required: ['id', 'position', 'holder', 'priority', 'wanted', 'since', 'waitedMs'],
  properties: {
    id: { type: 'string', description: 'Means one request for ever; orders take it.' },
    position: { type: 'integer', minimum: 1, description: 'Its position as things are now.' },
    holder,
    purpose,
    priority,
    wanted: { type: 'array', description: 'What it asks for: all of these devices or none.', items: { $ref: 'Selector#' } },
    since: instant,
    waitedMs: count,
    estimateMs: { ...count, description: 'How much longer it may take; absent where nothing says.' }
  }
} as const

const audit = {
  $id: 'AuditEntry',
  type: 'object',
  required: ['id', 'at', 'event'],
  properties: {
    id: count,
    at: instant,
    event: text,
    device: text,
    lease: { type: 'string', description: 'How the handle begins.' },
    holder,
    by: { type: 'string', description: 'Label of the operator.' },
    reason: text
  }
} as const

const refusal = {
  $id: 'Refusal',
  type: 'object',
  required: ['error'],
  additionalProperties: true,
  properties: {
    error: { type: 'string', description: 'What is wrong, in one sentence.' },
    code: { type: 'string', description: 'Stable; docs/errors.md lists them.' },
    retryable: { type: 'boolean', description: 'Whether the same request can work later.' },
    retryAfterMs: count,
    nextAction: { type: 'string', description: 'What to do instead.' }
  }
} as const

export const leaseSchema = { $ref: 'Lease#' } as const
export const deviceSchema = { $ref: 'Device#' } as const
export const waitingSchema = { $ref: 'WaitingRequest#' } as const
export const auditSchema = { $ref: 'AuditEntry#' } as const
export const refusalSchema = { $ref: 'Refusal#' } as const

/** Makes them known where routes refer to them. */
export function addPoolSchemas (fastify: FastifyInstance): void {
  for (const schema of [lease, device, selector, waiting, audit, refusal]) fastify.addSchema(schema)
}
