import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { Command } from '../../devices/device-types.ts'
import { AppNotInstalledRefusal, UnsupportedRefusal } from '../../devices/device-refusals.ts'
import { FileNotFoundRefusal, UnknownPermissionRefusal } from '../../devices/device-state-refusals.ts'
import type { Change } from './change-ledger.ts'

/** A change that can be undone by itself; making the phone as new undoes everything else with it. */
export type UndoableChange = Exclude<Change, { readonly kind: 'erase' }>
type UndoableKind = UndoableChange['kind']

interface Undo<One> {
  /** How long it may take, each time it is tried. */
  readonly limitMs: number
  /** @returns what it did, as a phrase; undefined when there was nothing to do */
  readonly run: (driver: DeviceDriver, change: One, command: Command) => Promise<string | undefined>
}

/** How each kind of change is undone. */
export type Undos<Changes extends { readonly kind: string }> = {
  readonly [Kind in Changes['kind']]: Undo<Extract<Changes, { readonly kind: Kind }>>
}

export const undos: Undos<UndoableChange> = {
  recording: {
    limitMs: 2_000,
    run: async (driver, _, command) => await driver.discardRecording(command) ? 'discarded a recording' : undefined
  },
  clipboard: {
    limitMs: 1_000,
    async run (driver, _, command) {
      await driver.setClipboard('', command)
      return 'emptied the clipboard'
    }
  },
  files: {
    limitMs: 2_000,
    async run (driver, _, command) {
      const files = await driver.listFiles(command)
      for (const { path } of files) await driver.removeFile(path, command)
      return files.length === 0 ? undefined : `deleted ${files.length} file(s)`
    }
  },
  orientation: {
    limitMs: 5_000,
    async run (driver, { before }, command) {
      await driver.setOrientation(before, command)
      return `turned the screen to ${before}`
    }
  },
  locale: {
    limitMs: 1_000,
    async run (driver, { before }, command) {
      await driver.setLocale(before, command)
      return `set the language back to ${before}`
    }
  },
  location: {
    limitMs: 1_000,
    async run (driver, { before }, command) {
      if (before === null) await driver.clearLocation(command)
      else await driver.setLocation(before, command)
      return before === null ? 'forgot the simulated location' : 'set the simulated location back'
    }
  },
  network: {
    limitMs: 1_000,
    async run (driver, { before }, command) {
      await driver.setNetwork(before, command)
      return 'set the networks back'
    }
  },
  app: {
    limitMs: 5_000,
    async run (driver, { target, before }, command) {
      if (before === 'home') await driver.restoreApp(target, command)
      else await driver.uninstallApp(target, command)
      return before === 'home' ? `put ${target} back` : `removed ${target}`
    }
  },
  app_data: {
    limitMs: 2_000,
    async run (driver, { target }, command) {
      await driver.clearAppData(target, command)
      return `erased the data of ${target}`
    }
  },
  permission: {
    limitMs: 1_000,
    async run (driver, { target, before }, command) {
      const [app = '', permission = ''] = target.split(' ')
      await driver.setPermission(app, permission, before, command)
      return `set ${permission} of ${app} back to ${before}`
    }
  }
}

/** How long undoing a change may take, each time it is tried. */
export function undoLimitMs (change: UndoableChange): number {
  return undos[change.kind].limitMs
}

/**
 * Undoes a change. Can be repeated, and finds nothing to do where the change never came about.
 *
 * @returns what it did, as a phrase; undefined when there was nothing to do
 */
export async function undoChange (driver: DeviceDriver, change: UndoableChange, command: Command): Promise<string | undefined> {
  try {
    return await undoOf(change.kind).run(driver, change, command)
  } catch (cause) {
    if (isNothingToDo(cause)) return undefined
    throw cause
  }
}

function undoOf (kind: UndoableKind): Undo<UndoableChange> {
  // It gets changes of its own kind.
  return undos[kind] as Undo<UndoableChange>
}

// What has gone meanwhile has taken the change with it, and what the phone cannot set no holder has set.
function isNothingToDo (cause: unknown): boolean {
  return cause instanceof AppNotInstalledRefusal || cause instanceof UnknownPermissionRefusal ||
    cause instanceof FileNotFoundRefusal || cause instanceof UnsupportedRefusal
}
