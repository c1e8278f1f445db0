import { DeviceOfflineRefusal } from '../../devices/device-refusals.ts'
import type { FencedDriver } from '../../devices/fenced-driver.ts'
import type { LeaseContext } from '../context.ts'
import { DeadlinePassed, within } from '../deadline.ts'
import { failureFields } from '../log.ts'
import { createBackOff } from './back-off.ts'

const lookAgain = { firstMs: 1_000, longestMs: 30_000 }

/**
 * What a look at a device has found: the device, with its boot id; that it does not answer; or
 * nothing, because the look itself failed. A failed look does not mean that the device is away.
 */
export type Sighting = { readonly bootId: string } | 'away' | 'unseen'

export interface Absence {
  readonly reason: string
  /** Since when it is known not to answer; undefined when the last look failed. */
  readonly awaySinceMs: number | undefined
  /** When it was last found to be so; for a device without a driver that is always now. */
  readonly foundAtMs: number
  /** Undefined when there is nothing to look at until its source tells of it again. */
  readonly nextLookAtMs: number | undefined
}

/**
 * Whether one device is there, and the driver through which it is reached.
 *
 * A device that did not answer is absent until a look finds it again: the first look comes 1 s
 * after the first failure, later ones up to 30 s apart. A call or a grant may look in between. That
 * finds it as well, but does not put off the next planned look: only planned looks are counted.
 *
 * A device that its source has lost has no driver. It is away until it gets one.
 */
export interface Presence {
  readonly driver: FencedDriver | undefined
  /** Why it cannot be used now; undefined when it answered the last look. */
  readonly absence: Absence | undefined
  /** The boot it was in when it answered last. */
  readonly lastBootId: string | undefined
  readonly isLookedAt: boolean
  /** Looks at the device. A look that is under way is joined, so that many requests cost one look. */
  look (): Promise<Sighting>
  /** The device is reached through this driver from now on. @returns the driver before */
  connect (driver: FencedDriver): FencedDriver | undefined
  /** The device cannot be reached any more. @returns the driver before */
  disconnect (reason: string): FencedDriver | undefined
  stop (): void
}

export function createPresence ({ context, deviceId, limitMs, onChange, onLook }: {
  readonly context: LeaseContext
  readonly deviceId: string
  readonly limitMs: number
  /** The device has become absent, or is back. */
  readonly onChange: () => void
  /** Called after each look, and after `onChange`. */
  readonly onLook: () => void
}): Presence {
  const { scheduler, nowMs, log, inBackground } = context
  const backOff = createBackOff(context, lookAgain)
  let driver: FencedDriver | undefined
  let absence: Absence | undefined = {
    reason: 'The device has not answered yet.', awaySinceMs: undefined, foundAtMs: nowMs(), nextLookAtMs: nowMs()
  }
  let lastBootId: string | undefined
  let underWay: { readonly controller: AbortController, readonly sighting: Promise<Sighting> } | undefined
  /** Whether a planned look is due, so that the one under way is it. */
  let isDue = false
  let hasAnswered = false
  let stopped = false

  async function lookThrough (reached: FencedDriver, controller: AbortController): Promise<Sighting> {
    let sighting: Sighting
    let cause: unknown
    try {
      sighting = { bootId: await within({ scheduler, limitMs, controller }, (signal) => reached.bootId(signal)) }
    } catch (fault) {
      cause = fault
      sighting = fault instanceof DeviceOfflineRefusal || fault instanceof DeadlinePassed ? 'away' : 'unseen'
    }
    // Another driver has come, or none is there any more: the answer says nothing about the device.
    if (underWay?.controller !== controller) return 'unseen'
    underWay = undefined
    if (typeof sighting === 'string') noteAbsent(sighting, cause)
    else notePresent(sighting.bootId)
    onLook()
    return sighting
  }

  function notePresent (bootId: string) {
    lastBootId = bootId
    isDue = false
    if (absence === undefined) return
    absence = undefined
    backOff.reset()
    if (hasAnswered) log.info({ device: deviceId }, 'device answers again')
    hasAnswered = true
    onChange()
  }

  function noteAbsent (sighting: 'away' | 'unseen', cause: unknown) {
    const found = sighting === 'away'
      ? { reason: 'The device does not answer.', awaySinceMs: absence?.awaySinceMs ?? nowMs() }
      : { reason: 'The device could not be looked at.', awaySinceMs: undefined }
    const isPlanned = !isDue && backOff.nextAtMs !== undefined
    if (!isPlanned) backOff.tryLater(lookWhenDue)
    isDue = false
    absence = { ...found, foundAtMs: nowMs(), nextLookAtMs: backOff.nextAtMs }
    if (isPlanned || backOff.failures > 1) return
    log.warn({ device: deviceId, ...failureFields(cause) }, 'device does not answer')
    onChange()
  }

  function lookWhenDue () {
    isDue = true
    inBackground(look(), 'look at device broke off', { device: deviceId })
  }

  function look (): Promise<Sighting> {
    if (underWay !== undefined) return underWay.sighting
    if (stopped) return Promise.resolve('unseen')
    if (driver === undefined) return Promise.resolve('away')
    const controller = new AbortController()
    const started = { controller, sighting: Promise.resolve<Sighting>('unseen') }
    underWay = started
    started.sighting = lookThrough(driver, controller)
    return started.sighting
  }

  /** Drops the look under way: it was through a driver that does not count any more. */
  function dropLook () {
    const dropped = underWay
    underWay = undefined
    isDue = false
    dropped?.controller.abort(new Error('not needed any more'))
  }

  return {
    get driver () { return driver },
    get absence () { return absence },
    get lastBootId () { return lastBootId },
    get isLookedAt () { return underWay !== undefined },
    look,

    connect (newDriver) {
      const before = driver
      driver = newDriver
      dropLook()
      return before
    },

    disconnect (reason) {
      const before = driver
      driver = undefined
      dropLook()
      backOff.reset()
      absence = { reason, awaySinceMs: absence?.awaySinceMs ?? nowMs(), foundAtMs: Number.POSITIVE_INFINITY, nextLookAtMs: undefined }
      log.warn({ device: deviceId, reason }, 'device is gone')
      onChange()
      return before
    },

    stop () {
      stopped = true
      dropLook()
      backOff.cancel()
    }
  }
}
