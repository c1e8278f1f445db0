/**
 * Which element of a new screen is which of an earlier one, so that a ref an agent has seen goes
 * on meaning the same thing and never presses another one. The rule and its reasons are told in
 * docs/decisions/0030-when-a-ref-is-carried.md; in short:
 *
 * 1. The two looks show one entering of one screen about one thing (`continuity.ts`). Every
 *    remembered look that has the ref has to agree, so that no chain of small changes leads
 *    from one thing to another.
 * 2. Within them two elements are the same when the listed elements around them, role, id and
 *    label agree and no other element agrees as well. Of several that agree, the words around
 *    tell which is which: those of the row each has to itself, or of the neighbours in one they
 *    share. If those agree too, their order does, provided there are as many as before.
 * 3. A control in a list has, besides, to stand beside the same words: "Delete" alone names no row.
 * 4. A label may gain or lose a mark such as a tick. An element outside rows whose id and role
 *    exist once before and after may change its label a little more (`label-changes.ts`).
 */
import { createHash } from 'node:crypto'
import { compareLooks, entriesOf, type Look } from './continuity.ts'
import { isSmallChange, withoutMarks } from './label-changes.ts'
import type { ElementFacts, ScreenElement } from './screen.ts'

// A row with more elements than this is hardly a row: it is the whole list.
const mostInRow = 8
const mostInSwitchRow = 4

/** Roles whose label says what they do, not what they are about. */
const controls: ReadonlySet<string> = new Set(['button', 'checkbox', 'switch', 'img', 'field', 'key', 'tab'])

/**
 * The refs of earlier screens that live on, by index into the new elements. Earlier screens
 * are asked newest first, so that a way back finds the names of the way there.
 */
export function carryRefs (earlier: ReadonlyArray<Look<ScreenElement>>, fresh: Look<ElementFacts>): ReadonlyMap<number, string> {
  const continuities = earlier.map((look, age) => compareLooks(look, fresh, earlier.slice(0, age)))
  const carried = new Map<number, string>()
  const taken = new Set(earlier.filter((_, age) => continuities[age] === 'other').flatMap(({ elements }) => elements.map(({ ref }) => ref)))
  for (const [age, look] of earlier.entries()) {
    if (continuities[age] === 'other') continue
    if (carried.size === fresh.elements.length) break
    for (const [before, after] of pairs(look.elements, fresh.elements)) {
      const { ref } = look.elements[before]!
      if (carried.has(after) || taken.has(ref)) continue
      // Rows below another tab are other rows, whatever they say.
      if (continuities[age] === 'otherTab' && fresh.elements[after]!.inList) continue
      carried.set(after, ref)
      taken.add(ref)
    }
  }
  return carried
}

/** Index pairs of elements that are the same, surest first. */
function * pairs (before: readonly ElementFacts[], after: readonly ElementFacts[]): Generator<[number, number]> {
  const places = group(placesOf(after, ({ label }) => label))
  const wordsBefore = rowWords(before)
  const wordsAfter = rowWords(after)
  for (const [place, olds] of group(placesOf(before, ({ label }) => label))) {
    const news = places.get(place) ?? []
    if (olds.length !== 1 || news.length !== 1) yield * pairAlike(olds, news, before, after)
    else if (wordsBefore(olds[0]!) === wordsAfter(news[0]!)) yield [olds[0]!, news[0]!]
  }

  yield * pairOnes(placesOf(before, unmarked), placesOf(after, unmarked), (old, fresh) => {
    return unmarked(after[fresh]!) !== '' && wordsBefore(old) === wordsAfter(fresh)
  })
  yield * pairOnes(namesOf(before), namesOf(after), (old, fresh) => isSmallChange(before[old]!, after[fresh]!))
}

