import type { ElementRole, Observation, Rect, UiNode } from '../../src/devices/device-types.ts'

type Facts = Partial<Omit<UiNode, 'role' | 'children' | 'rect'>> & { readonly rect?: readonly [number, number, number, number] }

const tappable: ReadonlySet<string> = new Set(['button', 'item', 'switch', 'checkbox', 'field', 'tab', 'key'])

/** A UI node; what its role lets expect (a button can be tapped) is the default. */
export function node (role: ElementRole, facts: Facts = {}, children: readonly UiNode[] = []): UiNode {
  const { rect, ...others } = facts
  return {
    role,
    rect: rectOf(rect ?? [0, 0, 1080, 100]),
    clickable: tappable.has(role),
    longClickable: false,
    scrollable: false,
    selected: false,
    enabled: true,
    focused: false,
    password: false,
    ...others,
    children
  }
}

/** Rows below one another, each 100 pixels high, in a layout that fills the screen. */
export function column (...rows: ReadonlyArray<(rect: readonly [number, number, number, number]) => UiNode>): UiNode {
  return node('group', { rect: [0, 0, 1080, 2400] }, rows.map((row, index) => row([0, index * 100, 1080, 100])))
}

/** One look at a phone that shows this tree. */
export function look (root: UiNode, facts: Partial<Omit<Observation, 'root'>> = {}): Observation {
  return {
    capturedAtMs: 0,
    app: 'com.example.app',
    activity: 'main',
    size: { width: 1080, height: 2400 },
    orientation: 'portrait',
    keyboardShown: false,
    locked: false,
    warnings: [],
    ...facts,
    root
  }
}

function rectOf ([x, y, width, height]: readonly [number, number, number, number]): Rect {
  return { x, y, width, height }
}
