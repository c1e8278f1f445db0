import type { ButtonNode, ButtonStyle, ImageNode, TabsNode, WebviewNode } from '../apps/app-node.ts'
import { readPath, type Scope } from '../apps/scope.ts'
import { facts, type Color, type Draft, type Paint } from './box.ts'
import { centeredText, draftText, textPaint, typeStyles } from './draft-text.ts'
import { bottomOf, type Layout, type Slot } from './layout.ts'
import { descriptionOf, evaluateText, isEnabled, optionalText, touchesOf, touchFacts } from './node-values.ts'

const buttonHeight = 48

export function placeButton (node: ButtonNode, scope: Scope, key: string, slot: Slot, layout: Layout): Draft {
  const { density, textDensity } = layout
  const enabled = isEnabled(node, scope)
  const text = optionalText(node.text, scope)
  const icon = optionalText(node.icon, scope)
  const button = buttonLook(text === undefined ? 'plain' : node.style, enabled, layout)
  const label = [icon, text].filter((part) => part !== undefined).join('  ')
  const style = { ...typeStyles.button, color: button.color }
  const inner = { ...slot, x: slot.x + 12 * density, width: slot.width - 24 * density }
  const labelHeight = text === undefined ? 0 : textPaint(label, style, { width: inner.width, density: textDensity }).lines.length * style.lineHeight * textDensity
  const rect = { ...slot, height: Math.max(buttonHeight * density, labelHeight + 24 * density) }
  return {
    key,
    rect,
    paints: text === undefined && icon !== undefined
      ? [...button.paints, { kind: 'glyph', glyph: icon, size: 23 * density, color: button.color }]
      : button.paints,
    facts: facts('button', { ...touchFacts(node, scope), ...(text === undefined ? {} : { text }), ...descriptionOf(node.desc, scope), clickable: true }),
    ...touchesOf(node, scope),
    children: text === undefined ? [] : [centeredText(label, style, `${key}/label`, { ...inner, height: rect.height }, textDensity)]
  }
}

/** The surface of a button and the colour of what stands on it. */
export function buttonLook (style: ButtonStyle, enabled: boolean, { platform, density }: Layout): {
  readonly paints: readonly Paint[]
  readonly color: Color
} {
  const radius = (platform === 'ios' ? 12 : buttonHeight / 2) * density
  if (style === 'filled') return { paints: [{ kind: 'surface', color: enabled ? 'accent' : 'sunken', radius }], color: enabled ? 'onAccent' : 'disabled' }
  const color = enabled ? (style === 'danger' ? 'danger' : 'accent') : 'disabled'
  if (style === 'plain') return { paints: [], color }
  return { paints: [{ kind: 'surface', color: 'surface', radius, border: { color, width: 1.2 * density } }], color }
}

/** A picture: a glyph on a tinted surface. */
export function placeImage (node: ImageNode, scope: Scope, key: string, slot: Slot, { density }: Layout): Draft {
  const height = node.height * density
  return {
    key,
    rect: { ...slot, height },
    paints: [
      { kind: 'surface', color: 'tint', radius: Math.min(16 * density, height / 4) },
      { kind: 'glyph', glyph: evaluateText(node.icon, scope), size: height * 0.5, color: 'accent' }
    ],
    facts: facts('img', { ...touchFacts(node, scope), ...descriptionOf(node.desc, scope) }),
    ...touchesOf(node, scope),
    children: []
  }
}

export function placeTabs (node: TabsNode, scope: Scope, key: string, slot: Slot, { density, textDensity }: Layout): Draft {
  const chosen = readPath(scope, node.bind)
  const height = 44 * density
  const width = Math.floor(slot.width / node.options.length)
  const enabled = isEnabled(node, scope)
  const children = node.options.map((option, index): Draft => {
    const selected = option.value === chosen
    const rect = { x: slot.x + index * width, y: slot.y, width, height }
    const text = evaluateText(option.text, scope)
    return {
      key: `${key}.${index}`,
      rect,
      paints: selected ? [{ kind: 'surface', color: 'surface', radius: height / 2, border: { color: 'accent', width: 1.2 * density } }] : [],
      facts: facts('tab', { text, clickable: true, selected, enabled }),
      ...(enabled ? { tap: { kind: 'choose', path: node.bind, value: option.value, scope } } : {}),
      children: [centeredText(text, { ...typeStyles.button, color: selected ? 'accent' : 'secondary' }, `${key}.${index}/label`, inset(rect, 6 * density), textDensity)]
    }
  })
  return {
    key,
    rect: { ...slot, height },
    paints: [{ kind: 'surface', color: 'sunken', radius: height / 2 }],
    facts: facts('group', touchFacts(node, scope)),
    children
  }
}

/** A page in a frame with its address. */
export function placeWebview (node: WebviewNode, scope: Scope, key: string, slot: Slot, { density, textDensity }: Layout): Draft {
  const padding = 14 * density
  const inner = { x: slot.x + padding, width: slot.width - 2 * padding, density: textDensity }
  const title = evaluateText(node.title, scope)
  const address: Draft = {
    ...draftText(evaluateText(node.url, scope), typeStyles.label, { key: `${key}/url`, y: slot.y + 8 * density, ...inner }, { align: 'center', mostLines: 1 })
  }
  const bar: Draft = {
    key: `${key}/bar`,
    rect: { ...slot, height: Math.max(33 * density, 16 * density + address.rect.height) },
    paints: [{ kind: 'surface', color: 'sunken', radius: 10 * density }],
    children: [address]
  }
  const heading = draftText(title, { ...typeStyles.title, size: 20, lineHeight: 28 }, { key: `${key}/title`, y: bottomOf([bar], slot.y) + 12 * density, ...inner })
  const body = draftText(evaluateText(node.text, scope), typeStyles.body, { key: `${key}/text`, y: bottomOf([heading], slot.y) + 6 * density, ...inner })
  return {
    key,
    rect: { ...slot, height: bottomOf([body], slot.y) + padding - slot.y },
    paints: [{ kind: 'surface', color: 'surface', radius: 10 * density, border: { color: 'border', width: density } }],
    facts: facts('web', { ...touchFacts(node, scope), description: title }),
    children: [bar, heading, body]
  }
}

function inset (rect: Draft['rect'], by: number): Draft['rect'] {
  return { ...rect, x: rect.x + by, width: Math.max(rect.width - 2 * by, 0) }
}
