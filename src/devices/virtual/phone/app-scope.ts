import { displayText } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import { languageOf } from './languages.ts'
import type { AppProcess, DeviceVariables, InstalledApp, StackEntry } from './phone-state.ts'

/** What the expressions of an app see while a screen of it is in front. */
export function scopeOf (app: InstalledApp, process: AppProcess, entry: StackEntry | undefined, device: DeviceVariables): Scope {
  return { words: app.app.words.get(languageOf(displayText(device.locale))), layers: [{ params: entry?.params ?? {} }, process.state, app.data, { device, permissions: app.permissions }] }
}

/** The screen of a process that shows. */
export function topOf (process: AppProcess): StackEntry {
  const top = process.stack.at(-1)
  if (top === undefined) throw new Error('a process has a screen')
  return top
}
