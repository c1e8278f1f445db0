import type { Action } from '../apps/app-action.ts'
import type { Expression } from '../apps/expression.ts'
import { displayText, isTruthy, longestText } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import { spend } from '../apps/work-budget.ts'
import type { Touch } from './box.ts'
import { shorten } from '../../../text/quote.ts'

const layoutCost = 30

/** The text of a template, marked where it is longer than any may be. */
export function evaluateText (template: Expression, scope: Scope): string {
  return shownText(displayText(template.evaluate(scope)))
}

/** A text as far as it can be shown: wrapping and drawing it costs far more than reading it. */
export function shownText (text: string): string {
  return spend(layoutCost * text.length) ? shorten(text, longestText) : ''
}

/** The text of a template that a node need not have; undefined where it has none or it is empty. */
export function optionalText (template: Expression | undefined, scope: Scope): string | undefined {
  const text = template === undefined ? '' : evaluateText(template, scope)
  return text === '' ? undefined : text
}

/** What a screen reader says of a node, if anything. */
export function descriptionOf (template: Expression | undefined, scope: Scope): { readonly description?: string } {
  const description = optionalText(template, scope)
  return description === undefined ? {} : { description }
}

export function isEnabled ({ enabledIf }: { readonly enabledIf?: Expression | undefined }, scope: Scope): boolean {
  return enabledIf === undefined || isTruthy(enabledIf.evaluate(scope))
}

/** What touching a node does, while it is enabled. */
export function touchesOf (node: {
  readonly tap?: readonly Action[] | undefined
  readonly longPress?: readonly Action[] | undefined
  readonly enabledIf?: Expression | undefined
}, scope: Scope): { readonly tap?: Touch, readonly longPress?: Touch } {
  if (!isEnabled(node, scope)) return {}
  return {
    ...(node.tap === undefined ? {} : { tap: { kind: 'run', actions: node.tap, scope } }),
    ...(node.longPress === undefined ? {} : { longPress: { kind: 'run', actions: node.longPress, scope } })
  }
}

/** Facts of any node that a touch can reach. */
export function touchFacts (node: {
  readonly id?: string | undefined
  readonly tap?: readonly Action[] | undefined
  readonly longPress?: readonly Action[] | undefined
  readonly enabledIf?: Expression | undefined
}, scope: Scope): { readonly id?: string, readonly clickable: boolean, readonly longClickable: boolean, readonly enabled: boolean } {
  return {
    ...(node.id === undefined ? {} : { id: node.id }),
    clickable: node.tap !== undefined,
    longClickable: node.longPress !== undefined,
    enabled: isEnabled(node, scope)
  }
}
