/**
 * What apps may do. An app names its permissions; each begins as `ask`. An app that wants one
 * makes the phone ask, once: the answer stays, whichever side gives it.
 */
import type { PermissionState } from '../../app-commands.ts'
import { UnknownPermissionRefusal } from '../../device-state-refusals.ts'
import type { Scope } from '../apps/scope.ts'
import { frontApp, type PhoneCore } from './phone-core.ts'
import type { AppProcess, InstalledApp, PermissionWish } from './phone-state.ts'
import { blur } from './text-input.ts'

/** @throws {UnknownPermissionRefusal} */
export function setPermission (core: PhoneCore, app: InstalledApp, permission: string, state: PermissionState): void {
  if (!Object.hasOwn(app.permissions, permission)) {
    throw new UnknownPermissionRefusal(app.app.id, permission, Object.keys(app.permissions))
  }
  app.permissions[permission] = state
  core.changed()
}

/** Asks for a permission, unless that has been settled; an app behind is not heard. */
export function requestPermission (core: PhoneCore, app: InstalledApp, process: AppProcess, wish: PermissionWish, scope: Scope): void {
  const state = app.permissions[wish.permission]
  if (state !== 'ask') return core.run(state === 'granted' ? wish.granted : wish.denied, scope, app, process)
  if (frontApp(core)?.app !== app) return
  blur(core)
  core.state.systemDialog = { kind: 'permission', app, process, wish, scope }
  core.changed()
}

/** Answers the question that the phone asks. */
export function answerPermission (core: PhoneCore, granted: boolean): void {
  const { systemDialog } = core.state
  if (systemDialog?.kind !== 'permission') return
  const { app, process, wish, scope } = systemDialog
  core.state.systemDialog = undefined
  setPermission(core, app, wish.permission, granted ? 'granted' : 'denied')
  core.run(granted ? wish.granted : wish.denied, scope, app, process)
}
