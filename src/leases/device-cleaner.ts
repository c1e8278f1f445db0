import type { FencedDriver } from '../devices/fenced-driver.ts'
import { Refusal } from '../refusals/refusal.ts'
import type { Cancel, Scheduler } from '../runtime/scheduler.ts'
import { backOffMs } from './back-off.ts'
import { DeadlinePassed, within } from './deadline.ts'
import type { Lease } from './lease.ts'
import type { DeviceRecord } from './lease-machine.ts'
import type { LeaseStore } from './lease-store.ts'
import { failureFields, type Log } from './log.ts'

const tryAgain = { firstMs: 5_000, longestMs: 600_000 }

export interface Cleanup {
  /** What was put back, in short phrases; empty when the device went into quarantine. */
  readonly cleaned: readonly string[]
  /** The lease it was for, now ended; undefined when this could not be recorded. */
  readonly lease: Lease | undefined
}

/**
 * Puts devices back to their home state after a lease.
 *
 * A device that cannot be put back in time is quarantined and tried again 5 s after the first
 * failure, and up to 10 minutes after many, until it succeeds. Nobody gets it meanwhile: that
 * it is dirty is recorded before its cleanup starts, and only success takes the mark away.
 */
export interface DeviceCleaner {
  /** Cleans the device as it is recorded now. Resolves however that goes. */
  clean (device: DeviceRecord): Promise<Cleanup>
  /** Cleans the device for nobody in particular. */
  begin (device: DeviceRecord): void
  /** The cleanup under way on a device, for whoever wants to wait for it too. */
  underWay (deviceId: string): Promise<Cleanup> | undefined
  /** When a quarantined device is tried next. */
  nextTryAtMs (deviceId: string): number | undefined
  /** Breaks off what is under way, and leaves it recorded as not done. */
  stop (): Promise<void>
}

export function createDeviceCleaner ({ store, drivers, scheduler, nowMs, limitMs, log }: {
  readonly store: LeaseStore
  readonly drivers: ReadonlyMap<string, FencedDriver>
  readonly scheduler: Scheduler
  readonly nowMs: () => number
  readonly limitMs: number
  readonly log: Log
}): DeviceCleaner {
  const cleanups = new Map<string, { readonly controller: AbortController, readonly done: Promise<Cleanup> }>()
  const retries = new Map<string, { readonly atMs: number, readonly cancel: Cancel }>()
  const failuresInARow = new Map<string, number>()
  let stopped = false

  async function tryToClean (device: DeviceRecord, controller: AbortController): Promise<Cleanup> {
    const { id: deviceId, fence } = device
    const driver = drivers.get(deviceId)
    try {
      if (driver === undefined) {
        const left = await store.change({ type: 'quarantine', deviceId, fence, reason: 'The device is not in the pool.' })
        return { cleaned: [], lease: left?.lease }
      }
      const cleaned = await within({ scheduler, limitMs, controller }, (signal) => driver.restoreHome({ fence, signal }))
      const settled = await store.change({ type: 'settle', deviceId, fence })
      if (failuresInARow.delete(deviceId)) log.info({ device: deviceId }, 'device leaves quarantine')
      return { cleaned, lease: settled?.lease }
    } catch (cause) {
      return await failed(device, cause)
    }
  }

  async function failed (device: DeviceRecord, cause: unknown): Promise<Cleanup> {
    if (stopped) return { cleaned: [], lease: undefined }
    const { id: deviceId, fence } = device
    const failures = (failuresInARow.get(deviceId) ?? 0) + 1
    failuresInARow.set(deviceId, failures)
    log.warn({ device: deviceId, failures, ...failureFields(cause) }, 'device could not be cleaned')
    const waitMs = backOffMs(tryAgain, failures)
    retries.set(deviceId, {
      atMs: nowMs() + waitMs,
      cancel: scheduler.after(waitMs, () => begin(device))
    })
    try {
      // Nothing else is worded for other people's eyes.
      const isTellable = cause instanceof Refusal || cause instanceof DeadlinePassed
      const reason = `Cleanup failed: ${isTellable ? cause.message : 'the log says why.'}`
      const quarantined = await store.change({ type: 'quarantine', deviceId, fence, reason })
      return { cleaned: [], lease: quarantined?.lease }
    } catch (storageFault) {
      // The row still says that the device is dirty, which is what counts.
      log.error({ device: deviceId, err: storageFault }, 'quarantine could not be recorded')
      return { cleaned: [], lease: undefined }
    }
  }

  function clean (device: DeviceRecord): Promise<Cleanup> {
    retries.delete(device.id)
    const controller = new AbortController()
    const done = tryToClean(device, controller).finally(() => cleanups.delete(device.id))
    cleanups.set(device.id, { controller, done })
    return done
  }

  function begin (device: DeviceRecord) {
    clean(device).catch((fault: unknown) => log.error({ device: device.id, err: fault }, 'cleanup broke off'))
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
