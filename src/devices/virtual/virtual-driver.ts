import { unlessAborted, waitFor } from '../../runtime/abortable.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { ensureNotCancelled } from '../../refusals/cancellation.ts'
import type { DeviceDriver } from '../device-driver.ts'
import { commandOf, wrapCommands, type DriverCommands } from '../driver-commands.ts'
import type { Command, DeviceDescription, Key, Observation, Point } from '../device-types.ts'
import { DeviceOfflineRefusal, OutsideScreenRefusal, UnsupportedRefusal } from '../device-refusals.ts'
import type { AppDefinition } from './apps/app-definition.ts'
import type { Faults } from './faults.ts'
import type { Look, VirtualPhone } from './phone/virtual-phone.ts'
import { createScreenshots } from './render/screenshots.ts'
import { createDriverStateCommands } from './driver-state-commands.ts'
import { slideTree } from './slide-tree.ts'

const notIdleWarning = 'The screen was still moving; positions are from the middle of an animation. Observe again.'
const slideShare = 0.3
const closedRetryMs = 5_000

/**
 * Drives a virtual phone: adds to it what a real one has by nature, that commands take time,
 * can be called off, and can fail. A command that is called off before its time has changed
 * nothing.
 */
export function createVirtualDriver ({ id, name, model, labels = [], phone, apps, acceptsDefinitions, faults, clock, scheduler }: {
  readonly id: string
  readonly name: string
  /** In place of the one of its profile. */
  readonly model?: string
  /** Besides `virtual`. */
  readonly labels?: readonly string[]
  readonly phone: VirtualPhone
  /** The apps of its home state; they can also be installed again. */
  readonly apps: readonly AppDefinition[]
  /** Whether apps of callers can be installed besides. */
  readonly acceptsDefinitions: boolean
  readonly faults: Faults
  readonly clock: Clock
  readonly scheduler: Scheduler
}): DeviceDriver {
  const { profile } = phone
  const description: DeviceDescription = {
    id,
    name,
    platform: profile.platform,
    kind: 'virtual',
    model: model ?? profile.model,
    osVersion: profile.osVersion,
    labels: [...new Set(['virtual', ...labels])]
  }
  const screenshots = createScreenshots(phone, clock)
  const closing = new AbortController()
  let latestFence: number | undefined
  let given: Look & Pick<Observation, 'visit'> | undefined

  async function obey<Result> (
    signal: AbortSignal, work: () => Result | Promise<Result>, latencyMs = faults.latencyMs()
  ): Promise<Result> {
    refuseUnlessReachable(signal)
    const signals = [signal, closing.signal]
    try {
      await waitFor(latencyMs, signals, scheduler)
      // Much can have happened while the command was on its way.
      refuseUnlessReachable(signal)
      const result = work()
      return result instanceof Promise ? await unlessAborted(result, signals) : result
    } catch (error) {
      if (signals.some(({ aborted }) => aborted)) refuseUnlessReachable(signal)
      throw error
    }
  }

  // Whatever the cleanup between two leases left: the number of one holder never reaches the next.
  function knowLease ({ fence }: Command): void {
    if (latestFence !== undefined && fence > latestFence) phone.changeNumber()
    latestFence = Math.max(latestFence ?? fence, fence)
  }

  function refuseUnlessReachable (signal: AbortSignal): void {
    if (closing.signal.aborted) throw new DeviceOfflineRefusal(id, { retryAfterMs: closedRetryMs })
    ensureNotCancelled(signal)
    const offlineForMs = faults.offlineForMs()
    if (offlineForMs > 0) throw new DeviceOfflineRefusal(id, { retryAfterMs: Math.ceil(offlineForMs) })
  }

  function observation (): Observation {
    const stale = faults.strikes('staleObservationPercent') ? given : undefined
    const now = { ...phone.look(), visit: phone.visit() }
    const look = stale ?? now
    given = now
    const moving = faults.strikes('notIdlePercent')
    return {
      ...look,
      capturedAtMs: clock.nowMs(),
      root: moving ? slideTree(look.root, slideShare) : look.root,
      warnings: moving ? [notIdleWarning] : []
    }
  }

  function refuseMissingKey (key: Key): void {
    if (!profile.missingKeys.includes(key)) return
    throw new UnsupportedRefusal({
      device: id,
      operation: `press ${key}`,
      missing: `this phone has no ${key} key`,
      nextAction: key === 'back'
        ? 'Tap the Back button at the top left of the screen, or press home to leave the app.'
        : 'Observe the screen and tap the element that does this.'
    })
  }

  function refuseOutside (point: Point): void {
    const { size } = phone.look()
    const isInside = point.x >= 0 && point.y >= 0 && point.x < size.width && point.y < size.height
    if (!isInside) throw new OutsideScreenRefusal(point, size)
  }

  const commands: DriverCommands = {
    ...createDriverStateCommands({ device: id, phone, catalog: apps, acceptsDefinitions, clock, obey }),
    observe: ({ signal }) => obey(signal, observation),
    screenshot: ({ width }, { signal }) => obey(signal, () =>
      (faults.strikes('blackScreenshotPercent') ? screenshots.takeBlack(width) : screenshots.take(width))),
    tap: (target, options, { signal }) => obey(signal, () => {
      refuseOutside(target)
      const [swallowed, crashes] = [faults.strikes('swallowedTapPercent'), faults.strikes('crashOnTapPercent')]
      if (swallowed) return
      if (crashes && phone.look().app !== null) phone.crashFrontApp()
      else phone.tap(target, options)
    }),
    swipe: (from, to, options, { signal }) => obey(signal, () => {
      refuseOutside(from)
      refuseOutside(to)
      phone.swipe(from, to, options)
    }),
    typeText: (text, { signal }) => obey(signal, () => phone.typeText(text)),
    clearText: ({ signal }) => obey(signal, () => phone.clearText()),
    pressKey: (key, options, { signal }) => obey(signal, () => {
      refuseMissingKey(key)
      phone.pressKey(key, options)
    }),
    listApps: ({ signal }) => obey(signal, () => phone.listApps()),
    launchApp: (appId, options, { signal }) => obey(signal, () => phone.launchApp(appId, options)),
    terminateApp: (appId, { signal }) => obey(signal, () => phone.terminateApp(appId)),
    openLink: (url, options, { signal }) => obey(signal, () => phone.openLink(url, options)),
    restoreHome: ({ signal }) => obey(signal, () => {
      given = undefined
      return phone.restoreHome()
    })
  }

  return {
    description,
    // Asked at any time by the watch of the phones: it must not use up random numbers.
    bootId: (signal) => obey(signal, () => phone.bootId(), faults.leastLatencyMs),
    homeApps: (signal) => obey(signal, () => apps.map((app) => app.id), faults.leastLatencyMs),
    ...wrapCommands(commands, (_, run) => async (...args) => {
      knowLease(commandOf(args))
      return await run(...args)
    }),
    async close () {
      closing.abort()
      phone.leaveExchange()
    }
  }
}