/** Pairs of elements that have a key to themselves before and after; an empty key is none. */
function * pairOnes (
  before: readonly string[], after: readonly string[], fit: (old: number, fresh: number) => boolean
): Generator<[number, number]> {
  const keys = group(after)
  for (const [key, olds] of group(before)) {
    const news = keys.get(key) ?? []
    if (key !== '' && olds.length === 1 && news.length === 1 && fit(olds[0]!, news[0]!)) yield [olds[0]!, news[0]!]
  }
}

/** Pairs of elements that agree in everything of their own, by the words around them, then by order. */
function * pairAlike (
  olds: readonly number[], news: readonly number[], before: readonly ElementFacts[], after: readonly ElementFacts[]
): Generator<[number, number]> {
  const newAround = group(wordsAround(after, news))
  for (const [words, oldPositions] of group(wordsAround(before, olds))) {
    const newPositions = newAround.get(words) ?? []
    if (oldPositions.length !== newPositions.length) continue
    for (const [order, old] of oldPositions.entries()) yield [olds[old]!, news[newPositions[order]!]!]
  }
}

/** For each element, what it is and what it is inside. */
function placesOf (elements: readonly ElementFacts[], labelOf: (element: ElementFacts) => string): string[] {
  const places: string[] = []
  for (const element of elements) {
    const { parent, role, id } = element
    const around = parent === undefined ? '' : digest(places[parent]!)
    places.push(JSON.stringify([around, role, id, labelOf(element)]))
  }
  return places
}

/** The words that say which row of a list a control belongs to; empty for everything else. */
function rowWords (elements: readonly ElementFacts[]): (index: number) => string {
  return (index) => {
    const { role, inList, row, insideEnd, label, checked } = elements[index]!
    if (!inList || !controls.has(role)) return ''
    const size = row.end - row.start
    // A switch with words of its own, in something larger than a row, is a row by itself.
    if (checked !== undefined && label !== '' && size > mostInSwitchRow) return ''
    const isRow = size <= mostInRow
    const before = elements.slice(isRow ? row.start : Math.max(row.start, index - 1), index)
    const after = elements.slice(insideEnd, isRow ? row.end : Math.min(row.end, insideEnd + 1))
    return JSON.stringify([...before, ...after].filter((other) => !controls.has(other.role)).map(unmarked))
  }
}

/** For each of some elements that are alike, in reading order, the words that tell it from the others. */
function wordsAround (elements: readonly ElementFacts[], alike: readonly number[]): string[] {
  const isAlike = new Set(alike)
  return alike.map((index, position) => {
    const { row, insideEnd } = elements[index]!
    const isOwnRow = (alike[position - 1] ?? -1) < row.start && (alike[position + 1] ?? row.end) >= row.end
    if (isOwnRow) return JSON.stringify(['row', ...labels(row.start, index), ...labels(insideEnd, row.end)])

    let before = index - 1
    while (isAlike.has(before)) before--
    let after = insideEnd
    while (isAlike.has(after)) after++
    return JSON.stringify([
      'between',
      before < row.start ? undefined : labelAt(before),
      after >= row.end ? undefined : labelAt(after)
    ])
  })

  function labels (start: number, end: number): Array<string | undefined> {
    return elements.slice(start, end).map(unmarked)
  }

  function labelAt (index: number): string | undefined {
    const element = elements[index]
    return element === undefined ? undefined : unmarked(element)
  }
}

/** For each element, id and role; empty for one without an id, and for items and what is in them. */
function namesOf (elements: readonly ElementFacts[]): string[] {
  const isEntry = entriesOf(elements)
  return elements.map(({ role, id }, index) => isEntry[index] === true || id === undefined ? '' : JSON.stringify([id, role]))
}

function unmarked ({ label }: ElementFacts): string {
  return withoutMarks(label)
}

function group (keys: readonly string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const [index, key] of keys.entries()) {
    const members = groups.get(key)
    if (members === undefined) groups.set(key, [index])
    else members.push(index)
  }
  return groups
}

// Places nest, so their full text would grow with the square of the depth.
function digest (place: string): string {
  return createHash('sha256').update(place).digest('base64')
}
