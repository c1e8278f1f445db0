import type { ItemNode, SwitchNode } from '../apps/app-node.ts'
import { isTruthy } from '../apps/json-value.ts'
import { readPath, type Scope } from '../apps/scope.ts'
import { facts, moveDraft, type Draft, type UiFacts } from './box.ts'
import { draftText, typeStyles } from './draft-text.ts'
import { bottomOf, type Layout, type Slot } from './layout.ts'
import { descriptionOf, evaluateText, isEnabled, optionalText, touchesOf, touchFacts } from './node-values.ts'
import { textWidth } from './text-width.ts'

const padding = 16
const iconSize = 40
const shortest = 54

/** A row of a list: an icon, a title, a line below it, a short text at the far end. */
export function placeItem (node: ItemNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const { density, textDensity, platform } = layout
  const trailing = optionalText(node.trailing, scope)
  const chevron = platform === 'ios' && node.tap !== undefined
  const trailingWidth = trailing === undefined ? 0 : Math.ceil(textWidth(trailing, typeStyles.itemDetail.size * textDensity, false)) + 4 * density
  const reserved = trailingWidth + (trailing === undefined ? 0 : 8 * density) + (chevron ? 18 * density : 0)
  const row = placeLabels(node, scope, key, { slot, reserved, density, textDensity })
  const right = slot.x + slot.width - padding * density - (chevron ? 18 * density : 0)
  const trailingPlace = { key: `${key}/trailing`, x: right - trailingWidth, y: slot.y, width: trailingWidth, density: textDensity }
  return {
    ...row,
    facts: facts('item', { ...touchFacts(node, scope), ...descriptionOf(node.desc, scope) }),
    ...touchesOf(node, scope),
    children: [
      ...row.children,
      ...(trailing === undefined
        ? []
        : [centered(draftText(trailing, typeStyles.itemDetail, trailingPlace, { align: 'end', mostLines: 1 }), row)]),
      ...(chevron ? [decoration(`${key}/chevron`, right + 6 * density, 12 * density, row, { kind: 'chevron', color: 'disabled' })] : [])
    ]
  }
}

/** A row with a value that a tap turns on and off. */
export function placeCheckable (node: SwitchNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const { density, textDensity } = layout
  const on = isTruthy(readPath(scope, node.bind))
  const control = (node.role === 'switch' ? 52 : 26) * density
  const row = placeLabels(node, scope, key, { slot, reserved: control + 12 * density, density, textDensity })
  const { id, enabled } = touchFacts(node, scope)
  const own: UiFacts = facts(node.role, { text: evaluateText(node.text, scope), ...(id === undefined ? {} : { id }), clickable: true, checked: on, enabled })
  return {
    ...row,
    facts: own,
    ...(enabled ? { tap: { kind: 'toggle', path: node.bind, actions: node.tap ?? [], scope } } : {}),
    children: [
      // The title is the text of the row itself.
      ...row.children.map((child) => (child.key === `${key}/title` ? withoutFacts(child) : child)),
      decoration(`${key}/control`, slot.x + slot.width - padding * density - control, control, row, { kind: node.role, on, enabled })
    ]
  }
}

function placeLabels (node: ItemNode | SwitchNode, scope: Scope, key: string, place: {
  readonly slot: Slot
  /** Room at the far end for something else. */
  readonly reserved: number
  readonly density: number
  readonly textDensity: number
}): Draft {
  const { slot, reserved, density, textDensity } = place
  const icon = optionalText(node.icon, scope)
  const x = slot.x + (padding + (icon === undefined ? 0 : iconSize + 14)) * density
  const width = Math.max(slot.x + slot.width - padding * density - reserved - x, 24 * density)
  const title = optionalText(node.text, scope)
  const detail = optionalText(node.detail, scope)
  const labels: Draft[] = []
  const titleStyle = isEnabled(node, scope) ? typeStyles.itemTitle : { ...typeStyles.itemTitle, color: 'disabled' as const }
  if (title !== undefined) labels.push(draftText(title, titleStyle, { key: `${key}/title`, x, y: slot.y, width, density: textDensity }, { mostLines: 3 }))
  if (detail !== undefined) {
    labels.push(draftText(detail, typeStyles.itemDetail, { key: `${key}/detail`, x, y: bottomOf(labels, slot.y), width, density: textDensity }, { mostLines: 3 }))
  }
  const textHeight = bottomOf(labels, slot.y) - slot.y
  const height = Math.max(textHeight + 18 * density, (icon === undefined ? shortest : iconSize + 18) * density)
  const row: Draft = { key, rect: { ...slot, height }, paints: [], children: [] }
  return {
    ...row,
    children: [
      ...(icon === undefined ? [] : [iconDraft(icon, key, slot.x + padding * density, row, density)]),
      ...labels.map((label) => moveDraft(label, { x: 0, y: Math.round((height - textHeight) / 2) }))
    ]
  }
}

function iconDraft (icon: string, key: string, x: number, row: Draft, density: number): Draft {
  const size = iconSize * density
  return {
    key: `${key}/icon`,
    rect: { x, y: row.rect.y + Math.round((row.rect.height - size) / 2), width: size, height: size },
    paints: [
      { kind: 'surface', color: 'tint', radius: size / 2 },
      { kind: 'glyph', glyph: icon, size: 21 * density, color: 'accent' }
    ],
    facts: facts('img'),
    children: []
  }
}

function decoration (key: string, x: number, width: number, row: Draft, paint: Draft['paints'][number]): Draft {
  return { key, rect: { x, y: row.rect.y, width, height: row.rect.height }, paints: [paint], children: [] }
}

function centered (draft: Draft, { rect }: Draft): Draft {
  return moveDraft(draft, { x: 0, y: Math.round((rect.height - draft.rect.height) / 2) })
}

function withoutFacts ({ facts: _, ...rest }: Draft): Draft {
  return rest
}
