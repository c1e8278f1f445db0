import type { UiNode } from '../../device-types.ts'
import { isVisible, type Box, type UiFacts } from './box.ts'
import { reachableLayers, type Screen } from './composed-screen.ts'

/**
 * The UI tree of a screen, as a platform would report it. The status bar is no part of it:
 * on real phones that is another window.
 */
export function uiTree (screen: Screen): UiNode {
  return {
    role: 'group',
    rect: { x: 0, y: 0, ...screen.size },
    clickable: false,
    longClickable: false,
    scrollable: false,
    selected: false,
    enabled: true,
    focused: false,
    password: false,
    children: reachableLayers(screen.layers).flatMap(({ boxes }) => boxes.flatMap((box) => nodesOf(box, false)))
  }
}

// A box without facts stands for nothing itself; what is in it moves up.
function nodesOf (box: Box, recycles: boolean): UiNode[] {
  if (recycles && !isVisible(box)) return []
  const children = box.children.flatMap((child) => nodesOf(child, box.scroll?.recycles ?? false))
  return box.facts === undefined ? children : [nodeOf(box, box.facts, children)]
}

function nodeOf (box: Box, facts: UiFacts, children: readonly UiNode[]): UiNode {
  const { role, clickable, longClickable, selected, enabled, focused, password } = facts
  return {
    role,
    ...(facts.text === undefined ? {} : { text: facts.text }),
    ...(facts.description === undefined ? {} : { description: facts.description }),
    ...(facts.hint === undefined ? {} : { hint: facts.hint }),
    ...(facts.id === undefined ? {} : { id: facts.id }),
    rect: box.visible,
    clickable,
    longClickable,
    scrollable: (box.scroll?.furthest ?? 0) > 0,
    ...(facts.checked === undefined ? {} : { checked: facts.checked }),
    selected,
    enabled,
    focused,
    password,
    children
  }
}
