/**
 * From a selector to the element it means, or to a refusal that names what is there instead.
 *
 * `text` and `desc` are tried in three steps: equal, equal when folded (case, white space,
 * punctuation as a keyboard types it, invisible characters), contained when folded. The first
 * step with any match decides, so "Save" finds "Save" beside "Save as". "Allow" is not contained
 * in "Don't allow". Only what is in sight counts; a ref may name more. What says nothing is
 * found by no text.
 */
import { fold, isBlank, plainPunctuation } from './fold.ts'
import { matchPattern } from './match-pattern.ts'
import { nearestNames } from './nearest-names.ts'
import { obstaclesOf } from './obstacles.ts'
import { isOnlyNegated } from './opposites.ts'
import { plainId } from './plain-id.ts'
import { AmbiguousRefusal, NoMatchRefusal, OffscreenRefusal, StaleRefRefusal } from './screen-refusals.ts'
import type { LeaseScreens } from './screen-memory.ts'
import type { Screen, ScreenElement } from './screen.ts'
import type { Selector } from './selector.ts'

const namesOffered = 5

/** What the caller is going to do with the element: it decides between a text and a button of one name. */
export type Purpose = 'tap' | 'type' | 'scroll' | 'check' | 'read'

/**
 * The one element that is meant.
 *
 * @throws {NoMatchRefusal} nothing matches
 * @throws {AmbiguousRefusal} several match, and the purpose does not single one out
 * @throws {StaleRefRefusal} the ref is of an element that is no longer there
 * @throws {OffscreenRefusal} the ref is of an element that is scrolled out of sight
 * @throws {InvalidPatternRefusal} `textMatches` cannot be used
 */
export function selectElement (
  screen: Screen, selector: Selector, { purpose, memory }: { readonly purpose: Purpose, readonly memory: LeaseScreens }
): ScreenElement {
  if (selector.ref !== undefined) return byRef(screen, selector, selector.ref, memory)

  const matches = narrow(inSight(scopeOf(screen, selector, memory)), selector)
  const { index } = selector
  if (index !== undefined && matches.length > 0) {
    const chosen = matches[index]
    if (chosen !== undefined) return chosen
    throw new NoMatchRefusal(selector, {
      nearest: [], because: `Without the index, ${matches.length} match.`, nextAction: `Use an index from 0 to ${matches.length - 1}.`
    })
  }

  const [first, second] = matches
  if (first === undefined) throw noMatch(screen, selector)
  if (second === undefined) return first

  const fit = matches.filter((element) => fits(element, purpose))
  if (fit.length === 1) return fit[0]!
  throw new AmbiguousRefusal(selector, matches)
}

/**
 * Every element in sight that matches, in reading order, whatever `index` says. Nothing while
 * what it has to be within is not there.
 *
 * @throws {NoMatchRefusal} the ref was never given out
 * @throws {AmbiguousRefusal} several match `within`
 * @throws {InvalidPatternRefusal} `textMatches` cannot be used
 */
export function findElements (screen: Screen, selector: Selector, memory: LeaseScreens): readonly ScreenElement[] {
  if (selector.ref !== undefined) {
    const element = screen.elements.find((candidate) => candidate.ref === selector.ref)
    if (element === undefined) ensureKnown(screen, selector)
    return element?.visible === true ? [element] : []
  }
  if (selector.within !== undefined && findElements(screen, selector.within, memory)[selector.within.index ?? 0] === undefined) return []
  return narrow(inSight(scopeOf(screen, selector, memory)), selector)
}

function scopeOf (screen: Screen, { within }: Selector, memory: LeaseScreens): readonly ScreenElement[] {
  return within === undefined ? screen.elements : inside(screen, within, memory)
}

function inSight (elements: readonly ScreenElement[]): readonly ScreenElement[] {
  return elements.filter((element) => element.visible)
}

function narrow (elements: readonly ScreenElement[], { text, textMatches, id, desc, role }: Selector): readonly ScreenElement[] {
  let matches = elements
  if (role !== undefined) matches = matches.filter((element) => element.role === role)
  if (id !== undefined) matches = byId(matches, id)
  if (textMatches !== undefined && matches.length > 0) {
    matches = byPattern(matches, textMatches)
  }
  if (text !== undefined) matches = byText(matches, text, textsOf)
  if (desc !== undefined) matches = byText(matches, desc, ({ description }) => description === undefined || isBlank(description) ? [] : [description])
  return matches
}

/** By a regular expression, for the texts as they are and as a keyboard would type them. */
function byPattern (elements: readonly ScreenElement[], pattern: string): readonly ScreenElement[] {
  const found = matchPattern(pattern, elements.map((element) => textsOf(element).flatMap((text) => {
    const plain = plainPunctuation(text)
    return plain === text ? [text] : [text, plain]
  })))
  return elements.filter((_, index) => found.has(index))
}

