import fp from 'fastify-plugin'
import type { Clock } from '../src/runtime/clock.ts'
import type { Ids } from '../src/runtime/ids.ts'
import { packageVersion } from '../src/runtime/package-root.ts'
import type { Scheduler } from '../src/runtime/scheduler.ts'
import type { OpenTelemetry } from '../src/telemetry/open-telemetry.ts'
import type { Operations } from '../src/telemetry/operations.ts'
import { telemetryTargets, type TelemetrySettings } from '../src/telemetry/telemetry-settings.ts'

export interface Telemetry {
  /** Whether anything is measured. */
  readonly isOn: boolean
  /** Undefined where nothing is measured, and before the start-up. */
  readonly operations: Operations | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    telemetry: Telemetry
  }
}

export interface TelemetryOptions {
  readonly settings: TelemetrySettings
  /** How long sending the rest may take when the server closes. */
  readonly flushMs: number
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
}

/** Owns what is measured of requests: `fastify.telemetry`. Without an endpoint there is nothing to own. */
export default fp<TelemetryOptions>(async function telemetry (fastify, { settings, flushMs, clock, scheduler, ids }) {
  const { traces, metrics } = telemetryTargets(settings)
  const isOn = traces !== undefined || metrics !== undefined
  let opened: OpenTelemetry | undefined

  fastify.decorate('telemetry', {
    isOn,
    get operations () { return opened?.operations }
  })
  if (!isOn) return

  fastify.onStartUp(async () => {
    const { openTelemetry } = await loadOpenTelemetry()
    opened = openTelemetry({
      settings,
      version: packageVersion,
      instanceId: ids.bytes(16).toString('hex'),
      hashKey: ids.bytes(32),
      flushMs,
      clock,
      scheduler,
      log: fastify.log
    })
    fastify.log.info({ spans: traces?.origin, durations: metrics?.origin }, 'telemetry is sent')
  })

  fastify.addHook('onClose', async () => await opened?.close())
}, { name: 'telemetry', fastify: '5.x', dependencies: ['lifecycle'] })

/** Reads the SDK, which takes a moment and some megabytes. */
async function loadOpenTelemetry () {
  return await import('../src/telemetry/open-telemetry.ts')
}
