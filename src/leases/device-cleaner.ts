import type { FencedDriver } from '../devices/fenced-driver.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { backOffMs } from './back-off.ts'
import type { ChangeLedger } from './cleanup/change-ledger.ts'
import { cleanDevice, type CleanupProgress } from './cleanup/clean-device.ts'
import type { CleanupLevel } from './cleanup/cleanup-level.ts'
import { DeadlinePassed, within } from './deadline.ts'
import type { Lease } from './contract/lease.ts'
import type { DeviceRecord } from './contract/lease-machine.ts'
import type { LeaseStore } from './contract/lease-store.ts'
import { failureFields, type Log } from './log.ts'

const tryAgain = { firstMs: 5_000, longestMs: 600_000 }
// Devices that fail together, for one reason, do not try again together.
const jitterShare = 0.2
const mostReasons = 3

export interface Cleanup {
  /** What was put back, in short phrases. */
  readonly cleaned: readonly string[]
  /** What could not be, with the reason; empty unless the device went into quarantine. */
  readonly failed: readonly string[]
  /** The lease it was for, now ended; undefined when this could not be recorded. */
  readonly lease: Lease | undefined
}

/**
 * Puts devices in order after a lease.
 *
 * A device that cannot be put in order in time is quarantined and tried again 5 s after the first
 * failure, and up to 10 minutes after many, until it succeeds; each wait is up to a fifth shorter
 * than that. Nobody gets it meanwhile: that it is dirty is recorded before its cleanup starts,
 * and only success takes the mark away.
 */
export interface DeviceCleaner {
  /**
   * Cleans the device as it is recorded now, at the usual level unless another is named. Resolves
   * however that goes. Whoever asks while it is being cleaned gets what comes of that.
   */
  clean (device: DeviceRecord, level?: CleanupLevel): Promise<Cleanup>
  /** Cleans the device for nobody in particular; a quarantined one is tried now instead of later. */
  begin (device: DeviceRecord, level?: CleanupLevel): void
  /** The cleanup under way on a device, for whoever wants to wait for it too. */
  underWay (deviceId: string): Promise<Cleanup> | undefined
  /** When a quarantined device is tried next. */
  nextTryAtMs (deviceId: string): number | undefined
  /** Breaks off what is under way, and leaves it recorded as not done. */
  stop (): Promise<void>
}

export function createDeviceCleaner ({ store, ledger, drivers, scheduler, nowMs, chance, usualLevel, limitMs, log }: {
  readonly store: LeaseStore
  readonly ledger: ChangeLedger
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  /** A random number from 0 up to but not including 1. */
  readonly chance: () => number
  readonly usualLevel: CleanupLevel
  readonly limitMs: number
  readonly log: Log
}): DeviceCleaner {
  const cleanups = new Map<string, { readonly fence: number, readonly controller: AbortController, readonly done: Promise<Cleanup> }>()
  const retries = new Map<string, { readonly atMs: number, readonly cancel: Cancel }>()
  const failuresInARow = new Map<string, number>()
  let stopped = false

  async function tryToClean (device: DeviceRecord, level: CleanupLevel, controller: AbortController): Promise<Cleanup> {
    const { id: deviceId, fence } = device
    const driver = drivers.get(deviceId)
    const progress: CleanupProgress = { cleaned: [], failures: [] }
    try {
      if (driver === undefined) {
        const reason = 'The device is not in the pool.'
        const left = await store.change({ type: 'quarantine', deviceId, fence, reason, nowMs: nowMs() })
        return { cleaned: [], failed: [reason], lease: left?.lease }
      }
      await within({ scheduler, limitMs, controller }, (signal) => cleanDevice({ driver, ledger, scheduler, level, fence, progress }, signal))
      if (progress.failures.length > 0) return await failed(device, level, progress)
      const settled = await store.change({ type: 'settle', deviceId, fence, nowMs: nowMs() })
      if (failuresInARow.delete(deviceId)) log.info({ device: deviceId }, 'device leaves quarantine')
      return { cleaned: progress.cleaned, failed: [], lease: settled?.lease }
    } catch (cause) {
      // Copied: a step that does not notice the abort may still come to an end.
      return await failed(device, level, { cleaned: [...progress.cleaned], failures: [...progress.failures, { cause }] })
    }
  }

  async function failed (device: DeviceRecord, level: CleanupLevel, { cleaned, failures: faults }: CleanupProgress): Promise<Cleanup> {
    const told = faults.map(tell)
    if (stopped) return { cleaned, failed: told, lease: undefined }
    const { id: deviceId, fence } = device
    const failures = (failuresInARow.get(deviceId) ?? 0) + 1
    failuresInARow.set(deviceId, failures)
    for (const { step, cause } of faults) {
      log.warn({ device: deviceId, failures, ...(step === undefined ? {} : { step }), ...failureFields(cause) }, 'device could not be cleaned')
    }
    const longestMs = backOffMs(tryAgain, failures)
    const waitMs = longestMs - Math.round(longestMs * jitterShare * chance())
    retries.set(deviceId, {
      atMs: nowMs() + waitMs,
      cancel: scheduler.after(waitMs, () => begin(device, level))
    })
    try {
      const more = told.length > mostReasons ? ` And ${told.length - mostReasons} more.` : ''
      const reason = `Cleanup failed: ${told.slice(0, mostReasons).join(' ')}${more}`
      const quarantined = await store.change({ type: 'quarantine', deviceId, fence, reason, nowMs: nowMs() })
      return { cleaned, failed: told, lease: quarantined?.lease }
    } catch (storageFault) {
      // The row still says that the device is dirty, which is what counts.
      log.error({ device: deviceId, err: storageFault }, 'quarantine could not be recorded')
      return { cleaned, failed: told, lease: undefined }
    }
  }

  function clean (device: DeviceRecord, level = usualLevel): Promise<Cleanup> {
    const { id, fence } = device
    const underWay = cleanups.get(id)
    if (underWay?.fence === fence) return underWay.done
    retries.get(id)?.cancel()
    retries.delete(id)
    const controller = new AbortController()
    const done = tryToClean(device, level, controller).finally(() => {
      if (cleanups.get(id)?.done === done) cleanups.delete(id)
    })
    cleanups.set(id, { fence, controller, done })
    return done
  }

  function begin (device: DeviceRecord, level = usualLevel) {
    clean(device, level).catch((fault: unknown) => log.error({ device: device.id, err: fault }, 'cleanup broke off'))
  }

  return {
    clean,
    begin,
    underWay: (deviceId) => cleanups.get(deviceId)?.done,
    nextTryAtMs: (deviceId) => retries.get(deviceId)?.atMs,

    async stop () {
      stopped = true
      for (const { cancel } of retries.values()) cancel()
      for (const { controller } of cleanups.values()) controller.abort(new Error('stopped'))
      await Promise.all([...cleanups.values()].map(({ done }) => done))
    }
  }
}

function tell ({ step, cause }: CleanupProgress['failures'][number]): string {
  // Nothing else is worded for other people's eyes.
  const reason = cause instanceof Refusal || cause instanceof DeadlinePassed ? cause.message : 'the log says why.'
  return step === undefined ? reason : `${step}: ${reason}`
}