/** By the elements' own ids, else by those of what they swallowed. */
function byId (elements: readonly ScreenElement[], wanted: string): readonly ScreenElement[] {
  const plain = plainId(wanted)
  const own = elements.filter((element) => element.id === plain)
  return own.length > 0 ? own : elements.filter((element) => element.innerIds.includes(plain))
}

function byText (
  elements: readonly ScreenElement[], wanted: string, textsOf: (element: ScreenElement) => readonly string[]
): readonly ScreenElement[] {
  const exact = wanted.trim()
  const folded = fold(wanted)
  const steps: Array<(text: string) => boolean> = [
    (text) => text === exact,
    (text) => fold(text) === folded,
    (text) => {
      const whole = fold(text)
      return folded !== '' && whole.includes(folded) && !isOnlyNegated(folded, whole)
    }
  ]
  // What was cut for the answer it was copied from ends in an ellipsis that is not on the screen.
  const beginning = /[^.]\.{3}$/.test(folded) ? folded.slice(0, -3).trimEnd() : ''
  if (beginning !== '') steps.push((text) => fold(text).startsWith(beginning))
  for (const step of steps) {
    const matches = elements.filter((element) => textsOf(element).some(step))
    if (matches.length > 0) return matches
  }
  return []
}

function textsOf ({ label, texts, value }: ScreenElement): readonly string[] {
  const all = value === undefined ? [label, ...texts] : [label, ...texts, value]
  return all.filter((text) => !isBlank(text))
}

/** What is inside the element; for one that holds nothing, what else is in its row. */
function inside (screen: Screen, selector: Selector, memory: LeaseScreens): readonly ScreenElement[] {
  const container = selectElement(screen, selector, { purpose: 'read', memory })
  const start = screen.elements.indexOf(container)
  if (container.insideEnd > start + 1) return screen.elements.slice(start + 1, container.insideEnd)
  return screen.elements.slice(container.row.start, container.row.end).filter((element) => element !== container)
}

function byRef (screen: Screen, selector: Selector, ref: string, memory: LeaseScreens): ScreenElement {
  const element = screen.elements.find((candidate) => candidate.ref === ref)
  if (element !== undefined) {
    if (!element.visible) throw new OffscreenRefusal(element)
    return element
  }
  ensureKnown(screen, selector)
  const before = memory.element(ref)
  const alike = screen.elements.find(({ role, id, label }) => role === before?.role && id === before.id && label === before.label)
  throw new StaleRefRefusal(ref, { element: before, alike })
}

function ensureKnown (screen: Screen, selector: Selector): void {
  const number = /^e([1-9]\d{0,8})$/.exec(selector.ref ?? '')?.[1]
  if (number !== undefined && Number(number) <= screen.newestRef) return
  throw new NoMatchRefusal(selector, {
    nearest: [], because: 'No screen seen under this lease has had that ref.', nextAction: 'Call observe and use a ref of the screen.'
  })
}

function fits (element: ScreenElement, purpose: Purpose): boolean {
  switch (purpose) {
    case 'tap': return element.clickable
    case 'type': return element.role === 'field'
    case 'scroll': return element.scrollable
    case 'check': return element.checked !== undefined
    case 'read': return false
  }
}

function noMatch (screen: Screen, selector: Selector): NoMatchRefusal {
  const hidden = whyUnseen(screen, selector)
  return new NoMatchRefusal(selector, { nearest: nearest(screen, selector), ...hidden })
}

/**
 * Why an element cannot be seen, where that can be told: the phone is locked or dark, or the
 * element is scrolled out of sight.
 */
export function whyUnseen (screen: Screen, { within, ...own }: Selector): { readonly because: string, readonly nextAction: string } | undefined {
  const [obstacle] = obstaclesOf(screen)
  if (obstacle !== undefined) return { because: obstacle, nextAction: `${obstacle} Then repeat the call.` }
  const hidden = screen.elements.filter((element) => !element.visible)
  const isHidden = own.ref === undefined ? narrow(hidden, own).length > 0 : hidden.some(({ ref }) => ref === own.ref)
  return isHidden ? { because: 'It is scrolled out of sight.', nextAction: 'Call swipeOn with untilVisible to bring it into sight.' } : undefined
}

function nearest (screen: Screen, { text, desc, id, textMatches, role }: Selector): string[] {
  const seen = inSight(screen.elements)
  const wanted = text ?? desc ?? textMatches
  if (wanted !== undefined) return nearestNames(wanted, seen.flatMap((element) => element.texts), namesOffered)
  if (id !== undefined) return nearestNames(id, seen.flatMap((element) => element.id === undefined ? element.innerIds : [element.id, ...element.innerIds]), namesOffered)
  return nearestNames(role ?? '', seen.map((element) => element.role), namesOffered)
}
