import type { Platform } from '../../device-types.ts'
import type { AppDefinition } from '../apps/app-definition.ts'
import type { Draft } from './box.ts'
import type { SystemWords } from './system-words.ts'

/** What layout has to know of the phone. */
export interface Layout {
  readonly platform: Platform
  readonly density: number
  /** Device pixels to one dp of a text: it grows with the text size that the phone is set to. */
  readonly textDensity: number
  /** Scroll offsets by the key of the box that scrolls. */
  readonly offsets: Map<string, number>
  readonly focus: { readonly key: string, readonly cursor: number } | undefined
  /** What the phone itself says, in its language. */
  readonly say: SystemWords
  /** What the phone calls an app. */
  readonly nameOf: (app: AppDefinition) => string
  /** Whether the clipboard holds something for a field. */
  readonly canPaste: boolean
  /** How many more boxes this screen may have, so that no app file can ask for endless ones. */
  readonly budget: { boxes: number }
}

/** Where a node goes: device pixels. */
export interface Slot {
  readonly x: number
  readonly y: number
  readonly width: number
}

export const mostBoxes = 5_000

/** Lowest edge of what was placed, or `y` when nothing was. */
export function bottomOf (drafts: readonly Draft[], y: number): number {
  return drafts.reduce((bottom, { rect }) => Math.max(bottom, rect.y + rect.height), y)
}

/** Hairlines between rows. */
export function dividers (rows: readonly Draft[], inset: number): Draft[] {
  return rows.slice(1).map(({ key, rect }) => ({
    key: `${key}/line`,
    rect: { x: rect.x + inset, y: rect.y - 1, width: rect.width - inset, height: 2 },
    paints: [{ kind: 'surface', color: 'border' }],
    children: []
  }))
}

/** Makes a draft scroll: its children move under the finger when they are higher than it. */
export function scrollDraft (draft: Draft, contentBottom: number, { offsets }: Pick<Layout, 'offsets'>, recycles: boolean): Draft {
  const furthest = Math.max(0, Math.ceil(contentBottom - (draft.rect.y + draft.rect.height)))
  const offset = Math.min(offsets.get(draft.key) ?? 0, furthest)
  return { ...draft, scroll: { offsets, offset, furthest, recycles } }
}
