/**
 * Runs the actions of apps. There are no loops in the language, but screens that open each
 * other would make one: what one event sets off is bounded.
 */
import type { Action } from '../apps/app-action.ts'
import { boundedCopy, displayText, isTruthy, longestList, longestText, weigh, type JsonObject, type JsonValue } from '../apps/json-value.ts'
import { readPath, withNames, writePath, type Path, type Scope } from '../apps/scope.ts'
import type { Assignment } from '../apps/app-values.ts'
import type { Expression } from '../apps/expression.ts'
import { spend } from '../apps/work-budget.ts'
import { closeScreen, crashApp, openApp, openDialog, openScreen } from './app-life.ts'
import { topOf } from './app-scope.ts'
import { sendMessage } from './messages.ts'
import { requestPermission } from './permissions.ts'
import { showToast, writeLog, type PhoneCore } from './phone-core.ts'
import type { AppProcess, InstalledApp } from './phone-state.ts'
import { focusField } from './text-input.ts'
import { cut } from '../../../text/quote.ts'

/** Whose actions run, and how many more may. */
export interface ActionRun {
  readonly core: PhoneCore
  readonly app: InstalledApp
  readonly process: AppProcess
  readonly budget: EventBudget
}

/** What one event may do. */
export interface EventBudget {
  /** How many more actions may run. */
  actions: number
  /** How many more messages it may send. */
  messages: number
  /** How much each app holds, as far as it has been found out. */
  readonly weights: Map<InstalledApp, number>
}

export function eventBudget (): EventBudget {
  return { actions: mostActions, messages: mostMessages, weights: new Map() }
}

const actionCost = 500
/** All variables of an app together. */
const heaviestApp = 1_000_000

/** Actions that one touch, key or timer may set off. */
export const mostActions = 1_000
const mostMessages = 5
const mostPending = 100

export function runActions (actions: readonly Action[], scope: Scope, run: ActionRun): void {
  for (const action of actions) {
    if (run.app.process !== run.process) return
    run.budget.actions -= 1
    if (run.budget.actions === 0) writeLog(run.core, run.app.app.id, `stopped after ${mostActions} actions in one event`)
    if (run.budget.actions <= 0) return
    if (!spend(actionCost)) {
      run.budget.actions = 0
      return writeLog(run.core, run.app.app.id, 'stopped: the actions of one event took too much work')
    }
    runAction(action, scope, run)
  }
}

function runAction (action: Action, scope: Scope, run: ActionRun): void {
  const { core, app, process } = run
  switch (action.kind) {
    case 'set':
      for (const { path, value } of action.with) store(path, value.evaluate(scope), scope, run)
      return
    case 'toggle':
      return store(action.with, !isTruthy(readPath(scope, action.with)), scope, run)
    case 'inc':
      for (const assignment of action.with) increment(assignment, scope, run)
      return
    case 'push':
      return pushItem(action.with.to, action.with.item.evaluate(scope), scope, run)
    case 'removeItem': {
      const list = listAt(action.with.from, scope)
      list.splice(0, list.length, ...list.filter((item) => !holds(action.with.where, item, scope)))
      return core.changed()
    }
    case 'forEach': {
      const { in: list, where, do: actions } = action.with
      // A copy: the actions may change the list they run through.
      for (const item of [...listAt(list, scope)]) {
        // Each costs a look, whether or not it leads to anything.
        run.budget.actions -= 1
        if (run.budget.actions <= 0) return
        if (holds(where, item, scope)) runActions(actions, withNames(scope, { item }), run)
      }
      return
    }
    case 'goto': {
      const { screen, params, placed } = action.with
      return openScreen(core, app, process, { screen, params: evaluateParams(params, scope), placed })
    }
    case 'back':
      return closeScreen(core, app, process)
    case 'dialog':
      return openDialog(core, app, process, { id: action.with.id, params: evaluateParams(action.with.params, scope) })
    case 'dismiss':
      topOf(process).dialog = undefined
      return core.changed()
    case 'toast':
      return showToast(core, cut(displayText(action.with.evaluate(scope)), longestText))
    case 'focus':
      return focusField(core, app, action.with)
    case 'copy':
      core.state.clipboard = cut(displayText(action.with.evaluate(scope)), longestText)
      return core.changed()
    case 'requestPermission':
      return requestPermission(core, app, process, action.with, scope)
    case 'send':
      // Numbers are secrets, and nothing may try them out by the thousand.
      if (run.budget.messages <= 0) return writeLog(core, app.app.id, `no more than ${mostMessages} messages in one event`)
      run.budget.messages -= 1
      return sendMessage(core, app, process, action.with, scope)
    case 'startApp': {
      const other = core.state.apps.get(action.with)
      if (other !== undefined) openApp(core, other)
      return
    }
    case 'crash':
      return crashApp(core, app)
    case 'delay':
      return runLater(action.with.ms, action.with.then, scope, run)
    case 'log':
      return writeLog(core, app.app.id, displayText(action.with.evaluate(scope)))
    case 'ifElse':
      return runActions(isTruthy(action.with.if.evaluate(scope)) ? action.with.then : action.with.else, scope, run)
  }
}

/** Whether all variables of the app together have room for one value in place of another. */
function hasRoom (before: JsonValue, after: JsonValue, { app, process, budget }: ActionRun): boolean {
  const held = budget.weights.get(app) ?? weigh(app.data) + weigh(process.state)
  const then = held - weigh(before) + weigh(after)
  // A value that makes an app lighter always fits.
  const fits = then <= heaviestApp || then < held
  budget.weights.set(app, fits ? then : held)
  return fits
}

function store (path: Path, value: JsonValue, scope: Scope, run: ActionRun): void {
  const { core, app } = run
  const bounded = boundedCopy(value)
  if (bounded === undefined || !hasRoom(readPath(scope, path), bounded, run)) return writeLog(core, app.app.id, `the value for ${path.source} is too large`)
  writePath(scope, path, bounded)
  core.changed()
}

function increment ({ path, value }: Assignment, scope: Scope, run: ActionRun): void {
  const [before, by] = [readPath(scope, path), value.evaluate(scope)]
  if (typeof before === 'number' && typeof by === 'number') store(path, before + by, scope, run)
}

function pushItem (to: Path, item: JsonValue, scope: Scope, run: ActionRun): void {
  const { core, app } = run
  const list = listAt(to, scope)
  const bounded = boundedCopy(item)
  if (bounded === undefined || list.length >= longestList || !hasRoom(null, bounded, run)) return writeLog(core, app.app.id, `no room for another item in ${to.source}`)
  list.push(bounded)
  core.changed()
}

function runLater (delayMs: number, actions: readonly Action[], scope: Scope, { core, app, process }: ActionRun): void {
  if (core.state.pending.length >= mostPending) return writeLog(core, app.app.id, 'too many actions wait already')
  core.state.pending.push({ dueMs: core.nowMs() + delayMs, app, process, actions, scope })
}

function evaluateParams (params: Readonly<Record<string, Expression>>, scope: Scope): JsonObject {
  const all = boundedCopy(Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value.evaluate(scope)])))
  // The copy of an object is one; nothing is left of one that is too large.
  return all !== null && typeof all === 'object' && !Array.isArray(all) ? all : Object.fromEntries(Object.keys(params).map((name) => [name, null]))
}

function listAt (path: Path, scope: Scope): JsonValue[] {
  const value = readPath(scope, path)
  return Array.isArray(value) ? value : []
}

function holds (where: Expression, item: JsonValue, scope: Scope): boolean {
  return isTruthy(where.evaluate(withNames(scope, { item })))
}
