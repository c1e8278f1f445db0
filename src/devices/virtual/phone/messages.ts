/**
 * Messages between the apps of two phones. A message that comes in waits until the phone is looked
 * at or touched and has a network; then the app that it is for runs its `receive` actions. An app
 * that does not run is started for that alone, and stays behind.
 */
import type { Action } from '../apps/app-action.ts'
import { boundedCopy, displayText, isTruthy, weigh } from '../apps/json-value.ts'
import { withNames, type Scope } from '../apps/scope.ts'
import type { Message } from '../exchange.ts'
import { scopeOf, topOf } from './app-scope.ts'
import { backgroundProcess, stopApp } from './app-life.ts'
import { writeLog, type PhoneCore } from './phone-core.ts'
import type { AppProcess, InstalledApp } from './phone-state.ts'

const mostWaiting = 100
const heaviestMessage = 5_000

/** Takes a message that another phone sent. @returns false when too many wait already */
export function takeMessage (core: PhoneCore, message: Message): boolean {
  const { inbox } = core.state
  if (inbox.length >= mostWaiting) return false
  inbox.push({ ...message, atMs: core.clock.monotonicMs() })
  return true
}

/** Sends what an app wants to send, and runs the actions that go with the outcome. */
export function sendMessage (core: PhoneCore, app: InstalledApp, process: AppProcess, action: Extract<Action, { kind: 'send' }>['with'], scope: Scope): void {
  const content = boundedCopy(action.message.evaluate(scope))
  const fits = content !== undefined && weigh(content) <= heaviestMessage
  if (!fits) writeLog(core, app.app.id, 'the message is too large to send')
  const isSent = fits && isOnline(core) && core.line().send(displayText(action.to.evaluate(scope)), { app: app.app.id, content })
  core.run(isSent ? action.sent : action.failed, scope, app, process)
}

/** The oldest message that can be delivered now; it is taken out of the inbox. */
export function nextMessage (core: PhoneCore): PhoneCore['state']['inbox'][number] | undefined {
  return isOnline(core) ? core.state.inbox.shift() : undefined
}

/** Lets the app that a message is for receive it. A message for an app that is not installed is dropped. */
export function deliverMessage (core: PhoneCore, { app: id, from, content }: Message): void {
  const app = core.state.apps.get(id)
  if (app === undefined || app.app.receive.length === 0) return
  const wasRunning = app.process !== undefined
  const process = app.process ?? backgroundProcess(app)
  core.run(app.app.receive, withNames(scopeOf(app, process, topOf(process), core.state.device), { from, message: content }), app, process)
  if (!wasRunning && app.process === process && !isInFront(core, id)) stopApp(core, app)
  core.changed()
}

function isInFront ({ state: { front } }: PhoneCore, id: string): boolean {
  return front.view === 'app' && front.app === id
}

function isOnline ({ state: { device } }: PhoneCore): boolean {
  return isTruthy(device.wifi) || isTruthy(device.mobileData)
}
