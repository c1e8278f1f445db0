/**
 * What a schema cannot see: that every name an app uses exists. A misspelt variable would
 * otherwise show as an empty text on some screen, long after the file was loaded.
 */
import type { Action } from './app-action.ts'
import type { AppDefinition, ScreenDefinition } from './app-definition.ts'
import type { AppNode } from './app-node.ts'
import type { Assignment } from './app-values.ts'
import type { Expression } from './expression.ts'
import type { Path } from './scope.ts'
import { parseTemplate } from './text-template.ts'
import { cut } from '../../../text/quote.ts'

/** A fault of an app file: where it is, as a dotted path, and what it is. */
export interface AppProblem {
  readonly path: string
  readonly problem: string
}

/** Problems of one file: how many, and as many of them as are described. */
export interface FoundProblems {
  readonly count: number
  readonly problems: readonly AppProblem[]
}

/** An author reads no more at once, and describing each costs memory. */
export const mostProblems = 20
const mostNamesTold = 20

/** Names every scope has. */
const builtInNames = ['params', 'device', 'permissions'] as const

/** What of the phone an app may change that is part of it. */
const phoneTargets = ['device.locale', 'device.darkTheme', 'device.textSize', 'device.wifi', 'device.mobileData', 'device.airplane'] as const

interface Place {
  readonly path: string
  /** The variables of the app. */
  readonly variables: ReadonlySet<string>
  /** Loop variables and link captures. */
  readonly locals: ReadonlySet<string>
  readonly dialogs: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
}

/**
 * Finds uses of names that the app does not have, and of apps that are not among the
 * installed ones where these are given.
 */
