import type { Clock } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import { packageVersion } from '../runtime/package-root.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { Service } from '../runtime/services.ts'
import type { OpenTelemetry } from './open-telemetry.ts'
import type { Operations } from './operations.ts'
import type { SenderLog } from './otlp-sender.ts'
import { telemetryTargets, type TelemetrySettings } from './telemetry-settings.ts'

/** What is measured of requests. */
export interface Telemetry {
  /** Whether anything is measured. */
  readonly isOn: boolean
  /** Undefined where nothing is measured, and before the start. */
  readonly operations: Operations | undefined
}

export interface TelemetryParts {
  readonly settings: TelemetrySettings
  /** How long sending the rest may take at the stop. */
  readonly flushMs: number
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly ids: Ids
  readonly log: SenderLog
}

/** Telemetry as a service. Without an endpoint nothing is opened. */
export function createTelemetry ({ settings, flushMs, clock, scheduler, ids, log }: TelemetryParts): Telemetry & Service {
  const { traces, metrics } = telemetryTargets(settings)
  const isOn = traces !== undefined || metrics !== undefined
  let opened: OpenTelemetry | undefined

  return {
    name: 'telemetry',
    isOn,
    get operations () { return opened?.operations },
    async start () {
      if (!isOn) return
      const { openTelemetry } = await loadOpenTelemetry()
      opened = openTelemetry({
        settings,
        version: packageVersion,
        instanceId: ids.bytes(16).toString('hex'),
        hashKey: ids.bytes(32),
        flushMs,
        clock,
        scheduler,
        log
      })
      log.info({ spans: traces?.origin, durations: metrics?.origin }, 'telemetry is sent')
    },
    stop: async () => await opened?.close()
  }
}

/** Reads the SDK, which takes a moment and some megabytes. */
async function loadOpenTelemetry () {
  return await import('./open-telemetry.ts')
}
