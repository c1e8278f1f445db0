/** What the orders of operators look like, as JSON schemas. */
import { platforms } from '../../src/devices/device-types.ts'
import { deviceSchema, leaseSchema, refusalSchema, waitingSchema } from './pool-schemas.ts'

const refusalTexts = {
  400: 'The body is not understood.',
  404: 'There is no such device, or no such lease or request any more.',
  409: 'Not as things are now.',
  413: 'The body is too large.',
  415: 'The body is no JSON.',
  429: 'There are as many as there may be.',
  503: 'The server is starting or stopping.'
} as const

const refusals = (...statuses: ReadonlyArray<keyof typeof refusalTexts>): object => Object.fromEntries(
  statuses.map((status) => [status, { description: refusalTexts[status], ...refusalSchema }])
)

// Agents read it in their refusals, and people in terminals: one line, in which nothing hides or pretends.
const reason = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u{E0000}-\\u{E007F}]*$',
  description: 'The reason, for readers of the audit and for callers that are refused: one line without control characters.'
} as const

const reasonBody = { type: 'object', additionalProperties: false, required: ['reason'], properties: { reason } } as const

const drainBody = {
  ...reasonBody,
  properties: {
    reason,
    deadlineMs: {
      type: 'integer',
      minimum: 0,
      maximum: 604_800_000,
      description: 'Milliseconds until leases that go on are ended. Without it they end by themselves.'
    }
  }
} as const

const deviceParams = { type: 'object', properties: { id: { type: 'string', description: 'Id of the device.' } } } as const
const leaseParams = { type: 'object', properties: { id: { type: 'string', description: '`id` of the lease in GET /leases, such as `virtual-android-1:7`; no handle.' } } } as const

const requestParams = { type: 'object', properties: { id: { type: 'string', description: '`id` of the request in GET /queue.' } } } as const

// Agents read these too, as what a phone is called.
const oneLine = (maxLength: number, description: string) => ({ ...reason, maxLength, description }) as const

const virtualDeviceBody = {
  type: 'object',
  additionalProperties: false,
  required: ['platform'],
  properties: {
    platform: { type: 'string', enum: platforms },
    name: oneLine(60, 'What it is called; without it, its platform and number.'),
    model: oneLine(60, 'The model that it is found by; without it, that of the platform.'),
    labels: {
      type: 'array', maxItems: 16, uniqueItems: true, items: oneLine(64, 'A label that it is found by.'), description: 'Besides `virtual`, which each has.'
    }
  }
} as const

/** In the query: what a DELETE has for a body, servers and proxies on the way may drop. */
const removalQuery = {
  ...reasonBody,
  properties: {
    reason,
    lease: {
      type: 'string', enum: ['wait', 'end'], default: 'wait', description: 'Whether it waits for the end of its lease, or ends that as `drained`.'
    }
  }
} as const

const device = { type: 'object', required: ['device'], properties: { device: deviceSchema } } as const

const devices = {
  description: 'The devices that it was about, as they are now.',
  type: 'object',
  required: ['devices'],
  properties: { devices: { type: 'array', items: deviceSchema } }
} as const

const lease = { description: 'The lease, which is over.', type: 'object', required: ['lease'], properties: { lease: leaseSchema } } as const

const request = {
  description: 'The request, as it was.', type: 'object', required: ['request'], properties: { request: waitingSchema }
} as const

const tags = ['operations']
const plain = { tags, response: { 200: devices, ...refusals(404, 409, 503) } }
const withReason = { tags, body: reasonBody, response: { 200: devices, ...refusals(400, 404, 409, 413, 415, 503) } }

export const drainAllOrder = { ...withReason, operationId: 'drainAll', summary: 'Grant no more leases on any device', body: drainBody }
export const drainOrder = { ...withReason, operationId: 'drain', summary: 'Grant no more leases on a device', body: drainBody, params: deviceParams }
export const blockOrder = { ...withReason, operationId: 'block', summary: 'Keep a device from being leased until it is unblocked', params: deviceParams }
export const revokeOrder = {
  ...withReason, operationId: 'revoke', summary: 'End a lease of another principal', params: leaseParams, response: { ...withReason.response, 200: lease }
}
export const removeRequestOrder = {
  ...withReason,
  operationId: 'removeRequest',
  summary: 'Take a request out of the queue',
  params: requestParams,
  response: { ...withReason.response, 200: request }
}
export const addVirtualOrder = {
  ...withReason,
  operationId: 'addVirtualDevice',
  summary: 'Add a virtual phone to the pool',
  body: virtualDeviceBody,
  response: { 201: { description: 'The phone, which can be leased.', ...device }, ...refusals(400, 413, 415, 429, 503) }
}
export const removeVirtualOrder = {
  tags,
  operationId: 'removeVirtualDevice',
  summary: 'Take a virtual phone out of the pool',
  params: deviceParams,
  querystring: removalQuery,
  response: {
    202: {
      ...devices,
      description: 'It is not granted any more, and leaves when its lease is over and it is clean. The phone as it is now; none when it has left.'
    },
    ...refusals(404, 503),
    400: { description: 'The query is not understood.', ...refusalSchema }
  }
}
export const undrainAllOrder = { ...plain, operationId: 'undrainAll', summary: 'Let all drained devices be leased again' }
export const undrainOrder = { ...plain, operationId: 'undrain', summary: 'Let a drained device be leased again', params: deviceParams }
export const unblockOrder = { ...plain, operationId: 'unblock', summary: 'Let a blocked device be leased again', params: deviceParams }
export const retryOrder = { ...plain, operationId: 'retry', summary: 'Try a quarantined or offline device again now', params: deviceParams }
