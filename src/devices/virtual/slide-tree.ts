import type { Rect, UiNode } from '../device-types.ts'
import { intersect } from './screen/box.ts'

/** A UI tree caught while the screen slides in from the right: everything is off by a part of the way. */
export function slideTree (root: UiNode, share: number): UiNode {
  const by = Math.round(root.rect.width * share)
  return { ...root, children: root.children.map((child) => slide(child, by, root.rect)) }
}

function slide (node: UiNode, by: number, screen: Rect): UiNode {
  const rect = intersect({ ...node.rect, x: node.rect.x + by }, screen)
  return { ...node, rect, children: node.children.map((child) => slide(child, by, screen)) }
}
