import type { JsonObject } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import type { PhoneProfile } from './phone-profile.ts'
import type { AppProcess, InstalledApp, StackEntry } from './phone-state.ts'

/** What the expressions of an app see while a screen of it is in front. */
export function scopeOf (app: InstalledApp, process: AppProcess, entry: StackEntry | undefined, profile: PhoneProfile): Scope {
  const device: JsonObject = { platform: profile.platform, model: profile.model, os: profile.osVersion }
  return { layers: [{ params: entry?.params ?? {} }, process.state, app.data, { device }] }
}

/** The screen of a process that shows. */
export function topOf (process: AppProcess): StackEntry {
  const top = process.stack.at(-1)
  if (top === undefined) throw new Error('a process has a screen')
  return top
}
