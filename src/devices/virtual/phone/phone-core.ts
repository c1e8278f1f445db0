import { cut } from '../../../text/quote.ts'
import type { Action } from '../apps/app-action.ts'
import type { Scope } from '../apps/scope.ts'
import type { PhoneLine } from '../exchange.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Screen } from '../screen/composed-screen.ts'
import type { PhoneProfile } from './phone-profile.ts'
import type { AppProcess, InstalledApp, PhoneState } from './phone-state.ts'

/** What the parts of a phone share. Only the parts of a phone see it. */
export interface PhoneCore {
  readonly profile: PhoneProfile
  readonly clock: Clock
  state: PhoneState
  /** What is on the screen now; laid out again only after a change. */
  screen (): Screen
  /** Has to be called after every change of the state. */
  changed (): void
  /** How the phone reaches others, and they it. */
  line (): PhoneLine
  /** The instant being lived through: later actions run at theirs, however late the next look is. */
  nowMs (): number
  /** Runs an app's actions in order, until the process that they belong to has ended. */
  run (actions: readonly Action[], scope: Scope, app: InstalledApp, process: AppProcess): void
}

const mostLogLines = 500
const longestLogLine = 1_000

/** Adds a line to the phone's log; the oldest lines make room. */
export function writeLog (core: PhoneCore, app: string, line: string): void {
  const { log } = core.state
  log.push({ atMs: core.clock.nowMs(), app, line: cut(line, longestLogLine) })
  if (log.length > mostLogLines) log.shift()
}

const toastMs = 3_500

/** Shows a short message; it takes the place of one that still shows. */
export function showToast (core: PhoneCore, text: string): void {
  core.state.toast = { text, untilMs: core.nowMs() + toastMs }
  core.changed()
}

/** The app in front and its process, unless the home screen or the list of apps is. */
export function frontApp (core: PhoneCore): { readonly app: InstalledApp, readonly process: AppProcess } | undefined {
  const { front, apps } = core.state
  const app = front.view === 'app' ? apps.get(front.app) : undefined
  return app?.process === undefined ? undefined : { app, process: app.process }
}
