import type { AppNode, FlowNode } from '../apps/app-node.ts'
import { isTruthy, longestList, type JsonValue } from '../apps/json-value.ts'
import { withNames, type Scope } from '../apps/scope.ts'
import { spend } from '../apps/work-budget.ts'
import type { Layout } from './layout.ts'

const instanceCost = 50

/** A node of an app file that is to be shown, with the names it sees. */
export interface NodeInstance {
  readonly node: FlowNode
  readonly scope: Scope
  readonly key: string
}

/**
 * Repeats what is to be repeated and drops what is not to be seen, dialogs among it. What is
 * dropped takes its time too, and counts as a box that the screen cannot have any more.
 */
export function expandNodes (nodes: readonly AppNode[], scope: Scope, parentKey: string, { budget }: Pick<Layout, 'budget'>): NodeInstance[] {
  return nodes.flatMap((node, position) => {
    if (node.role === 'dialog' || budget.boxes <= 0) return []
    const key = `${parentKey}.${position}`
    return scopesOf(node, scope)
      .map((inner, index): NodeInstance => ({ node, scope: inner, key: node.repeat === undefined ? key : `${key}#${index}` }))
      .filter((instance) => {
        if (node.visibleIf === undefined) return true
        if (budget.boxes <= 0) return false
        const isVisible = isTruthy(node.visibleIf.evaluate(instance.scope))
        if (!isVisible) budget.boxes -= 1
        return isVisible
      })
  })
}

function scopesOf ({ repeat }: FlowNode, scope: Scope): Scope[] {
  if (repeat === undefined) return [scope]
  const items = itemsOf(repeat.in.evaluate(scope))
  return spend(instanceCost * items.length) ? items.map((item, index) => withNames(scope, { [repeat.as]: item, index })) : []
}

function itemsOf (value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value
  if (typeof value !== 'number' || value < 1) return []
  return Array.from({ length: Math.min(Math.floor(value), longestList) }, (_, index) => index + 1)
}
