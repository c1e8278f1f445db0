import type { FastifyPluginAsync } from 'fastify'
import type {} from '../plugins/admission.ts'
import type {} from '../plugins/events.ts'
import type {} from '../plugins/leases.ts'
import type {} from '../plugins/store.ts'
import { deviceStates } from '../src/leases/lease-manager.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { packageVersion } from '../src/runtime/package-root.ts'

export interface StatusOptions {
  readonly clock: Clock
}

const count = { type: 'integer', minimum: 0 } as const

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
    leases: { type: 'object', required: ['granted'], properties: { granted: count } },
    queue: {
      type: 'object',
      required: ['waiting'],
      properties: { waiting: { ...count, description: 'Acquisitions that have been asked for and are not decided.' } }
    },
    store: {
      type: 'object',
      required: ['kind', 'answering'],
      properties: { kind: { type: 'string', enum: ['sqlite'] }, answering: { type: 'boolean' } }
    }
  }
} as const

/** Who holds how much of what: for operators, dashboards and `mooring status`. */
const statusRoute: FastifyPluginAsync<StatusOptions> = async function statusRoute (fastify, { clock }) {
  const startedMs = clock.monotonicMs()

  fastify.get('/status', {
    schema: { operationId: 'status', summary: 'Devices, leases and the server itself', tags: ['operations'], response: { 200: status } }
  }, async () => {
    const [devices, leases, answering] = await Promise.all([
      fastify.leases.devices(), fastify.leases.list(), fastify.store.isAnswering()
    ])
    return {
      version: packageVersion,
      state: fastify.admission.state,
      uptimeMs: Math.round(clock.monotonicMs() - startedMs),
      requestsInFlight: fastify.admission.inFlight,
      subscriptions: { streams: fastify.listenStreams.streams, uris: fastify.listenStreams.uris },
      devices: {
        total: devices.length,
        ...Object.fromEntries(deviceStates.map((state) => [state, devices.filter((device) => device.state === state).length]))
      },
      leases: { granted: leases.length },
      queue: { waiting: fastify.leases.acquiring },
      store: { kind: 'sqlite', answering }
    }
  })
}

export default statusRoute
