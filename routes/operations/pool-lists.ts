import type { FastifyPluginAsync } from 'fastify'
import type {} from '../../plugins/mooring.ts'
import { DeviceUnknownRefusal } from '../../src/leases/contract/lease-refusals.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { auditData, deviceData, leaseData, waitingData } from './pool-data.ts'
import { addPoolSchemas, auditSchema, deviceSchema, leaseSchema, refusalSchema, waitingSchema } from './pool-schemas.ts'
import { strictValidation } from '../strict-validation.ts'

export interface PoolListOptions {
  readonly clock: Clock
}

/** What there is and what happened, of all principals, for operators: without the handles to act with. */
const poolLists: FastifyPluginAsync<PoolListOptions> = async function poolLists (fastify, { clock }) {
  addPoolSchemas(fastify)
  fastify.setValidatorCompiler(strictValidation)

  fastify.get('/devices', {
    schema: {
      operationId: 'devices',
      summary: 'All devices of the pool',
      tags: ['operations'],
      response: { 200: listOf('devices', deviceSchema, 'By id.') }
    }
  }, async () => ({ devices: (await fastify.mooring.leases.devices()).map(deviceData) }))

  fastify.get<{ Params: { readonly id: string } }>('/devices/:id', { schema: oneDevice }, async ({ params: { id } }) => {
    const device = (await fastify.mooring.leases.devices()).find(({ description }) => description.id === id)
    if (device === undefined) throw new DeviceUnknownRefusal(id)
    return { device: deviceData(device) }
  })

  fastify.get('/leases', {
    schema: {
      operationId: 'leases',
      summary: 'The leases of all holders that are not over',
      tags: ['operations'],
      response: { 200: listOf('leases', leaseSchema, 'The soonest to expire first.') }
    }
  }, async () => {
    await assertAnswering()
    return { leases: (await fastify.mooring.leases.list()).map(leaseData) }
  })

  fastify.get('/queue', {
    schema: {
      operationId: 'queue',
      summary: 'The requests that wait for devices',
      tags: ['operations'],
      response: { 200: listOf('waiting', waitingSchema, 'In the order in which they would be served now.') }
    }
  }, async () => ({ waiting: fastify.mooring.leases.waiting().map((request) => waitingData(request, clock.nowMs())) }))

  fastify.get<{ Querystring: { readonly limit: number, readonly before?: number } }>('/audit', { schema: auditPage }, async ({ query }) => {
    await assertAnswering()
    return { entries: (await fastify.mooring.leases.operations.audit(query)).map(auditData) }
  })

  /** Refuses for a database that hangs as soon as its health is known, where the read itself would wait longer. */
  async function assertAnswering () {
    const { isAnswering, refusal } = await fastify.mooring.store.health()
    if (!isAnswering && refusal !== undefined) throw refusal
  }
}

export default poolLists

const oneDevice = {
  operationId: 'device',
  summary: 'One device of the pool',
  tags: ['operations'],
  params: { type: 'object', properties: { id: { type: 'string', description: 'Id of the device.' } } },
  response: {
    200: { description: 'The device.', type: 'object', required: ['device'], properties: { device: deviceSchema } },
    404: { description: 'The pool has no such device.', ...refusalSchema }
  }
} as const

const auditPage = {
  operationId: 'audit',
  summary: 'What happened to devices and leases',
  tags: ['operations'],
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
      before: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only what is older: `id` of the last entry of the page before.' }
    }
  },
  response: { 200: listOf('entries', auditSchema, 'The latest first.'), 400: { description: 'The query is not understood.', ...refusalSchema } }
}

function listOf (name: string, items: object, description: string): object {
  return { description, type: 'object', required: [name], properties: { [name]: { type: 'array', items } } }
}
