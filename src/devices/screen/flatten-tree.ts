/**
 * From a UI tree to the elements an agent needs, at a fraction of the size.
 *
 * - Nodes that only lay out are dropped.
 * - A clickable node, or one whose role makes it a unit (item, button, switch …), swallows the
 *   texts inside it up to the next node that can be acted on by itself: a settings row is one
 *   element, `item "Network & internet · Mobile, Wi-Fi"`. A switch that cannot be tapped by
 *   itself makes the row around it a switch: that is what tapping the row does.
 * - A container with many texts swallows none: some apps make the whole screen clickable.
 * - A clickable node without any name stays: icons are often all there is.
 * - What is scrolled out of sight stays in the list, marked, and keeps its place in it.
 * - A text is kept whole where that is possible. One that is not is marked, and its digest tells
 *   that something has changed beyond what is kept.
 */
import { createHash } from 'node:crypto'
import type { UiNode } from '../device-types.ts'
import type { ElementFacts } from './screen.ts'
import { plainId } from './plain-id.ts'
import { cut } from '../../text/quote.ts'

const mostElements = 2_000
// Of all texts together: more than an agent reads, and the most that an app can make the server remember.
const mostCharacters = 200_000
const mostTextsSwallowed = 8
const longestText = 20_000
const longestId = 1_000
// Far deeper than any layout; keeps a tree from outside from exhausting the stack.
const deepest = 200

const units: ReadonlySet<string> = new Set(['item', 'button', 'switch', 'checkbox', 'tab', 'key'])
const controls: ReadonlySet<string> = new Set(['button', 'field', 'tab', 'key', 'web', 'dialog'])
const checkables: ReadonlySet<string> = new Set(['switch', 'checkbox'])
const containers: ReadonlySet<string> = new Set(['list', 'dialog', 'web', 'field'])

export interface FlatTree {
  readonly elements: readonly ElementFacts[]
  /** Set when the tree had more elements than are kept. */
  readonly isCut: boolean
  /** Set when a text was longer than what is kept; its element says so too. */
  readonly hasCutTexts: boolean
}

/** Lists what an agent needs of a tree, in reading order. */
export function flattenTree (root: UiNode): FlatTree {
  const elements: Building[] = []
  let charactersLeft = mostCharacters
  let isCut = false
  let hasCutTexts = false
  visit(root, { depth: 0, parent: undefined, swallowed: undefined, inList: false })
  return { elements, isCut, hasCutTexts }

  function visit (node: UiNode, at: Position): void {
    if (at.depth > deepest || elements.length >= mostElements) {
      isCut = true
      return
    }
    const start = elements.length
    const inner = list(node, at) ?? at
    for (const child of node.children) visit(child, { ...inner, depth: at.depth + 1, inList: at.inList || node.role === 'list' })
    const end = elements.length

    if (inner !== at) elements[start]!.insideEnd = end
    if (end - start > 1) giveRow(start, end)
  }

  /** Lists the node if it is worth it; where its children then stand. */
  function list (node: UiNode, { depth, parent, swallowed, inList }: Position): Position | undefined {
    if (swallowed !== undefined && !standsAlone(node) && (!isCheck(node) || node === swallowed.check)) return undefined

    const meal = swallows(node) ? swallow(node) : undefined
    const own = ownTexts(node)
    if (!isWorthListing(node, own, meal)) return undefined

    const whole = distinct([...own, ...(meal?.texts ?? [])])
    const kept = whole.map(afford)
    const texts = kept.filter((text) => text !== '')
    const wholeValue = node.role === 'field' ? fieldValue(node) : undefined
    const value = wholeValue === undefined ? undefined : afford(wholeValue)
    const description = present(node.description)
    const isShortened = value !== wholeValue || kept.some((text, at) => text !== whole[at])
    if (isShortened) hasCutTexts = true
    const index = elements.length
    elements.push({
      role: meal?.check?.role ?? node.role,
      label: texts.join(' · '),
      texts,
      // What it is described by is one of its own texts.
      description: description === undefined ? undefined : kept[whole.indexOf(description)],
      id: idOf(node),
      innerIds: meal?.ids ?? [],
      value,
      wholeDigest: isShortened ? digest([...whole, wholeValue]) : undefined,
      rect: node.rect,
      visible: node.rect.width > 0 && node.rect.height > 0,
      clickable: node.clickable,
      longClickable: node.longClickable,
      scrollable: node.scrollable,
      checked: node.checked ?? meal?.check?.checked,
      selected: node.selected,
      enabled: node.enabled,
      focused: node.focused,
      password: node.password,
      parent,
      inList,
      insideEnd: index + 1,
      row: { start: index, end: index + 1 }
    })
    return { depth, parent: index, swallowed: meal, inList }
  }

  function afford (text: string): string {
    const kept = cut(text, Math.min(longestText, charactersLeft))
    charactersLeft -= kept.length
    return kept
  }

  function giveRow (start: number, end: number): void {
    for (let i = start; i < end; i++) {
      const element = elements[i]!
      if (element.row.end - element.row.start === 1) element.row = { start, end }
    }
  }
}

