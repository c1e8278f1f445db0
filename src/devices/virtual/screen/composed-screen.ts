/** A screen of the phone once it is put together (`compose-screen.ts`), and what a touch can reach on it. */
import type { Orientation, Point } from '../../device-types.ts'
import { covers, isVisible, type Box } from './box.ts'

export interface Layer {
  readonly boxes: readonly Box[]
  /** Shuts off what lies below. */
  readonly isModal: boolean
  /** Darkens what lies below. */
  readonly hasScrim: boolean
}

export interface Screen {
  readonly size: { readonly width: number, readonly height: number }
  readonly orientation: Orientation
  /** Id of the app in front, `null` on the home screen and where none can be seen. */
  readonly app: string | null
  /** The app's name for its screen. */
  readonly activity: string | undefined
  readonly backdrop: 'app' | 'wallpaper' | 'off'
  readonly keyboardShown: boolean
  /** Drawn light on dark. */
  readonly isDark: boolean
  /** Left and right are exchanged, for a language that is read from right to left. */
  readonly isMirrored: boolean
  /** Bottom first. */
  readonly layers: readonly Layer[]
  /** About how much memory it takes, in boxes. */
  readonly weight: number
}

/** The layers a touch can reach, bottom first. */
export function reachableLayers (layers: readonly Layer[]): readonly Layer[] {
  return layers.slice(Math.max(layers.findLastIndex(({ isModal }) => isModal), 0))
}

/** The boxes at a point that can be seen and reached, the topmost first. */
export function boxesAt (screen: Screen, point: Point): Box[] {
  return reachableLayers(screen.layers).flatMap(({ boxes }) => boxes.flatMap((box) => boxesUnder(box, point))).reverse()
}

/** Every box that can be reached, in the order of the tree. */
export function reachableBoxes (screen: Screen): Box[] {
  return reachableLayers(screen.layers).flatMap(({ boxes }) => boxes.flatMap(withInnerBoxes))
}

function boxesUnder (box: Box, point: Point): Box[] {
  const inner = box.children.flatMap((child) => boxesUnder(child, point))
  return isVisible(box) && covers(box.visible, point) ? [box, ...inner] : inner
}

/** A box and all boxes in it. */
export function withInnerBoxes (box: Box): Box[] {
  return [box, ...box.children.flatMap(withInnerBoxes)]
}
