/**
 * A driver that obeys one command at a time, and nobody whose time is over.
 *
 * Commands take turns in the order they came. When a command's turn comes its fencing token is
 * compared with the highest seen, from a command or from `raiseFence`; a lower one is refused,
 * so that a holder that never noticed the end of its lease cannot act into the next. The check
 * waits for the turn because the fence may rise while the command waits.
 *
 * A command that is aborted while it waits never runs. One that is running is the driver's to
 * stop; until it has come back nothing else runs, because the phone may still be obeying it.
 *
 * The boot id and the home apps are no commands: they touch nothing, belong to no lease, and
 * must be answered while commands run.
 */
import type { DeviceDriver } from './device-driver.ts'
import type { Command } from './device-types.ts'
import { DeviceBusyRefusal, LeaseFencedRefusal } from './device-refusals.ts'
import { createTurns } from '../runtime/turns.ts'

/** More than this many waiting commands are refused at once. */
export const maxWaitingCommands = 64

export interface FencedDriver extends DeviceDriver {
  /** From now on only commands with this token or a higher one are obeyed. Never goes down. */
  raiseFence (fence: number): void
}

export function fenceDriver (driver: DeviceDriver): FencedDriver {
  const device = driver.description.id
  const turns = createTurns()
  let highestFence = 0

  function raiseFence (fence: number) {
    highestFence = Math.max(highestFence, fence)
  }

  async function obey<T> (command: Command, work: () => Promise<T>): Promise<T> {
    if (turns.waiting >= maxWaitingCommands) throw new DeviceBusyRefusal(device, turns.waiting)
    return await turns.take(command.signal, () => {
      if (command.fence < highestFence) throw new LeaseFencedRefusal(device)
      raiseFence(command.fence)
      return work()
    })
  }

  return {
    description: driver.description,
    raiseFence,
    bootId: (signal) => driver.bootId(signal),
    homeApps: (signal) => driver.homeApps(signal),
    close: () => driver.close(),
    observe: (command) => obey(command, () => driver.observe(command)),
    screenshot: (options, command) => obey(command, () => driver.screenshot(options, command)),
    tap: (target, options, command) => obey(command, () => driver.tap(target, options, command)),
    swipe: (from, to, options, command) => obey(command, () => driver.swipe(from, to, options, command)),
    typeText: (text, command) => obey(command, () => driver.typeText(text, command)),
    clearText: (command) => obey(command, () => driver.clearText(command)),
    pressKey: (key, options, command) => obey(command, () => driver.pressKey(key, options, command)),
    listApps: (command) => obey(command, () => driver.listApps(command)),
    launchApp: (appId, options, command) => obey(command, () => driver.launchApp(appId, options, command)),
    terminateApp: (appId, command) => obey(command, () => driver.terminateApp(appId, command)),
    openLink: (url, options, command) => obey(command, () => driver.openLink(url, options, command)),
    restoreHome: (command) => obey(command, () => driver.restoreHome(command)),

    inspectApp: (source, command) => obey(command, () => driver.inspectApp(source, command)),
    installApp: (source, command) => obey(command, () => driver.installApp(source, command)),
    uninstallApp: (appId, command) => obey(command, () => driver.uninstallApp(appId, command)),
    restoreApp: (appId, command) => obey(command, () => driver.restoreApp(appId, command)),
    clearAppData: (appId, command) => obey(command, () => driver.clearAppData(appId, command)),
    listPermissions: (appId, command) => obey(command, () => driver.listPermissions(appId, command)),
    setPermission: (appId, permission, state, command) => obey(command, () => driver.setPermission(appId, permission, state, command)),

    getOrientation: (command) => obey(command, () => driver.getOrientation(command)),
    setOrientation: (orientation, command) => obey(command, () => driver.setOrientation(orientation, command)),
    getLocale: (command) => obey(command, () => driver.getLocale(command)),
    setLocale: (locale, command) => obey(command, () => driver.setLocale(locale, command)),
    getLocation: (command) => obey(command, () => driver.getLocation(command)),
    setLocation: (place, command) => obey(command, () => driver.setLocation(place, command)),
    clearLocation: (command) => obey(command, () => driver.clearLocation(command)),
    getNetwork: (command) => obey(command, () => driver.getNetwork(command)),
    setNetwork: (change, command) => obey(command, () => driver.setNetwork(change, command)),
    getClipboard: (command) => obey(command, () => driver.getClipboard(command)),
    setClipboard: (text, command) => obey(command, () => driver.setClipboard(text, command)),

    startRecording: (options, command) => obey(command, () => driver.startRecording(options, command)),
    stopRecording: (command) => obey(command, () => driver.stopRecording(command)),
    discardRecording: (command) => obey(command, () => driver.discardRecording(command)),

    listFiles: (command) => obey(command, () => driver.listFiles(command)),
    pushFile: (path, content, command) => obey(command, () => driver.pushFile(path, content, command)),
    pullFile: (path, command) => obey(command, () => driver.pullFile(path, command)),
    removeFile: (path, command) => obey(command, () => driver.removeFile(path, command))
  }
}
