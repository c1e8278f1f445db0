/**
 * Whether two looks show one entering of one screen, about the same thing. Rule and reasons:
 * docs/decisions/0030-when-a-ref-is-carried.md.
 *
 * App and activity say which screen it is, and `visit`, where the platform tells it, which
 * entering of it. What the screen is about, its names say: the texts that stand outside lists.
 * Names come and go, as messages do; one that stands where another stood, between the same
 * neighbours, makes it a screen about something else.
 */
import { withoutMarks } from './label-changes.ts'
import type { ElementFacts, ScreenHead } from './screen.ts'

/** As much of a screen as is compared. */
export interface Look<Element extends ElementFacts> extends Pick<ScreenHead, 'app' | 'activity' | 'visit'> {
  readonly elements: readonly Element[]
}

/** The same; the same with another tab chosen; another one, or perhaps another one. */
export type Continuity = 'same' | 'otherTab' | 'other'

/** Roles that say what can be done, not what the screen is about. */
const notNames: ReadonlySet<string> = new Set(['button', 'field', 'key', 'tab', 'list'])
/** A message over the screen, which is about what was done last. */
const messageId = 'toast'

/** What the newer of two looks has to do with the older one, when there were these looks between them. */
export function compareLooks (
  older: Look<ElementFacts>, newer: Look<ElementFacts>, between: ReadonlyArray<Look<ElementFacts>>
): Continuity {
  if (older.app !== newer.app || older.activity !== newer.activity || older.visit !== newer.visit) return 'other'
  // Where the platform does not tell one entering from the next, only the same words are sure.
  const wasLeft = newer.visit === undefined && between.some(({ app, activity }) => app !== newer.app || activity !== newer.activity)
  if (wasLeft && !haveSameWords(older.elements, newer.elements)) return 'other'

  if (isNameReplaced(older.elements, newer.elements)) return 'other'
  return isWithin(chosenTabs(older.elements), chosenTabs(newer.elements)) ? 'same' : 'otherTab'
}

/** For each element, whether it is an item or inside one. */
export function entriesOf (elements: readonly ElementFacts[]): readonly boolean[] {
  const isEntry: boolean[] = []
  for (const { role, parent } of elements) isEntry.push(role === 'item' || (parent !== undefined && isEntry[parent] === true))
  return isEntry
}

/** One word of what a screen says of itself: what is there, and its name if it is one. */
interface Mark { readonly key: string, readonly isName: boolean }

/** Whether where a name stood, between the same others, there is another one now. */
function isNameReplaced (older: readonly ElementFacts[], newer: readonly ElementFacts[]): boolean {
  const [before, after] = [marksOf(older), marksOf(newer)]
  const lost = gapsOf(before, new Set(after.map(({ key }) => key)))
  const came = gapsOf(after, new Set(before.map(({ key }) => key)))
  return isMet(lost.behind, came.behind) || isMet(lost.ahead, came.ahead)
}

/** For the names that the other look has not: the last thing before each, and the next one after it, that both have. */
function gapsOf (marks: readonly Mark[], others: ReadonlySet<string>): { readonly behind: ReadonlySet<string>, readonly ahead: ReadonlySet<string> } {
  return { behind: passed(marks), ahead: passed(marks.toReversed()) }

  function passed (inOrder: readonly Mark[]): ReadonlySet<string> {
    const anchors = new Set<string>()
    let anchor = ''
    for (const { key, isName } of inOrder) {
      if (others.has(key)) anchor = key
      else if (isName) anchors.add(anchor)
    }
    return anchors
  }
}

function marksOf (elements: readonly ElementFacts[]): Mark[] {
  return elements.flatMap(({ role, label, texts, id, checked, inList }): Mark[] => {
    if (inList || id === messageId) return []
    // Below its first line a row or a switch tells how things are, which changes.
    const name = withoutMarks(role === 'item' || checked !== undefined ? texts[0] ?? '' : label)
    return [{ key: JSON.stringify([role, name]), isName: !notNames.has(role) && name !== '' && !isMeasure(name) }]
  })
}

/** A clock, a price, a count: what is only measured names nothing. A long number may be a name. */
function isMeasure (text: string): boolean {
  return !/[\p{L}#№]/u.test(text) && (text.match(/\d/g) ?? []).length <= 6
}

function chosenTabs (elements: readonly ElementFacts[]): ReadonlySet<string> {
  return new Set(elements.filter(({ role, selected }) => role === 'tab' && selected).map(({ id, label }) => JSON.stringify([id, label])))
}

function haveSameWords (older: readonly ElementFacts[], newer: readonly ElementFacts[]): boolean {
  return older.length === newer.length && older.every(({ role, id, label }, index) => {
    const other = newer[index]
    return other !== undefined && role === other.role && id === other.id && label === other.label
  })
}

function isMet (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some((key) => others.has(key))
}

function isWithin (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const name of some) if (!all.has(name)) return false
  return true
}
