import type { Rect } from '../../device-types.ts'
import type { BarButton, ScreenDefinition } from '../apps/app-definition.ts'
import { isTruthy } from '../apps/json-value.ts'
import type { Scope } from '../apps/scope.ts'
import type { PhoneProfile } from '../phone/phone-profile.ts'
import { facts, moveDraft, type Draft } from './box.ts'
import { draftText, typeStyles } from './draft-text.ts'
import { expandNodes } from './expand-nodes.ts'
import { bottomOf, scrollDraft, type Layout } from './layout.ts'
import { descriptionOf, evaluateText } from './node-values.ts'
import { placeColumn } from './place-nodes.ts'

const barButtonSize = 48
const margin = 16
const gap = 12

/** The screen of an app: top bar and body. */
export function placeAppScreen (screen: ScreenDefinition, { scope, area, inset, layout, profile, canGoBack }: {
  readonly scope: Scope
  /** Between the status bar and the keyboard, or the edge of the screen. */
  readonly area: Rect
  /** How much of its lower end only scrolling content may use. */
  readonly inset: number
  readonly layout: Layout
  readonly profile: PhoneProfile
  readonly canGoBack: boolean
}): Draft[] {
  const bar = placeBar(screen, scope, { ...area, height: profile.topBar * layout.density }, layout, canGoBack)
  const top = bar.rect.y + bar.rect.height
  const body = { ...area, y: top, height: Math.max(area.y + area.height - top, 0) }
  return [bar, placeBody(screen, scope, body, inset, layout)]
}

function placeBar (screen: ScreenDefinition, scope: Scope, rect: Rect, layout: Layout, canGoBack: boolean): Draft {
  const { density, textDensity, platform } = layout
  const size = barButtonSize * density
  const y = rect.y + Math.round((rect.height - size) / 2)
  const buttons = screen.bar
    .filter(({ visibleIf }) => visibleIf === undefined || isTruthy(visibleIf.evaluate(scope)))
    .map((button, index, all) => {
      const x = rect.x + rect.width - (all.length - index) * size - 4 * density
      return barButton(button, `bar.${index}`, { x, y, width: size, height: size }, scope, density)
    })
  const back: Draft[] = canGoBack ? [backButton({ x: rect.x + 4 * density, y, width: size, height: size }, layout)] : []
  const left = rect.x + (canGoBack ? barButtonSize + 8 : margin + 4) * density
  const right = rect.x + rect.width - (buttons.length === 0 ? margin * density : buttons.length * size + 8 * density)
  // Centered between equal margins, as on that platform.
  const side = Math.max(left - rect.x, rect.x + rect.width - right)
  const slot = platform === 'ios'
    ? { x: rect.x + side, width: Math.max(rect.width - 2 * side, size) }
    : { x: left, width: Math.max(right - left, size) }
  const title = draftText(evaluateText(screen.title, scope), { ...typeStyles.bar, size: platform === 'ios' ? 18 : 21 }, {
    key: 'bar/title', y: rect.y, density: textDensity, ...slot
  }, { align: platform === 'ios' ? 'center' : 'start', mostLines: 1, facts: { id: 'title' } })
  return {
    key: 'bar',
    rect,
    paints: [],
    facts: facts('group'),
    children: [...back, moveDraft(title, { x: 0, y: Math.round((rect.height - title.rect.height) / 2) }), ...buttons]
  }
}

function backButton (rect: Rect, { density, say }: Layout): Draft {
  const arrow = { x: rect.x + 12 * density, y: rect.y + 12 * density, width: 24 * density, height: 24 * density }
  return {
    key: 'bar/back',
    rect,
    paints: [],
    facts: facts('button', { description: say('Back'), id: 'back', clickable: true }),
    tap: { kind: 'closeScreen' },
    children: [{ key: 'bar/back/arrow', rect: arrow, paints: [{ kind: 'backArrow', color: 'accent' }], children: [] }]
  }
}

function barButton (button: BarButton, key: string, rect: Rect, scope: Scope, density: number): Draft {
  return {
    key,
    rect,
    paints: [{ kind: 'glyph', glyph: evaluateText(button.icon, scope), size: 23 * density, color: 'accent' }],
    facts: facts('button', { ...descriptionOf(button.desc, scope), ...(button.id === undefined ? {} : { id: button.id }), clickable: true }),
    tap: { kind: 'run', actions: button.tap, scope },
    children: []
  }
}

function placeBody (screen: ScreenDefinition, scope: Scope, rect: Rect, inset: number, layout: Layout): Draft {
  const { density } = layout
  const slot = { x: rect.x + margin * density, y: rect.y + 8 * density, width: rect.width - 2 * margin * density }
  const instances = expandNodes(screen.content, scope, 'body', layout)
  const listAt = screen.scroll ? -1 : instances.findIndex(({ node }) => node.role === 'list')
  if (listAt === -1) {
    const children = placeColumn(instances, slot, gap * density, layout)
    const body = { key: 'body', rect, paints: [], facts: facts('group'), children }
    return screen.scroll ? scrollDraft(body, bottomOf(children, rect.y) + 16 * density + inset, layout, false) : body
  }

  const above = placeColumn(instances.slice(0, listAt), slot, gap * density, layout)
  const listTop = above.length === 0 ? rect.y : bottomOf(above, slot.y) + gap * density
  const below = placeColumn(instances.slice(listAt + 1), { ...slot, y: 0 }, gap * density, layout)
  const belowHeight = below.length === 0 ? 0 : bottomOf(below, 0) + gap * density + Math.max(gap * density, inset)
  const listBottom = Math.max(rect.y + rect.height - belowHeight, listTop)
  // The list reaches from edge to edge: its rows have margins of their own.
  const [list] = placeColumn(instances.slice(listAt, listAt + 1), { x: rect.x, y: listTop, width: rect.width }, 0, layout)
  const listRect = { ...rect, y: listTop, height: listBottom - listTop }
  const contentBottom = bottomOf(list === undefined ? [] : [list], listTop) + (below.length === 0 ? inset : 0)
  const scrolling = list === undefined ? [] : [scrollDraft({ ...list, rect: listRect }, contentBottom, layout, true)]
  const moved = below.map((draft) => moveDraft(draft, { x: 0, y: listBottom + gap * density }))
  return { key: 'body', rect, paints: [], facts: facts('group'), children: [...above, ...scrolling, ...moved] }
}
