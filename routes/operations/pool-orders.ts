/**
 * What operators do to devices, and to leases and requests of others.
 *
 * A caller with the token of the server is its operator: there is one token, and it can take any
 * phone anyway. What is done to devices and leases is audited with the principal that did it.
 */
import type { FastifyPluginAsync } from 'fastify'
import type {} from '../../plugins/bearer-auth.ts'
import body from '../../plugins/body.ts'
import type {} from '../../plugins/mooring.ts'
import plainJson from '../../plugins/plain-json.ts'
import { sendRefusal } from '../../plugins/refusal-reply.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { UnknownLeaseRefusal } from '../../src/leases/contract/lease-refusals.ts'
import { strictValidation } from '../strict-validation.ts'
import { findLease } from './lease-id.ts'
import {
  blockOrder, drainAllOrder, drainOrder, removeRequestOrder, retryOrder, revokeOrder, unblockOrder, undrainAllOrder, undrainOrder
} from './order-schemas.ts'
import { operator } from './operator.ts'
import { devicesData, leaseData, waitingData } from './pool-data.ts'
import { addPoolSchemas } from './pool-schemas.ts'

export interface PoolOrderOptions {
  readonly clock: Clock
  readonly bodyLimitBytes: number
}

interface Reason { readonly reason: string }
interface DrainTerms extends Reason { readonly deadlineMs?: number }
interface Named { readonly id: string }

const poolOrders: FastifyPluginAsync<PoolOrderOptions> = async function poolOrders (fastify, options) {
  addPoolSchemas(fastify)
  fastify.setValidatorCompiler(strictValidation)
  // Orders that need no reason take no body either, and must not be asked for its type.
  await fastify.register(ordersWithReason, options)

  fastify.post('/devices/undrain', { schema: undrainAllOrder }, async (request) => {
    return await devicesData(fastify.mooring.leases, await fastify.mooring.leases.operations.undrain({ by: operator(request) }))
  })

  fastify.post<{ Params: Named }>('/devices/:id/undrain', { schema: undrainOrder }, async (request) => {
    const { id: device } = request.params
    await fastify.mooring.leases.operations.undrain({ device, by: operator(request) })
    return await devicesData(fastify.mooring.leases, [device])
  })

  fastify.post<{ Params: Named }>('/devices/:id/unblock', { schema: unblockOrder }, async (request) => {
    const { id: device } = request.params
    await fastify.mooring.leases.operations.unblock({ device, by: operator(request) })
    return await devicesData(fastify.mooring.leases, [device])
  })

  fastify.post<{ Params: Named }>('/devices/:id/retry', { schema: retryOrder }, async (request) => {
    const { id: device } = request.params
    await fastify.mooring.leases.operations.retry({ device, by: operator(request) })
    return await devicesData(fastify.mooring.leases, [device])
  })
}

export default poolOrders

const ordersWithReason: FastifyPluginAsync<PoolOrderOptions> = async function ordersWithReason (fastify, { bodyLimitBytes, clock }) {
  await fastify.register(body, { limitBytes: bodyLimitBytes })
  await fastify.register(plainJson)

  fastify.post<{ Body: DrainTerms }>('/devices/drain', { schema: drainAllOrder }, async (request) => {
    return await devicesData(fastify.mooring.leases, await fastify.mooring.leases.operations.drain({ ...request.body, by: operator(request) }))
  })

  fastify.post<{ Params: Named, Body: DrainTerms }>('/devices/:id/drain', { schema: drainOrder }, async (request) => {
    const { id: device } = request.params
    await fastify.mooring.leases.operations.drain({ device, ...request.body, by: operator(request) })
    return await devicesData(fastify.mooring.leases, [device])
  })

  fastify.post<{ Params: Named, Body: Reason }>('/devices/:id/block', { schema: blockOrder }, async (request) => {
    const { id: device } = request.params
    await fastify.mooring.leases.operations.block({ device, ...request.body, by: operator(request) })
    return await devicesData(fastify.mooring.leases, [device])
  })

  fastify.post<{ Params: Named, Body: Reason }>('/leases/:id/revoke', { schema: revokeOrder }, async (request, reply) => {
    const lease = findLease(await fastify.mooring.leases.list(), request.params.id)
    if (lease === undefined) {
      return sendRefusal(reply, new UnknownLeaseRefusal(), 'GET /leases lists the leases there are with their ids, GET /audit tells how others ended.')
    }
    const revoked = await fastify.mooring.leases.operations.revoke({ handle: lease.handle, ...request.body, by: operator(request) })
    return { lease: leaseData(revoked) }
  })

  fastify.post<{ Params: Named, Body: Reason }>('/queue/:id/remove', { schema: removeRequestOrder }, async (request) => {
    const removed = await fastify.mooring.leases.operations.removeRequest({ id: request.params.id, ...request.body })
    return { request: waitingData(removed, clock.nowMs()) }
  })
}