export function checkReferences (app: AppDefinition, installed?: ReadonlySet<string>): FoundProblems {
  const problems: AppProblem[] = []
  let count = 0
  const variables = new Set([...Object.keys(app.data), ...Object.keys(app.state)])
  const outside: Place = { path: '', variables, locals: new Set(), dialogs: new Set(), fields: new Set() }

  for (const name of variables) {
    if (builtInNames.some((builtIn) => builtIn === name)) report('', () => `"${name}" is a name of its own; call the variable something else`)
    if (Object.hasOwn(app.data, name) && Object.hasOwn(app.state, name)) report('', () => `"${name}" is both in data and in state`)
  }
  checkScreenName(app.firstScreen, 'firstScreen')
  checkActions(app.start, at(outside, 'start'))
  checkActions(app.receive, at(withLocals(outside, ['from', 'message']), 'receive'))
  app.links.forEach(({ pattern, open }, index) => {
    checkActions(open, at(withLocals(outside, pattern.captures), `links[${index}].open`))
  })
  for (const [language, texts] of app.words) {
    for (const [source, text] of texts) checkWords(source, text, `words.${language}`)
  }
  for (const [name, screen] of app.screens) checkScreen(screen, at(outside, `screens.${name}`))
  return { count, problems }

  /** Counts first: a file of misfits would make a text for each of them, times the names it might have meant. */
  function report (path: string, describe: () => string): void {
    count += 1
    if (problems.length < mostProblems) problems.push({ path, problem: describe() })
  }

  /** A text in another language sees what the text sees that it stands for. */
  function checkWords (source: string, text: Expression, path: string): void {
    const parsed = parseTemplate(source)
    if (!parsed.ok) return report(path, () => parsed.problem)
    for (const name of text.names) {
      if (!parsed.expression.names.includes(name)) report(path, () => `"${cut(source, 60)}" uses no name "${name}"`)
    }
  }

  function checkScreenName (name: string, path: string): void {
    if (!app.screens.has(name)) report(path, () => `no screen "${name}" (screens: ${some(app.screens.keys())})`)
  }

  function checkScreen (screen: ScreenDefinition, place: Place): void {
    const nodes = screen.content.flatMap(withInnerNodes)
    const inside: Place = {
      ...place,
      dialogs: new Set(nodes.flatMap((node) => (node.role === 'dialog' ? [node.id] : []))),
      fields: new Set(nodes.flatMap((node) => (node.role === 'field' && node.id !== undefined ? [node.id] : [])))
    }
    checkExpression(screen.title, at(inside, 'title'))
    screen.bar.forEach((button, index) => {
      const bar = at(inside, `bar[${index}]`)
      for (const key of ['icon', 'desc', 'visibleIf'] as const) checkExpression(button[key], at(bar, key))
      checkActions(button.tap, at(bar, 'tap'))
    })
    checkActions(screen.enter, at(inside, 'enter'))
    checkNodes(screen.content, at(inside, 'content'), true)
  }

  function checkNodes (nodes: readonly AppNode[], place: Place, topLevel: boolean): void {
    nodes.forEach((node, index) => {
      const here = { ...place, path: `${place.path}[${index}]` }
      if (node.role === 'dialog' && !topLevel) report(here.path, () => 'a dialog stands directly in the content of a screen')
      checkNode(node, here)
    })
  }

  function checkNode (node: AppNode, place: Place): void {
    const repeat = node.role === 'dialog' ? undefined : node.repeat
    checkExpression(repeat?.in, at(place, 'repeat.in'))
    const inside = repeat === undefined ? place : withLocals(place, [repeat.as, 'index'])
    if ('bind' in node) checkTarget(node.bind, at(inside, 'bind'))
    for (const key of ['visibleIf', 'enabledIf', 'text', 'detail', 'icon', 'trailing', 'desc', 'label', 'hint', 'title', 'url'] as const) {
      if (key in node) checkExpression((node as Partial<Record<typeof key, Expression>>)[key], at(inside, key))
    }
    for (const key of ['tap', 'longPress', 'submit'] as const) {
      if (key in node) checkActions((node as Partial<Record<typeof key, readonly Action[]>>)[key], at(inside, key))
    }
    if (node.role === 'tabs') node.options.forEach((option, index) => checkExpression(option.text, at(inside, `options[${index}].text`)))
    if (node.role === 'dialog') {
      node.buttons.forEach((button, index) => {
        checkExpression(button.text, at(inside, `buttons[${index}].text`))
        checkActions(button.tap, at(inside, `buttons[${index}].tap`))
      })
    }
    if ('content' in node) checkNodes(node.content, at(inside, 'content'), false)
  }

  function checkActions (actions: readonly Action[] | undefined, place: Place): void {
    actions?.forEach((action, index) => checkAction(action, { ...place, path: `${place.path}[${index}].${action.kind}` }))
  }

  function checkAction (action: Action, place: Place): void {
    switch (action.kind) {
      case 'set':
      case 'inc':
        return checkAssignments(action.with, place)
      case 'toggle':
        return checkTarget(action.with, place)
      case 'push':
        checkTarget(action.with.to, at(place, 'to'))
        return checkExpression(action.with.item, at(place, 'item'))
      case 'removeItem':
        checkTarget(action.with.from, at(place, 'from'))
        return checkExpression(action.with.where, at(withLocals(place, ['item']), 'where'))
      case 'forEach': {
        const inside = withLocals(place, ['item'])
        checkTarget(action.with.in, at(place, 'in'))
        checkExpression(action.with.where, at(inside, 'where'))
        return checkActions(action.with.do, at(inside, 'do'))
      }
      case 'goto':
        checkScreenName(action.with.screen, place.path)
        return checkParams(action.with.params, place)
      case 'dialog':
        if (!place.dialogs.has(action.with.id)) report(place.path, () => `no dialog "${action.with.id}" on this screen`)
        return checkParams(action.with.params, place)
      case 'focus':
        if (!place.fields.has(action.with)) report(place.path, () => `no field "${action.with}" on this screen`)
        return
      case 'toast':
      case 'copy':
      case 'log':
        return checkExpression(action.with, place)
      case 'send':
        checkExpression(action.with.to, at(place, 'to'))
        checkExpression(action.with.message, at(place, 'message'))
        checkActions(action.with.sent, at(place, 'sent'))
        return checkActions(action.with.failed, at(place, 'failed'))
      case 'delay':
        return checkActions(action.with.then, at(place, 'then'))
      case 'ifElse':
        checkExpression(action.with.if, at(place, 'if'))
        checkActions(action.with.then, at(place, 'then'))
        return checkActions(action.with.else, at(place, 'else'))
      case 'requestPermission':
        if (!app.permissions.includes(action.with.permission)) {
          report(place.path, () => `no permission "${action.with.permission}" (permissions: ${some(app.permissions)})`)
        }
        checkActions(action.with.granted, at(place, 'granted'))
        return checkActions(action.with.denied, at(place, 'denied'))
      case 'back':
      case 'dismiss':
      case 'crash':
        return
      case 'startApp':
        if (installed?.has(action.with) === false) report(place.path, () => `no app "${action.with}" is installed`)
    }
  }

  function checkParams (params: Readonly<Record<string, Expression>>, place: Place): void {
    for (const [name, value] of Object.entries(params)) checkExpression(value, at(place, `params.${name}`))
  }

  function checkAssignments (assignments: readonly Assignment[], place: Place): void {
    for (const { path, value } of assignments) {
      checkTarget(path, at(place, path.source))
      checkExpression(value, at(place, path.source))
    }
  }

  // A loop variable itself cannot be replaced, only what is inside it.
  function checkTarget (target: Path, place: Place): void {
    const isOfPhone = app.system && phoneTargets.some((name) => name === target.source)
    const settable = isOfPhone || place.variables.has(target.root) || (place.locals.has(target.root) && target.rest.length > 0)
    if (!settable) report(place.path, () => `no variable "${target.source}" to change (variables: ${some(place.variables)})`)
  }

  function checkExpression (expression: Expression | undefined, place: Place): void {
    for (const name of expression?.names ?? []) {
      const known = place.variables.has(name) || place.locals.has(name) || builtInNames.some((builtIn) => builtIn === name)
      if (!known) report(place.path, () => `no name "${name}" here (names: ${some([...place.locals, ...place.variables, ...builtInNames])})`)
    }
  }
}

function some (names: Iterable<string>): string {
  const all = [...names]
  return all.length > mostNamesTold ? `${all.slice(0, mostNamesTold).join(', ')} and ${all.length - mostNamesTold} more` : all.join(', ')
}

function withInnerNodes (node: AppNode): AppNode[] {
  return 'content' in node ? [node, ...node.content.flatMap(withInnerNodes)] : [node]
}

function withLocals (place: Place, names: readonly string[]): Place {
  return { ...place, locals: new Set([...names, ...place.locals]) }
}

function at (place: Place, key: string): Place {
  return { ...place, path: place.path === '' ? key : `${place.path}.${key}` }
}
