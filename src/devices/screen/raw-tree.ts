import type { UiNode } from '../device-types.ts'
import { cut } from '../../text/quote.ts'

const deepest = 200
const longestText = 20_000
// Of all texts together, so that the result stays one a client takes.
const mostCharacters = 50_000

export interface RawTree {
  readonly tree: Readonly<Record<string, unknown>>
  readonly shown: number
  readonly total: number
  /** Whether a text was cut; its node says `cut`. */
  readonly isCut: boolean
}

/** The tree as the platform reported it, without what is false or absent, cut after `max` nodes. */
export function rawTree (root: UiNode, max: number): RawTree {
  let shown = 0
  let total = 0
  let charactersLeft = mostCharacters
  let isCut = false
  const tree = convert(root, 0) ?? {}
  return { tree, shown, total, isCut }

  function convert (node: UiNode, depth: number): Record<string, unknown> | undefined {
    total += 1
    const isShown = shown < max
    if (isShown) shown += 1
    const children = depth < deepest
      ? node.children.map((child) => convert(child, depth + 1)).filter((child) => child !== undefined)
      : []
    if (!isShown) return undefined
    const { x, y, width, height } = node.rect
    const flags = ['clickable', 'longClickable', 'scrollable', 'selected', 'focused', 'password'] as const
    return {
      role: node.role,
      ...textsOf(node),
      rect: [x, y, width, height],
      ...Object.fromEntries(flags.filter((flag) => node[flag]).map((flag) => [flag, true])),
      ...(node.checked === undefined ? {} : { checked: node.checked }),
      ...(node.enabled ? {} : { enabled: false }),
      ...(children.length === 0 ? {} : { children })
    }
  }

  function textsOf (node: UiNode): Record<string, unknown> {
    const texts: Record<string, unknown> = {}
    for (const name of ['text', 'description', 'hint', 'id'] as const) {
      const whole = node[name]
      if (whole === undefined) continue
      const kept = cut(whole, Math.min(longestText, charactersLeft))
      charactersLeft -= kept.length
      texts[name] = kept
      if (kept !== whole) isCut = texts['cut'] = true
    }
    return texts
  }
}
