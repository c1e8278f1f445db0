import type { UiNode } from '../device-types.ts'
import { cut } from '../../text/quote.ts'

const deepest = 200
const longestText = 4_000
// Of all texts together, so that the result stays one a client takes.
const mostCharacters = 50_000

export interface RawTree {
  readonly tree: Readonly<Record<string, unknown>>
  readonly shown: number
  readonly total: number
}

/** The tree as the platform reported it, without what is false or absent, cut after `max` nodes. */
export function rawTree (root: UiNode, max: number): RawTree {
  let shown = 0
  let total = 0
  let charactersLeft = mostCharacters
  const tree = convert(root, 0) ?? {}
  return { tree, shown, total }

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
      ...textOf('text', node.text),
      ...textOf('description', node.description),
      ...textOf('hint', node.hint),
      ...textOf('id', node.id),
      rect: [x, y, width, height],
      ...Object.fromEntries(flags.filter((flag) => node[flag]).map((flag) => [flag, true])),
      ...(node.checked === undefined ? {} : { checked: node.checked }),
      ...(node.enabled ? {} : { enabled: false }),
      ...(children.length === 0 ? {} : { children })
    }
  }

  function textOf (name: string, text: string | undefined): Record<string, string> {
    if (text === undefined) return {}
    const kept = cut(text, Math.min(longestText, charactersLeft))
    charactersLeft -= kept.length
    return { [name]: kept }
  }
}
