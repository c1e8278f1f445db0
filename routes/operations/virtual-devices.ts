import type { FastifyPluginAsync } from 'fastify'
import body from '../../plugins/body.ts'
import type {} from '../../plugins/mooring.ts'
import plainJson from '../../plugins/plain-json.ts'
import type { VirtualDeviceOrder, VirtualDevices } from '../../src/devices/virtual-devices.ts'
import { DeviceUnknownRefusal } from '../../src/leases/contract/lease-refusals.ts'
import { strictValidation } from '../strict-validation.ts'
import { operator } from './operator.ts'
import { addVirtualOrder, removeVirtualOrder } from './order-schemas.ts'
import { devicesData } from './pool-data.ts'
import { addPoolSchemas } from './pool-schemas.ts'

export interface VirtualDeviceOptions {
  readonly bodyLimitBytes: number
  readonly devices: VirtualDevices
}

interface Removal {
  readonly Params: { readonly id: string }
  readonly Querystring: { readonly reason: string, readonly lease: 'wait' | 'end' }
}

/** Virtual phones that operators add to the pool and take out of it while the gateway runs. */
const virtualDeviceOrders: FastifyPluginAsync<VirtualDeviceOptions> = async function virtualDeviceOrders (fastify, { bodyLimitBytes, devices }) {
  addPoolSchemas(fastify)
  fastify.setValidatorCompiler(strictValidation)
  await fastify.register(additions, { bodyLimitBytes, devices })

  fastify.delete<Removal>('/devices/virtual/:id', { schema: removeVirtualOrder }, async (request, reply) => {
    const { params: { id: device }, query: { reason, lease } } = request
    const isThere = await devices.remove({ device, reason, by: operator(request), lease: lease === 'end' ? 'ends' : 'goes_on' })
    if (!isThere) throw new DeviceUnknownRefusal(device)
    reply.code(202)
    return await devicesData(fastify.mooring.leases, [device])
  })
}

export default virtualDeviceOrders

const additions: FastifyPluginAsync<VirtualDeviceOptions> = async function additions (fastify, { bodyLimitBytes, devices }) {
  await fastify.register(body, { limitBytes: bodyLimitBytes })
  await fastify.register(plainJson)

  fastify.post<{ Body: Omit<VirtualDeviceOrder, 'by'> }>('/devices/virtual', { schema: addVirtualOrder }, async (request, reply) => {
    const { id } = await devices.add({ ...request.body, by: operator(request) })
    const { devices: [device] } = await devicesData(fastify.mooring.leases, [id])
    reply.code(201)
    return { device }
  })
}
