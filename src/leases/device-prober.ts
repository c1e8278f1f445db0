import type { DeviceDriver } from '../devices/device-driver.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { backOffMs } from './back-off.ts'
import { within } from './deadline.ts'
import { failureFields, type Log } from './log.ts'

const lookAgain = { firstMs: 1_000, longestMs: 30_000 }

/**
 * Finds out whether free devices are there.
 *
 * A device that does not answer is offline: it is passed over until a later look, 1 s after the
 * first failure and up to 30 s after many, finds it again.
 */
export interface DeviceProber {
  /** The device's boot id; undefined when it does not answer, and is now offline. */
  probe (driver: DeviceDriver): Promise<string | undefined>
  isProbing (deviceId: string): boolean
  /** Why it is offline and when it is looked for next; undefined when it is not. */
  offline (deviceId: string): { readonly reason: string, readonly nextLookAtMs: number } | undefined
  stop (): void
}

export function createDeviceProber ({ scheduler, nowMs, limitMs, log, onChange }: {
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly limitMs: number
  readonly log: Log
  /** A device went offline or came back. */
  readonly onChange: (deviceId: string) => void
}): DeviceProber {
  const probes = new Map<string, { readonly controller: AbortController, readonly bootId: Promise<string | undefined> }>()
  const absences = new Map<string, { readonly failures: number, readonly nextLookAtMs: number, readonly cancel: Cancel }>()
  let stopped = false

  async function look (driver: DeviceDriver, controller: AbortController): Promise<string | undefined> {
    const deviceId = driver.description.id
    try {
      const bootId = await within({ scheduler, limitMs, controller }, (signal) => driver.bootId(signal))
      if (absences.delete(deviceId)) {
        log.info({ device: deviceId }, 'device answers again')
        onChange(deviceId)
      }
      return bootId
    } catch (cause) {
      if (!stopped) lookAgainLater(driver, cause)
      return undefined
    }
  }

  function lookAgainLater (driver: DeviceDriver, cause: unknown) {
    const deviceId = driver.description.id
    const failures = (absences.get(deviceId)?.failures ?? 0) + 1
    const waitMs = backOffMs(lookAgain, failures)
    absences.set(deviceId, {
      failures,
      nextLookAtMs: nowMs() + waitMs,
      cancel: scheduler.after(waitMs, () => {
        probe(driver).catch((fault: unknown) => log.error({ device: deviceId, err: fault }, 'look at device broke off'))
      })
    })
    if (failures > 1) return
    log.warn({ device: deviceId, ...failureFields(cause) }, 'device does not answer')
    onChange(deviceId)
  }

  // Whoever asks while a probe is under way gets its answer: a crowd of requests costs one look.
  function probe (driver: DeviceDriver): Promise<string | undefined> {
    const deviceId = driver.description.id
    const underWay = probes.get(deviceId)
    if (underWay !== undefined) return underWay.bootId
    const controller = new AbortController()
    const bootId = look(driver, controller).finally(() => probes.delete(deviceId))
    probes.set(deviceId, { controller, bootId })
    return bootId
  }

  return {
    probe,
    isProbing: (deviceId) => probes.has(deviceId),

    offline (deviceId) {
      const absence = absences.get(deviceId)
      return absence && { reason: 'The device does not answer.', nextLookAtMs: absence.nextLookAtMs }
    },

    stop () {
      stopped = true
      for (const { cancel } of absences.values()) cancel()
      for (const { controller } of probes.values()) controller.abort(new Error('stopped'))
    }
  }
}
