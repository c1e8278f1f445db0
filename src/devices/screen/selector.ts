import type { ElementRole } from '../device-types.ts'
import { quote } from '../../text/quote.ts'

/** Which element is meant. Every given member must match; `ref` stands alone. */
export interface Selector {
  /** Name of an element on a screen seen under this lease. */
  readonly ref?: string | undefined
  /** Equal to the label or one of its texts, else equal but for case, else contained. */
  readonly text?: string | undefined
  /** Regular expression searched in the label, case ignored. */
  readonly textMatches?: string | undefined
  readonly id?: string | undefined
  /** Accessibility description, matched like `text`. */
  readonly desc?: string | undefined
  readonly role?: ElementRole | undefined
  /** Which of several matches, from 0, in reading order. */
  readonly index?: number | undefined
  /** Only elements inside, or in one row with, the element this selects. */
  readonly within?: Selector | undefined
}

/** The selector as a phrase for a sentence, e.g. `role button, text "Save"`. */
export function describeSelector (selector: Selector): string {
  const words: string[] = []
  if (selector.ref !== undefined) words.push(quote(selector.ref))
  if (selector.role !== undefined) words.push(`role ${selector.role}`)
  if (selector.text !== undefined) words.push(`text ${quote(selector.text, 60)}`)
  if (selector.textMatches !== undefined) words.push(`textMatches ${quote(selector.textMatches, 60)}`)
  if (selector.id !== undefined) words.push(`id ${quote(selector.id, 60)}`)
  if (selector.desc !== undefined) words.push(`desc ${quote(selector.desc, 60)}`)
  if (selector.index !== undefined) words.push(`index ${selector.index}`)
  if (selector.within !== undefined) words.push(`within (${describeSelector(selector.within)})`)
  return words.join(', ')
}
