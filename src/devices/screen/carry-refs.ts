/**
 * Which element of a new screen is which of an earlier one, so that a ref an agent has seen
 * goes on meaning the same thing, and is never silently given to another.
 *
 * Two elements are the same when app, activity, the listed elements around them, role, id and
 * label agree and no other element agrees as well. Among several that agree, the words around
 * tell them apart: those of the row each has to itself, or of the neighbours in one they share.
 * If those agree too, their order does, provided there are as many as before (of three equal
 * buttons, one gone, nobody can say which two are left). An element whose id and role exist
 * once before and after is the same though its label has changed, unless it is or is inside an
 * item: with another label, a list's only item is another item.
 */
import { createHash } from 'node:crypto'
import type { ElementFacts, ScreenElement, ScreenHead } from './screen.ts'

interface Look<Element extends ElementFacts> extends Pick<ScreenHead, 'app' | 'activity'> {
  readonly elements: readonly Element[]
}

/**
 * The refs of earlier screens that live on, by index into the new elements. Earlier screens
 * are asked newest first, so that a way back finds the names of the way there.
 */
export function carryRefs (
  earlier: ReadonlyArray<Look<ScreenElement>>, fresh: Look<ElementFacts>
): ReadonlyMap<number, string> {
  const carried = new Map<number, string>()
  const taken = new Set<string>()
  for (const look of earlier) {
    if (carried.size === fresh.elements.length) break
    // Names only carry within one screen of one app: "OK" here is not "OK" there.
    if (look.app !== fresh.app || look.activity !== fresh.activity) continue
    for (const [before, after] of pairs(look.elements, fresh.elements)) {
      const { ref } = look.elements[before]!
      if (carried.has(after) || taken.has(ref)) continue
      carried.set(after, ref)
      taken.add(ref)
    }
  }
  return carried
}

/** Index pairs of elements that are the same, surest first. */
function * pairs (before: readonly ElementFacts[], after: readonly ElementFacts[]): Generator<[number, number]> {
  const places = group(placesOf(after))
  for (const [place, olds] of group(placesOf(before))) {
    const news = places.get(place) ?? []
    if (olds.length === 1 && news.length === 1) yield [olds[0]!, news[0]!]
    else yield * pairAlike(olds, news, before, after)
  }

  const names = group(namesOf(after))
  for (const [name, olds] of group(namesOf(before))) {
    const news = names.get(name) ?? []
    if (name !== '' && olds.length === 1 && news.length === 1) yield [olds[0]!, news[0]!]
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
function placesOf (elements: readonly ElementFacts[]): string[] {
  const places: string[] = []
  for (const { parent, role, id, label } of elements) {
    const around = parent === undefined ? '' : digest(places[parent]!)
    places.push(JSON.stringify([around, role, id, label]))
  }
  return places
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
      before < row.start ? undefined : elements[before]?.label,
      after >= row.end ? undefined : elements[after]?.label
    ])
  })

  function labels (start: number, end: number): string[] {
    return elements.slice(start, end).map(({ label }) => label)
  }
}

/** For each element, id and role; empty for one without an id, and for items and what is in them. */
function namesOf (elements: readonly ElementFacts[]): string[] {
  const isEntry: boolean[] = []
  return elements.map(({ role, id, parent }) => {
    const entry = role === 'item' || (parent !== undefined && isEntry[parent] === true)
    isEntry.push(entry)
    return entry || id === undefined ? '' : JSON.stringify([id, role])
  })
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
