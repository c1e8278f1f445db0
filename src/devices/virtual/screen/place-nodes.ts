/**
 * Layout of app nodes: everything flows from top to bottom, a row's parts share its width,
 * and heights follow from the text by fixed line heights. Same nodes, same boxes.
 */
import type { ColumnNode, FlowNode, ListNode, RowNode } from '../apps/app-node.ts'
import type { Scope } from '../apps/scope.ts'
import { spend } from '../apps/work-budget.ts'
import { facts, moveDraft, type Draft } from './box.ts'
import { expandNodes, type NodeInstance } from './expand-nodes.ts'
import { draftText, typeStyles } from './draft-text.ts'
import { placeButton, placeImage, placeTabs, placeWebview } from './place-controls.ts'
import { placeField } from './place-field.ts'
import { placeCheckable, placeItem } from './place-item.ts'
import { bottomOf, dividers, type Layout, type Slot } from './layout.ts'
import { descriptionOf, evaluateText, touchesOf, touchFacts } from './node-values.ts'

const defaultGap = 12
/** To place, settle, tell and draw a box costs as much as to read so many characters. */
const boxCost = 800

/** Places nodes one below the other. */
export function placeColumn (instances: readonly NodeInstance[], slot: Slot, gap: number, layout: Layout): Draft[] {
  const drafts: Draft[] = []
  let y = slot.y
  for (const instance of instances) {
    const draft = placeNode(instance, { ...slot, y }, layout)
    if (draft === undefined) break
    drafts.push(draft)
    y += draft.rect.height + gap
  }
  return drafts
}

/** @returns undefined when the screen has as many boxes as it may have */
export function placeNode (instance: NodeInstance, slot: Slot, layout: Layout): Draft | undefined {
  if (layout.budget.boxes <= 0 || !spend(boxCost)) return undefined
  layout.budget.boxes -= 1
  const { node, scope, key } = instance
  switch (node.role) {
    case 'column': return placeColumnNode(node, scope, key, slot, layout)
    case 'row': return placeRow(node, scope, key, slot, layout)
    case 'list': return placeList(node, scope, key, slot, layout)
    case 'text': return draftText(evaluateText(node.text, scope), typeStyles[node.style], { key, density: layout.textDensity, ...slot }, {
      facts: touchFacts(node, scope)
    })
    case 'button': return placeButton(node, scope, key, slot, layout)
    case 'field': return placeField(node, scope, key, slot, layout)
    case 'switch':
    case 'checkbox': return placeCheckable(node, scope, key, slot, layout)
    case 'item': return placeItem(node, scope, key, slot, layout)
    case 'image': return placeImage(node, scope, key, slot, layout)
    case 'tabs': return placeTabs(node, scope, key, slot, layout)
    case 'webview': return placeWebview(node, scope, key, slot, layout)
  }
}

function placeColumnNode (node: ColumnNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const padding = node.padding * layout.density
  const gap = (node.gap ?? (node.card ? 0 : defaultGap)) * layout.density
  const inner = { x: slot.x + padding, y: slot.y + padding, width: slot.width - 2 * padding }
  const instances = expandNodes(node.content, scope, key, layout)
  const children = placeColumn(instances, inner, gap, layout)
  const lined = node.card && gap === 0 && padding === 0 ? dividers(children, 16 * layout.density) : []
  const height = bottomOf(children, inner.y) + padding - slot.y
  return {
    key,
    rect: { ...slot, height },
    paints: node.card ? [{ kind: 'surface', color: 'surface', radius: (layout.platform === 'ios' ? 12 : 18) * layout.density, raised: true }] : [],
    ...containerFacts(node, scope),
    children: [...children, ...lined]
  }
}

function placeRow (node: RowNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const gap = defaultGap * layout.density
  const instances = expandNodes(node.content, scope, key, layout)
  const fixed = instances.map((instance) => fixedWidth(instance.node, layout.density))
  const taken = fixed.reduce<number>((sum, width) => sum + (width ?? 0), 0) + gap * Math.max(instances.length - 1, 0)
  const flexible = fixed.filter((width) => width === undefined).length
  const share = Math.max(Math.floor((slot.width - taken) / Math.max(flexible, 1)), 24 * layout.density)
  const children: Draft[] = []
  let x = slot.x
  instances.forEach((instance, index) => {
    const width = fixed[index] ?? share
    const draft = placeNode(instance, { x, y: slot.y, width }, layout)
    if (draft !== undefined) children.push(draft)
    x += width + gap
  })
  const height = bottomOf(children, slot.y) - slot.y
  return {
    key,
    rect: { ...slot, height },
    paints: [],
    ...containerFacts(node, scope),
    children: children.map((child) => moveDraft(child, { x: 0, y: Math.floor((height - child.rect.height) / 2) }))
  }
}

function placeList (node: ListNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const children = placeColumn(expandNodes(node.content, scope, key, layout), slot, 0, layout)
  return {
    key,
    rect: { ...slot, height: bottomOf(children, slot.y) - slot.y },
    paints: [],
    facts: facts('list', touchFacts(node, scope)),
    children: [...children, ...dividers(children, 0)]
  }
}

// Icons keep their size; everything else in a row shares what is left.
function fixedWidth (node: FlowNode, density: number): number | undefined {
  if (node.role === 'button' && node.text === undefined) return 48 * density
  if (node.role === 'image') return Math.min(node.height, 120) * density
  return undefined
}

function containerFacts (node: ColumnNode | RowNode, scope: Scope): Pick<Draft, 'facts' | 'tap' | 'longPress'> {
  const isTouchable = node.tap !== undefined || node.longPress !== undefined
  return {
    facts: facts(isTouchable ? 'item' : 'group', { ...touchFacts(node, scope), ...descriptionOf(node.desc, scope) }),
    ...touchesOf(node, scope)
  }
}
