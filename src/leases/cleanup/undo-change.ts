import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { Command } from '../../devices/device-types.ts'
import { AppNotInstalledRefusal, UnsupportedRefusal } from '../../devices/device-refusals.ts'
import { FileNotFoundRefusal, UnknownPermissionRefusal } from '../../devices/device-state-refusals.ts'
import type { Change, ChangeKind } from './change-ledger.ts'

/** How long undoing a change may take, each time it is tried. */
export const undoLimitMs: Readonly<Record<Exclude<ChangeKind, 'erase'>, number>> = {
  clipboard: 1_000,
  locale: 1_000,
  location: 1_000,
  network: 1_000,
  permission: 1_000,
  recording: 2_000,
  files: 2_000,
  app_data: 2_000,
  app: 5_000,
  orientation: 5_000
}

/**
 * Undoes a change. Can be repeated, and finds nothing to do where the change never came about.
 *
 * @returns what it did, as a phrase; undefined when there was nothing to do
 */
export async function undoChange (driver: DeviceDriver, change: Exclude<Change, { readonly kind: 'erase' }>, command: Command): Promise<string | undefined> {
  try {
    return await undo(driver, change, command)
  } catch (cause) {
    if (isNothingToDo(cause)) return undefined
    throw cause
  }
}

// What has gone meanwhile has taken the change with it, and what the phone cannot set nobody has set.
function isNothingToDo (cause: unknown): boolean {
  return cause instanceof AppNotInstalledRefusal || cause instanceof UnknownPermissionRefusal ||
    cause instanceof FileNotFoundRefusal || cause instanceof UnsupportedRefusal
}

async function undo (driver: DeviceDriver, change: Exclude<Change, { readonly kind: 'erase' }>, command: Command): Promise<string | undefined> {
  switch (change.kind) {
    case 'recording':
      return await driver.discardRecording(command) ? 'discarded a recording' : undefined
    case 'clipboard':
      await driver.setClipboard('', command)
      return 'emptied the clipboard'
    case 'files':
      return await removeFiles(driver, command)
    case 'orientation':
      await driver.setOrientation(change.before, command)
      return `turned the screen to ${change.before}`
    case 'locale':
      await driver.setLocale(change.before, command)
      return `set the language back to ${change.before}`
    case 'location':
      if (change.before === null) await driver.clearLocation(command)
      else await driver.setLocation(change.before, command)
      return change.before === null ? 'forgot the simulated location' : 'set the simulated location back'
    case 'network':
      await driver.setNetwork(change.before, command)
      return 'set the networks back'
    case 'app':
      if (change.before === 'home') await driver.restoreApp(change.target, command)
      else await driver.uninstallApp(change.target, command)
      return change.before === 'home' ? `put ${change.target} back` : `removed ${change.target}`
    case 'app_data':
      await driver.clearAppData(change.target, command)
      return `erased the data of ${change.target}`
    case 'permission': {
      const [app = '', permission = ''] = change.target.split(' ')
      await driver.setPermission(app, permission, change.before, command)
      return `set ${permission} of ${app} back to ${change.before}`
    }
  }
}

async function removeFiles (driver: DeviceDriver, command: Command): Promise<string | undefined> {
  const files = await driver.listFiles(command)
  for (const { path } of files) await driver.removeFile(path, command)
  return files.length === 0 ? undefined : `deleted ${files.length} file(s)`
}
