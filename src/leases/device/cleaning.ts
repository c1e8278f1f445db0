import type { FencedDriver } from '../../devices/fenced-driver.ts'
import { DeviceOfflineRefusal } from '../../devices/device-refusals.ts'
import { Refusal } from '../../refusals/refusal.ts'
import type { ChangeLedger } from '../cleanup/change-ledger.ts'
import { cleanDevice, type CleanupProgress } from '../cleanup/clean-device.ts'
import type { CleanupLevel } from '../cleanup/cleanup-level.ts'
import type { LeaseContext } from '../context.ts'
import type { Lease } from '../contract/lease.ts'
import type { DeviceRecord, LeaseEvent, Occupancy } from '../contract/lease-machine.ts'
import { DeadlinePassed, within } from '../deadline.ts'
import { failureFields } from '../log.ts'
import { createBackOff } from './back-off.ts'

const tryAgain = { firstMs: 5_000, longestMs: 600_000, jitter: 0.2 }
const mostReasons = 3
const offlineRetryMs = 5_000

export interface Cleanup {
  /** What was put back, in short phrases. */
  readonly cleaned: readonly string[]
  /** What could not be put back, with the reason; empty unless the device went into quarantine. */
  readonly failed: readonly string[]
  /** The lease it was for, now ended; undefined when this could not be recorded. */
  readonly lease: Lease | undefined
}

/**
 * Puts one device in order after its lease.
 *
 * A device that cannot be put in order in time is quarantined. The next try comes 5 s after the
 * first failure, and up to 10 minutes after many, until one succeeds; each wait is up to a fifth
 * shorter than that. The device is not granted meanwhile: that it is dirty is recorded before its
 * cleanup starts, and only success takes the mark away.
 *
 * A device without a driver fails at once and is not tried again by itself. Its lane starts a
 * cleanup when it is back.
 */
export interface Cleaning {
  readonly isUnderWay: boolean
  /** When the device is tried next, after a failure. */
  readonly nextTryAtMs: number | undefined
  /** Why the last cleanup failed, as long as the quarantine that follows from it could not be recorded. */
  readonly unrecordedFailure: string | undefined
  /** The cleanup under way, or else the last one, that ran with this fencing token. */
  of (fence: number): Promise<Cleanup> | undefined
  /**
   * Cleans the device as it is recorded now, at the usual level unless another is named. A cleanup
   * under way is joined. Resolves however that goes.
   */
  start (device: DeviceRecord, level?: CleanupLevel): Promise<Cleanup>
  /** Breaks off what is under way: the device cannot be reached as before. */
  interrupt (): void
  /** Breaks off what is under way, and leaves it recorded as not done. */
  stop (): Promise<void>
}

export interface CleaningParts {
  readonly context: LeaseContext
  readonly ledger: ChangeLedger
  readonly deviceId: string
  readonly driver: () => FencedDriver | undefined
  readonly change: (event: LeaseEvent) => Promise<Occupancy | undefined>
  readonly usualLevel: CleanupLevel
  readonly limitMs: number
}

interface Run {
  readonly fence: number
  readonly controller: AbortController
  done: Promise<Cleanup>
}

export function createCleaning ({ context, ledger, deviceId, driver, change, usualLevel, limitMs }: CleaningParts): Cleaning {
  const { scheduler, nowMs, log, inBackground } = context
  const backOff = createBackOff(context, tryAgain)
  let last: Run | undefined
  let isUnderWay = false
  let unrecordedFailure: string | undefined
  let stopped = false

  function start (device: DeviceRecord, level = usualLevel): Promise<Cleanup> {
    if (isUnderWay && last?.fence === device.fence) return last.done
    backOff.cancel()
    unrecordedFailure = undefined
    const controller = new AbortController()
    const run: Run = { fence: device.fence, controller, done: Promise.resolve({ cleaned: [], failed: [], lease: undefined }) }
    last = run
    isUnderWay = true
    run.done = clean(device, level, controller).finally(() => {
      if (last === run) isUnderWay = false
    })
    return run.done
  }

  async function clean (device: DeviceRecord, level: CleanupLevel, controller: AbortController): Promise<Cleanup> {
    const { fence } = device
    const reached = driver()
    const progress: CleanupProgress = { cleaned: [], failures: [] }
    try {
      if (reached === undefined) throw new DeviceOfflineRefusal(deviceId, { retryAfterMs: offlineRetryMs })
      await within({ scheduler, limitMs, controller }, (signal) => {
        return cleanDevice({ driver: reached, ledger, scheduler, level, fence, progress }, signal)
      })
      if (progress.failures.length > 0) return await fail(device, level, progress)
      const settled = await change({ type: 'settle', deviceId, fence, nowMs: nowMs() })
      if (backOff.failures > 0) log.info({ device: deviceId }, 'device leaves quarantine')
      backOff.reset()
      return { cleaned: progress.cleaned, failed: [], lease: settled?.lease }
    } catch (cause) {
      // Copied: a step that does not notice the abort may still come to an end.
      return await fail(device, level, { cleaned: [...progress.cleaned], failures: [...progress.failures, { cause }] })
    }
  }

  async function fail (device: DeviceRecord, level: CleanupLevel, { cleaned, failures }: CleanupProgress): Promise<Cleanup> {
    const failed = failures.map(reasonOf)
    if (stopped) return { cleaned, failed, lease: undefined }
    if (driver() !== undefined) {
      backOff.tryLater(() => inBackground(start(device, level), 'cleanup broke off', { device: deviceId }))
    }
    for (const { step, cause } of failures) {
      const fields = { device: deviceId, failures: backOff.failures, ...(step === undefined ? {} : { step }), ...failureFields(cause) }
      log.warn(fields, 'device could not be cleaned')
    }
    const more = failed.length > mostReasons ? ` And ${failed.length - mostReasons} more.` : ''
    const reason = `Cleanup failed: ${failed.slice(0, mostReasons).join(' ')}${more}`
    try {
      const quarantined = await change({ type: 'quarantine', deviceId, fence: device.fence, reason, nowMs: nowMs() })
      return { cleaned, failed, lease: quarantined?.lease }
    } catch (storageFault) {
      // The row still says that the device is dirty, which is what counts.
      unrecordedFailure = reason
      log.error({ device: deviceId, err: storageFault }, 'quarantine could not be recorded')
      return { cleaned, failed, lease: undefined }
    }
  }

  return {
    get isUnderWay () { return isUnderWay },
    get nextTryAtMs () { return backOff.nextAtMs },
    get unrecordedFailure () { return unrecordedFailure },
    of: (fence) => last?.fence === fence ? last.done : undefined,
    start,

    interrupt () {
      if (isUnderWay) last?.controller.abort(new DeviceOfflineRefusal(deviceId, { retryAfterMs: offlineRetryMs }))
    },

    async stop () {
      stopped = true
      backOff.cancel()
      if (!isUnderWay) return
      last?.controller.abort(new Error('stopped'))
      await last?.done
    }
  }
}

function reasonOf ({ step, cause }: CleanupProgress['failures'][number]): string {
  // No other fault is worded for readers outside of this process.
  const reason = cause instanceof Refusal || cause instanceof DeadlinePassed ? cause.message : 'the log says why.'
  return step === undefined ? reason : `${step}: ${reason}`
}
