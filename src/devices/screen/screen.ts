/**
 * The screen as agents read it: a flat list of what matters in a UI tree, in reading order,
 * each element with a short name (`ref`) that stays the same while the element does.
 *
 * A screen is one look at one phone under one lease. Its `rev` rises when anything an agent
 * could notice has changed since the look before; equal revs mean equal screens.
 */
import type { ElementRole, Orientation, Rect } from '../device-types.ts'

/** One element, before it has a name. */
export interface ElementFacts {
  readonly role: ElementRole
  /** The texts of the element and of what it swallowed, joined by ` · `; empty when it says nothing. */
  readonly label: string
  /** The texts the label is made of, so that one of them can be asked for by itself. */
  readonly texts: readonly string[]
  readonly description: string | undefined
  /** Resource id without its package prefix. */
  readonly id: string | undefined
  /** Resource ids of what it swallowed. */
  readonly innerIds: readonly string[]
  /** What a field holds; a password field holds bullets. */
  readonly value: string | undefined
  /** Set when some of the above was too long to keep: the digest of all of it. */
  readonly wholeDigest: string | undefined
  readonly rect: Rect
  /** False when it is scrolled out of sight. */
  readonly visible: boolean
  readonly clickable: boolean
  readonly longClickable: boolean
  readonly scrollable: boolean
  readonly checked: boolean | undefined
  readonly selected: boolean
  readonly enabled: boolean
  readonly focused: boolean
  readonly password: boolean
  /** Index of the nearest listed element around it. */
  readonly parent: number | undefined
  /** Whether a list is around it, however far and however the list itself is told. */
  readonly inList: boolean
  /** Elements from the next index up to here, exclusive, are inside this one. */
  readonly insideEnd: number
  /** Index range of the smallest layout around it that holds another element too: its row. */
  readonly row: { readonly start: number, readonly end: number }
}

export interface ScreenElement extends ElementFacts {
  /** `e` and a number, unique within the lease. */
  readonly ref: string
}

/** Everything about a screen besides its elements. */
export interface ScreenHead {
  readonly capturedAtMs: number
  readonly app: string | null
  readonly activity: string | undefined
  /** Names this entering of the screen, where the platform tells one entering from the next. */
  readonly visit: string | undefined
  readonly size: { readonly width: number, readonly height: number }
  readonly orientation: Orientation
  readonly keyboardShown: boolean
  readonly locked: boolean
  readonly displayOff: boolean
  readonly warnings: readonly string[]
}

export interface Screen extends ScreenHead {
  readonly rev: number
  /** Equal for equal screens; what `rev` is decided by. */
  readonly fingerprint: string
  /** In reading order: an element stands before what is inside it. */
  readonly elements: readonly ScreenElement[]
  /** Number of the newest ref given out under the lease so far. */
  readonly newestRef: number
}
