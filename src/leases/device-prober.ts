import type { DeviceDriver } from '../devices/device-driver.ts'
import { DeviceOfflineRefusal } from '../devices/device-refusals.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { backOffMs } from './back-off.ts'
import { DeadlinePassed, within } from './deadline.ts'
import { failureFields, type Log } from './log.ts'

const lookAgain = { firstMs: 1_000, longestMs: 30_000 }

/**
 * What a look found: the device with its boot id; that it does not answer; or nothing, because
 * the look itself failed. That we could not look does not mean that it is not there.
 */
export type Sighting = { readonly bootId: string } | 'away' | 'unseen'

export interface Absence {
  readonly reason: string
  /** Since when it is known not to answer; undefined when the last look failed. */
  readonly awaySinceMs: number | undefined
  readonly nextLookAtMs: number
}

/**
 * Finds out whether devices are there.
 *
 * A device that was not seen is offline: it is passed over until a later look, 1 s after the
 * first failure and up to 30 s after many, finds it again. Somebody may ask in between, which
 * finds it as well, but does not put off the next look: only looks of our own are counted.
 */
export interface DeviceProber {
  probe (driver: DeviceDriver): Promise<Sighting>
  /** Why it is offline and when it is looked for next; undefined when it is not. */
  offline (deviceId: string): Absence | undefined
  stop (): void
}

export function createDeviceProber ({ scheduler, nowMs, limitMs, log, onChange, onLook }: {
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly limitMs: number
  readonly log: Log
  /** A device went offline or came back. */
  readonly onChange: (deviceId: string) => void
  /** Told what each look has found, after `onChange`. */
  readonly onLook: (deviceId: string, sighting: Sighting) => void
}): DeviceProber {
  const probes = new Map<string, { readonly controller: AbortController, readonly sighting: Promise<Sighting> }>()
  const absences = new Map<string, Absence & { readonly failures: number, readonly cancel: Cancel }>()
  /** Devices whose next look is due, so that the one under way is it. */
  const due = new Set<string>()
  let stopped = false

  async function look (driver: DeviceDriver, controller: AbortController): Promise<Sighting> {
    const deviceId = driver.description.id
    let sighting: Sighting
    try {
      sighting = { bootId: await within({ scheduler, limitMs, controller }, (signal) => driver.bootId(signal)) }
      const absence = absences.get(deviceId)
      if (absence !== undefined) {
        absence.cancel()
        absences.delete(deviceId)
        due.delete(deviceId)
        log.info({ device: deviceId }, 'device answers again')
        onChange(deviceId)
      }
    } catch (cause) {
      sighting = cause instanceof DeviceOfflineRefusal || cause instanceof DeadlinePassed ? 'away' : 'unseen'
      if (stopped) return sighting
      lookAgainLater(driver, sighting, cause)
    }
    onLook(deviceId, sighting)
    return sighting
  }

  function lookAgainLater (driver: DeviceDriver, sighting: Sighting, cause: unknown) {
    const deviceId = driver.description.id
    const before = absences.get(deviceId)
    const found = sighting === 'away'
      ? { reason: 'The device does not answer.', awaySinceMs: before?.awaySinceMs ?? nowMs() }
      : { reason: 'The device could not be looked at.', awaySinceMs: undefined }
    if (!due.delete(deviceId) && before !== undefined) {
      absences.set(deviceId, { ...before, ...found })
      return
    }
    const failures = (before?.failures ?? 0) + 1
    const waitMs = backOffMs(lookAgain, failures)
    absences.set(deviceId, {
      failures,
      ...found,
      nextLookAtMs: nowMs() + waitMs,
      cancel: scheduler.after(waitMs, () => {
        due.add(deviceId)
        probe(driver).catch((fault: unknown) => log.error({ device: deviceId, err: fault }, 'look at device broke off'))
      })
    })
    if (failures > 1) return
    log.warn({ device: deviceId, ...failureFields(cause) }, 'device does not answer')
    onChange(deviceId)
  }

  // Whoever asks while a probe is under way gets its answer: a crowd of requests costs one look.
  function probe (driver: DeviceDriver): Promise<Sighting> {
    const deviceId = driver.description.id
    const underWay = probes.get(deviceId)
    if (underWay !== undefined) return underWay.sighting
    const controller = new AbortController()
    const sighting = look(driver, controller).finally(() => probes.delete(deviceId))
    probes.set(deviceId, { controller, sighting })
    return sighting
  }

  return {
    probe,
    offline: (deviceId) => absences.get(deviceId),

    stop () {
      stopped = true
      for (const { cancel } of absences.values()) cancel()
      for (const { controller } of probes.values()) controller.abort(new Error('stopped'))
    }
  }
}
