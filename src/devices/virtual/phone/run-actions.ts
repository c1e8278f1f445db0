/**
 * Runs the actions of apps. There are no loops in the language, but screens that open each
 * other would make one: what one event sets off is bounded.
 */
import type { Action } from '../apps/app-action.ts'
import { boundedCopy, displayText, isTruthy, longestList, longestText, type JsonObject, type JsonValue } from '../apps/json-value.ts'
import { readPath, withNames, writePath, type Path, type Scope } from '../apps/scope.ts'
import type { Assignment } from '../apps/app-values.ts'
import type { Expression } from '../apps/expression.ts'
import { closeScreen, crashApp, openApp, openDialog, openScreen } from './app-life.ts'
import { topOf } from './app-scope.ts'
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
  readonly budget: { actions: number }
}

/** Actions that one touch, key or timer may set off. */
export const mostActions = 1_000
const mostPending = 100

export function runActions (actions: readonly Action[], scope: Scope, run: ActionRun): void {
  for (const action of actions) {
    if (run.app.process !== run.process) return
    run.budget.actions -= 1
    if (run.budget.actions === 0) writeLog(run.core, run.app.app.id, `stopped after ${mostActions} actions in one event`)
    if (run.budget.actions <= 0) return
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

function store (path: Path, value: JsonValue, scope: Scope, { core, app }: ActionRun): void {
  const bounded = boundedCopy(value)
  if (bounded === undefined) return writeLog(core, app.app.id, `the value for ${path.source} is too large`)
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
  if (bounded === undefined || list.length >= longestList) return writeLog(core, app.app.id, `no room for another item in ${to.source}`)
  list.push(bounded)
  core.changed()
}

function runLater (delayMs: number, actions: readonly Action[], scope: Scope, { core, app, process }: ActionRun): void {
  if (core.state.pending.length >= mostPending) return writeLog(core, app.app.id, 'too many actions wait already')
  core.state.pending.push({ dueMs: core.nowMs() + delayMs, app, process, actions, scope })
}

function evaluateParams (params: Readonly<Record<string, Expression>>, scope: Scope): JsonObject {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, boundedCopy(value.evaluate(scope)) ?? null]))
}

function listAt (path: Path, scope: Scope): JsonValue[] {
  const value = readPath(scope, path)
  return Array.isArray(value) ? value : []
}

function holds (where: Expression, item: JsonValue, scope: Scope): boolean {
  return isTruthy(where.evaluate(withNames(scope, { item })))
}