type Building = { -readonly [member in keyof ElementFacts]: ElementFacts[member] }

interface Position {
  readonly depth: number
  readonly parent: number | undefined
  /** Set inside an element that swallowed the texts in it. */
  readonly swallowed: Meal | undefined
  readonly inList: boolean
}

/** What an element swallowed. */
interface Meal {
  readonly texts: readonly string[]
  readonly ids: readonly string[]
  /** The only check mark inside that cannot be tapped by itself. */
  readonly check: UiNode | undefined
}

function swallows (node: UiNode): boolean {
  if (node.scrollable || containers.has(node.role)) return false
  return units.has(node.role) || node.clickable || node.longClickable
}

/** What an element made of this node would swallow, or nothing when there are too many texts for one. */
function swallow (node: UiNode): Meal | undefined {
  const check = onlyCheck(node)
  const texts: string[] = []
  const ids: string[] = []
  for (const inner of dependents(node, check)) {
    texts.push(...ownTexts(inner))
    const id = idOf(inner)
    if (id !== undefined) ids.push(id)
  }
  return texts.length > mostTextsSwallowed ? undefined : { texts, ids, check }
}

/** The nodes inside that cannot be acted on by themselves; of check marks only the given one. */
function * dependents (node: UiNode, check: UiNode | undefined, depth = 0): Generator<UiNode> {
  if (depth > deepest) return
  for (const child of node.children) {
    if (standsAlone(child) || (isCheck(child) && child !== check)) continue
    yield child
    yield * dependents(child, check, depth + 1)
  }
}

function onlyCheck (node: UiNode): UiNode | undefined {
  if (isCheck(node)) return undefined
  const checks = passiveChecks(node)
  return checks.length === 1 ? checks[0] : undefined
}

function passiveChecks (node: UiNode, depth = 0): UiNode[] {
  if (depth > deepest) return []
  return node.children.filter((child) => !standsAlone(child)).flatMap((child) => {
    return isCheck(child) ? [child] : passiveChecks(child, depth + 1)
  })
}

/** Whether a node can be acted on by itself, wherever it stands. */
function standsAlone (node: UiNode): boolean {
  return node.clickable || node.longClickable || node.scrollable || controls.has(node.role)
}

function isCheck (node: UiNode): boolean {
  return node.checked !== undefined || checkables.has(node.role)
}

function isWorthListing (node: UiNode, own: readonly string[], meal: Meal | undefined): boolean {
  if (standsAlone(node) || isCheck(node)) return true
  return own.length > 0 || (meal !== undefined && meal.texts.length > 0)
}

/** What the node says by itself. A field's text is its value, so its name comes from elsewhere. */
function ownTexts (node: UiNode): string[] {
  const words = node.role === 'field'
    ? [present(node.description) ?? present(node.hint)]
    : [present(node.text), present(node.description)]
  return words.filter((text) => text !== undefined)
}

function fieldValue (node: UiNode): string | undefined {
  // Some platforms report the placeholder of an empty field as its text.
  return node.text === node.hint ? undefined : present(node.text)
}

function present (text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === undefined || trimmed === '' ? undefined : trimmed
}

function idOf ({ id }: UiNode): string | undefined {
  return id === undefined || id === '' ? undefined : cut(plainId(id), longestId)
}

/** Tells two long texts apart whose beginnings are the same. */
function digest (texts: ReadonlyArray<string | undefined>): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64')
}

function distinct (texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
