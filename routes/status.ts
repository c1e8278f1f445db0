import type { FastifyPluginAsync } from 'fastify'
import type {} from '../plugins/admission.ts'
import type {} from '../plugins/mooring.ts'
import type {} from '../plugins/places.ts'
import { isLive, type Lease } from '../src/leases/contract/lease.ts'
import { deviceStates, type PooledDevice } from '../src/leases/contract/lease-manager.ts'
import { Refusal } from '../src/refusals/refusal.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { packageVersion } from '../src/runtime/package-root.ts'
import { storeKinds } from '../src/store/store.ts'
import { leaseData, waitingData } from './operations/pool-data.ts'
import { addPoolSchemas, count, leaseSchema, waitingSchema } from './operations/pool-schemas.ts'

export interface StatusOptions {
  readonly clock: Clock
}

const status = {
  description: 'The server as it is now.',
  type: 'object',
  required: ['version', 'state', 'uptimeMs', 'requestsInFlight', 'subscriptions', 'devices', 'leases', 'queue', 'store'],
  properties: {
    version: { type: 'string' },
    state: { type: 'string', enum: ['starting', 'open', 'failed', 'draining'] },
    uptimeMs: { ...count, description: 'Milliseconds since the process began to serve.' },
    requestsInFlight: count,
    subscriptions: {
      type: 'object',
      required: ['streams', 'uris'],
      properties: {
        streams: { ...count, description: 'Open subscriptions/listen streams.' },
        uris: { ...count, description: 'Resources they subscribe to; one that two of them subscribe to counts twice.' }
      }
    },
    devices: {
      type: 'object',
      required: ['total', ...deviceStates],
      properties: { total: count, ...Object.fromEntries(deviceStates.map((state) => [state, count])) }
    },
    leases: {
      type: 'object',
      required: ['granted', 'awaitingOwner', 'held'],
      properties: {
        granted: count,
        awaitingOwner: { ...count, description: 'Leases from before a restart whose holders have not been heard of since.' },
        held: { type: 'array', items: leaseSchema }
      }
    },
    queue: {
      type: 'object',
      required: ['waiting', 'line'],
      properties: {
        waiting: { ...count, description: 'Requests that wait for devices.' },
        line: { type: 'array', description: 'In the order in which they would be served now.', items: waitingSchema }
      }
    },
    store: {
      type: 'object',
      required: ['kind', 'answering', 'writable'],
      properties: {
        kind: { type: 'string', enum: [...storeKinds] },
        answering: { type: 'boolean', description: 'Whether the database can be read.' },
        writable: { type: 'boolean', description: 'Whether changes can be recorded, grants among them.' },
        problem: { type: 'string', description: 'Why not.' }
      }
    }
  }
} as const

/** How much of what is in use: for operators, dashboards and `mooring status`. */
const statusRoute: FastifyPluginAsync<StatusOptions> = async function statusRoute (fastify, { clock }) {
  const startedMs = clock.monotonicMs()
  addPoolSchemas(fastify)

  fastify.get('/status', {
    schema: { operationId: 'status', summary: 'Devices, leases and the server itself', tags: ['operations'], response: { 200: status } }
  }, async () => {
    const { isAnswering, isWritable, problem } = await fastify.mooring.store.health()
    const devices = await fastify.mooring.leases.devices()
    const leases = isAnswering ? await liveLeases(devices) : leasesOf(devices)
    const waiting = fastify.mooring.leases.waiting()
    return {
      version: packageVersion,
      state: fastify.admission.state,
      uptimeMs: Math.round(clock.monotonicMs() - startedMs),
      requestsInFlight: fastify.places.inFlight,
      subscriptions: { streams: fastify.mooring.listenStreams.streams, uris: fastify.mooring.listenStreams.uris },
      devices: {
        total: devices.length,
        ...Object.fromEntries(deviceStates.map((state) => [state, devices.filter((device) => device.state === state).length]))
      },
      leases: {
        granted: leases.filter(({ state }) => state === 'granted').length,
        awaitingOwner: leases.filter(({ state }) => state === 'awaiting_owner').length,
        held: leases.map(leaseData)
      },
      queue: { waiting: waiting.length, line: waiting.map((request) => waitingData(request, clock.nowMs())) },
      store: { kind: fastify.mooring.store.kind, answering: isAnswering, writable: isWritable, problem }
    }
  })

  /** As they are recorded, or as this process knows them where the database cannot be read: a status is wanted most then. */
  async function liveLeases (devices: readonly PooledDevice[]): Promise<readonly Lease[]> {
    try {
      return await fastify.mooring.leases.list()
    } catch (refusal) {
      if (!(refusal instanceof Refusal) || refusal.kind !== 'unavailable') throw refusal
      return leasesOf(devices)
    }
  }
}

function leasesOf (devices: readonly PooledDevice[]): readonly Lease[] {
  return devices.flatMap(({ lease }) => lease !== undefined && isLive(lease) ? lease : [])
}

export default statusRoute
