/**
 * A screen after layout: a tree of boxes in device pixels. A box carries what the renderer
 * draws, what the UI tree tells, and what a touch does, so that the three can never disagree
 * about where something is.
 */
import type { ElementRole, Key, Point, Rect } from '../../device-types.ts'
import type { Action } from '../apps/app-action.ts'
import type { Path, Scope } from '../apps/scope.ts'
import type { TextLine } from './wrap-text.ts'

/** Colours by what they are for; each platform has its own. */
export type ColorName =
  | 'background' | 'surface' | 'sunken' | 'border' | 'text' | 'secondary' | 'accent' | 'onAccent' | 'tint' | 'danger' | 'disabled'
  | 'keyboard' | 'key' | 'specialKey' | 'toast' | 'onToast' | 'scrim' | 'onWallpaper'
export type Color = ColorName | `#${string}`

/** What a box looks like; it fills the box. Lengths are device pixels. */
export type Paint =
  | {
    readonly kind: 'surface'
    readonly color: Color
    readonly radius?: number
    readonly border?: { readonly color: Color, readonly width: number }
    /** Throws a shadow. */
    readonly raised?: boolean
  }
  | {
    readonly kind: 'text'
    readonly lines: readonly TextLine[]
    readonly size: number
    readonly lineHeight: number
    readonly bold: boolean
    readonly color: Color
    readonly align: 'start' | 'center' | 'end'
    /** Where the text cursor stands: after so many UTF-16 units of that line. */
    readonly caret?: { readonly line: number, readonly column: number }
  }
  | { readonly kind: 'glyph', readonly glyph: string, readonly size: number, readonly color: Color }
  | { readonly kind: 'switch' | 'checkbox', readonly on: boolean, readonly enabled: boolean }
  | { readonly kind: 'chevron' | 'backArrow', readonly color: Color }
  | { readonly kind: 'clock', readonly size: number }

/** What the UI tree says of a box. A box without facts is decoration. */
export interface UiFacts {
  readonly role: ElementRole
  readonly text?: string
  readonly description?: string
  readonly hint?: string
  readonly id?: string
  readonly clickable: boolean
  readonly longClickable: boolean
  readonly checked?: boolean
  readonly selected: boolean
  readonly enabled: boolean
  readonly focused: boolean
  readonly password: boolean
}

/** What a touch makes the phone do. */
export type Touch =
  | { readonly kind: 'run', readonly actions: readonly Action[], readonly scope: Scope }
  | { readonly kind: 'toggle', readonly path: Path, readonly actions: readonly Action[], readonly scope: Scope }
  | { readonly kind: 'choose', readonly path: Path, readonly value: string, readonly scope: Scope }
  | { readonly kind: 'answerDialog', readonly actions: readonly Action[], readonly scope: Scope }
  | { readonly kind: 'closeScreen' | 'closeSystemDialog' | 'paste' | 'offerPaste' | 'stopAllApps' }
  | { readonly kind: 'openApp', readonly app: string }
  | { readonly kind: 'answerPermission', readonly granted: boolean }
  | { readonly kind: 'focus' }
  | { readonly kind: 'type', readonly text: string }
  | { readonly kind: 'key', readonly key: Key }
  | { readonly kind: 'hideKeyboard' }
  | { readonly kind: 'keyboardLayer', readonly layer: KeyboardLayer }

export type KeyboardLayer = 'letters' | 'capitals' | 'symbols'

/** A box that takes text. */
export interface FieldFacts {
  readonly path: Path
  readonly scope: Scope
  readonly multiline: boolean
  readonly maxLength: number
  readonly submit?: readonly Action[]
}

/** A box whose children move under the finger. */
export interface ScrollFacts {
  /** Where the offset is kept. */
  readonly offsets: Map<string, number>
  readonly offset: number
  readonly furthest: number
  /** Rows out of sight do not exist, as in the lists of real phones. */
  readonly recycles: boolean
}

export interface Box {
  /** Tells the box from the others on its screen, and stays the same from look to look. */
  readonly key: string
  readonly rect: Rect
  /** The part of `rect` that can be seen; zero-sized when there is none. */
  readonly visible: Rect
  readonly paints: readonly Paint[]
  readonly children: readonly Box[]
  readonly facts?: UiFacts
  readonly tap?: Touch
  readonly longPress?: Touch
  readonly field?: FieldFacts
  readonly scroll?: ScrollFacts
}

/** What layout makes first; it gets its place on the screen from `settleBox`. */
export type Draft = Omit<Box, 'visible' | 'children'> & { readonly children: readonly Draft[] }

export function facts (role: ElementRole, more: Partial<Omit<UiFacts, 'role'>> = {}): UiFacts {
  return { role, clickable: false, longClickable: false, selected: false, enabled: true, focused: false, password: false, ...more }
}

/** The same draft, moved with everything in it. */
export function moveDraft (draft: Draft, by: Point): Draft {
  if (by.x === 0 && by.y === 0) return draft
  const { rect } = draft
  return {
    ...draft,
    rect: { ...rect, x: rect.x + by.x, y: rect.y + by.y },
    children: draft.children.map((child) => moveDraft(child, by))
  }
}

/** Finds out what of a draft can be seen through `clip`, after scrolling. */
export function settleBox (draft: Draft, clip: Rect, scrolled: Point = { x: 0, y: 0 }): Box {
  const rect = { ...draft.rect, x: draft.rect.x + scrolled.x, y: draft.rect.y + scrolled.y }
  const visible = intersect(rect, clip)
  const inside = draft.scroll === undefined ? scrolled : { x: scrolled.x, y: scrolled.y - draft.scroll.offset }
  const innerClip = draft.scroll === undefined ? clip : visible
  return { ...draft, rect, visible, children: draft.children.map((child) => settleBox(child, innerClip, inside)) }
}

/** The same box on a screen of that width with left and right exchanged, as readers from right to left have it. */
export function mirrorBox (box: Box, width: number): Box {
  const flip = (rect: Rect): Rect => ({ ...rect, x: width - rect.x - rect.width })
  return { ...box, rect: flip(box.rect), visible: flip(box.visible), children: box.children.map((child) => mirrorBox(child, width)) }
}

export function intersect (one: Rect, other: Rect): Rect {
  const x = Math.max(one.x, other.x)
  const y = Math.max(one.y, other.y)
  const right = Math.min(one.x + one.width, other.x + other.width)
  const bottom = Math.min(one.y + one.height, other.y + other.height)
  if (right > x && bottom > y) return { x, y, width: right - x, height: bottom - y }
  // Out of sight: at the edge that it went over.
  return { x: Math.min(x, other.x + other.width), y: Math.min(y, other.y + other.height), width: 0, height: 0 }
}

export function isVisible (box: Box): boolean {
  return box.visible.width > 0 && box.visible.height > 0
}

export function covers (rect: Rect, { x, y }: Point): boolean {
  return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height
}
