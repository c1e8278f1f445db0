/**
 * How apps begin, come to the front, go from screen to screen and end.
 *
 * An app is stopped, running behind, or in front; at most one is in front, and only a running
 * one can be. Going back from its first screen leaves an app running behind. A process that
 * ended takes its `state` and its later actions with it; a new one starts from the first screen.
 */
import { AppNotInstalledRefusal } from '../../device-refusals.ts'
import type { JsonObject } from '../apps/json-value.ts'
import { withNames } from '../apps/scope.ts'
import { scopeOf, topOf } from './app-scope.ts'
import { frontApp, writeLog, type PhoneCore } from './phone-core.ts'
import type { AppProcess, InstalledApp, StackEntry } from './phone-state.ts'
import { blur } from './text-input.ts'

const deepestStack = 50

/** @throws {AppNotInstalledRefusal} */
export function installedApp (core: PhoneCore, id: string): InstalledApp {
  const app = core.state.apps.get(id)
  if (app === undefined) throw new AppNotInstalledRefusal(id, [...core.state.apps.keys()])
  return app
}

/** Brings an app to the front, as it was or from its first screen. */
export function openApp (core: PhoneCore, app: InstalledApp): AppProcess {
  const running = app.process
  blur(core)
  core.state.systemDialog = undefined
  core.state.front = { view: 'app', app: app.app.id }
  core.state.recents = [app.app.id, ...core.state.recents.filter((id) => id !== app.app.id)]
  core.changed()
  return running ?? startProcess(core, app)
}

/** Opens a link that the app claims. */
export function openLinkIn (core: PhoneCore, app: InstalledApp, link: InstalledApp['app']['links'][number], captures: JsonObject): void {
  const process = openApp(core, app)
  // Its start actions may already have ended it.
  if (app.process !== process) return
  core.run(link.open, withNames(scopeOf(app, process, topOf(process), core.state.device), captures), app, process)
}

export function stopApp (core: PhoneCore, app: InstalledApp): void {
  if (app.process === undefined) return
  const { id } = app.app
  app.process = undefined
  core.state.pending = core.state.pending.filter((later) => later.app !== app)
  core.state.recents = core.state.recents.filter((other) => other !== id)
  if (core.state.front.view === 'app' && core.state.front.app === id) goHome(core)
  core.changed()
}

export function clearAppData (core: PhoneCore, app: InstalledApp): void {
  stopApp(core, app)
  app.data = structuredClone(app.app.data)
}

/** Ends an app the way a fault in it does. */
export function crashApp (core: PhoneCore, app: InstalledApp): void {
  const { id, name } = app.app
  stopApp(core, app)
  writeLog(core, id, `FATAL ${name} has stopped unexpectedly`)
  if (core.profile.platform === 'android') core.state.systemDialog = { kind: 'crash', app: app.app }
}

export function goHome (core: PhoneCore): void {
  blur(core)
  core.state.front = { view: 'home' }
  core.state.systemDialog = undefined
  core.changed()
}

export function showRecents (core: PhoneCore): void {
  goHome(core)
  core.state.front = { view: 'recents' }
}

/** Opens a screen of a running app. */
export function openScreen (core: PhoneCore, app: InstalledApp, process: AppProcess, { screen, params, placed }: {
  readonly screen: string
  readonly params: JsonObject
  readonly placed: 'onTop' | 'replace' | 'alone'
}): void {
  leaveScreen(core, app)
  if (placed === 'replace') process.stack.pop()
  if (placed === 'alone') process.stack.length = 0
  const entry = newEntry(screen, params)
  process.stack.push(entry)
  // The way back is only so long: the second screen goes first, the first one stays.
  if (process.stack.length > deepestStack) process.stack.splice(1, 1)
  core.changed()
  enterScreen(core, app, process, entry)
}

/** Closes the screen that shows. Closing the last one puts the app behind the home screen. */
export function closeScreen (core: PhoneCore, app: InstalledApp, process: AppProcess): void {
  leaveScreen(core, app)
  if (process.stack.length > 1) process.stack.pop()
  else if (frontApp(core)?.app === app) goHome(core)
  core.changed()
}

/** Opens a dialog over the screen that shows. */
export function openDialog (core: PhoneCore, app: InstalledApp, process: AppProcess, dialog: NonNullable<StackEntry['dialog']>): void {
  leaveScreen(core, app)
  topOf(process).dialog = dialog
  core.changed()
}

function startProcess (core: PhoneCore, app: InstalledApp): AppProcess {
  const entry = newEntry(app.app.firstScreen, {})
  const process: AppProcess = { state: structuredClone(app.app.state), stack: [entry] }
  app.process = process
  writeLog(core, app.app.id, `started ${app.app.name} ${app.app.version}`)
  core.run(app.app.start, scopeOf(app, process, entry, core.state.device), app, process)
  // The start actions may have gone elsewhere, and that screen has been entered already.
  if (app.process === process && process.stack.length === 1 && topOf(process) === entry) enterScreen(core, app, process, entry)
  return process
}

/** A process of an app that does not run, for work behind the screen; none of its own actions have run. */
export function backgroundProcess (app: InstalledApp): AppProcess {
  const process: AppProcess = { state: structuredClone(app.app.state), stack: [newEntry(app.app.firstScreen, {})] }
  app.process = process
  return process
}

function enterScreen (core: PhoneCore, app: InstalledApp, process: AppProcess, entry: StackEntry): void {
  const enter = app.app.screens.get(entry.screen)?.enter ?? []
  core.run(enter, scopeOf(app, process, entry, core.state.device), app, process)
}

// An app in the background cannot move the focus.
function leaveScreen (core: PhoneCore, app: InstalledApp): void {
  if (frontApp(core)?.app === app) blur(core)
}

function newEntry (screen: string, params: JsonObject): StackEntry {
  return { screen, params, offsets: new Map() }
}
