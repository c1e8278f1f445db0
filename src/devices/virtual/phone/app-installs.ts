/**
 * Which apps are on the phone. Whatever comes or goes, they stand in the order of their ids, so
 * that an app put back is where it was.
 */
import { InstallFailedRefusal } from '../../device-state-refusals.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import { installedApp, stopApp } from './app-life.ts'
import type { PhoneCore } from './phone-core.ts'
import { newApp, type InstalledApp } from './phone-state.ts'

/** Apps beyond those of the home state that a phone has room for. */
export const mostInstalls = 20

/** @throws {InstallFailedRefusal} */
export function installApp (core: PhoneCore, definition: AppDefinition, home: ReadonlySet<string>): InstalledApp {
  const { apps } = core.state
  const before = apps.get(definition.id)
  const isHomeApp = home.has(definition.id)
  if (before?.app.system === true || (definition.system && !isHomeApp)) {
    throw new InstallFailedRefusal({
      app: definition.id,
      reason: before?.app.system === true ? 'that id belongs to a part of the phone.' : 'an app that is installed cannot be part of the phone.',
      nextAction: 'Give the app an id of its own and leave out `system`.'
    })
  }
  if (before === undefined && !isHomeApp && [...apps.keys()].filter((id) => !home.has(id)).length >= mostInstalls) {
    throw new InstallFailedRefusal({
      app: definition.id,
      reason: `the phone has room for ${mostInstalls} apps besides its own.`,
      nextAction: 'Uninstall one of the others first.'
    })
  }
  return putApp(core, definition)
}

/** Removes an app; its windows close. */
export function removeApp (core: PhoneCore, id: string): void {
  stopApp(core, installedApp(core, id))
  core.state.apps = new Map([...core.state.apps].filter(([other]) => other !== id))
  core.changed()
}

/** Puts an app onto the phone as if it had just been bought. */
export function putApp (core: PhoneCore, definition: AppDefinition): InstalledApp {
  const before = core.state.apps.get(definition.id)
  if (before !== undefined) stopApp(core, before)
  const app = newApp(definition)
  const others = [...core.state.apps].filter(([id]) => id !== definition.id)
  core.state.apps = new Map([...others, [definition.id, app] as const].sort(([one], [other]) => (one < other ? -1 : 1)))
  core.changed()
  return app
}
