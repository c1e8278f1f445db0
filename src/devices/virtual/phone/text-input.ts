/**
 * The field that takes text, its cursor, and the soft keyboard.
 *
 * At most one field has the focus: a box that is on the screen and can be reached. The keyboard
 * can be hidden while a field keeps the focus.
 */
import { NoFocusedFieldRefusal } from '../../device-refusals.ts'
import { displayText } from '../apps/json-value.ts'
import { readPath, writePath } from '../apps/scope.ts'
import type { Box, FieldFacts } from '../screen/box.ts'
import { reachableBoxes } from '../screen/composed-screen.ts'
import { frontApp, type PhoneCore } from './phone-core.ts'
import { scrollBy } from './scrolling.ts'
import type { InstalledApp } from './phone-state.ts'
import { cut } from '../../../text/quote.ts'

interface FocusedField {
  readonly field: FieldFacts
  readonly text: string
  /** In UTF-16 units from the beginning of the text. */
  readonly cursor: number
}

/** Gives a field the focus, shows the keyboard, and scrolls the field to where it can be seen. */
export function focusBox (core: PhoneCore, box: Box): void {
  if (box.field === undefined) return
  const text = displayText(readPath(box.field.scope, box.field.path))
  core.state.focus = { key: box.key, cursor: text.length }
  core.state.keyboard = { shown: true, layer: 'letters' }
  core.changed()
  reveal(core, box.key)
}

/** Gives the focus to the field of an id, if the app is in front and the field on its screen. */
export function focusField (core: PhoneCore, app: InstalledApp, id: string): void {
  if (frontApp(core)?.app !== app) return
  const box = fieldBoxes(core).find(({ facts }) => facts?.id === id)
  if (box !== undefined) focusBox(core, box)
}

/** Gives the focus to the next field of the screen, or the first one. */
export function focusNextField (core: PhoneCore): void {
  const fields = fieldBoxes(core)
  const at = fields.findIndex(({ key }) => key === core.state.focus?.key)
  const next = fields[at + 1] ?? fields[0]
  if (next !== undefined) focusBox(core, next)
}

/** Takes the focus away. */
export function blur (core: PhoneCore): void {
  if (core.state.focus === undefined && !core.state.keyboard.shown) return
  core.state.focus = undefined
  core.state.keyboard = { shown: false, layer: 'letters' }
  core.changed()
}

export function hideKeyboard (core: PhoneCore): void {
  core.state.keyboard = { shown: false, layer: 'letters' }
  core.changed()
}

export function isAnyFieldFocused (core: PhoneCore): boolean {
  return focusedField(core) !== undefined
}

/**
 * Types a text at the cursor. In a field of one line a line feed at the end presses enter, and
 * one in the middle becomes a space, as when a text is pasted.
 *
 * @throws {NoFocusedFieldRefusal}
 */
export function insertText (core: PhoneCore, text: string): void {
  const { field } = requireField(core)
  const submits = !field.multiline && /\r?\n$/.test(text)
  insert(core, submits ? text.replace(/\r?\n$/, '') : text)
  if (submits) pressEnter(core)
}

/** @throws {NoFocusedFieldRefusal} */
export function clearField (core: PhoneCore): void {
  const { field } = requireField(core)
  replaceText(core, field, '', 0)
}

/** Removes the character before the cursor. */
export function eraseBackwards (core: PhoneCore): void {
  const focused = focusedField(core)
  if (focused === undefined || focused.cursor === 0) return
  const { field, text, cursor } = focused
  const from = cursor - lengthOfCharacterBefore(text, cursor)
  replaceText(core, field, text.slice(0, from) + text.slice(cursor), from)
}

/** Moves the cursor by characters; `Infinity` for an end of the text. */
export function moveCursor (core: PhoneCore, by: number): void {
  const focused = focusedField(core)
  if (focused === undefined) return
  const { text, cursor } = focused
  const to = by > 0
    ? cursor + (by === Infinity ? text.length : lengthOfCharacterAfter(text, cursor))
    : cursor - (by === -Infinity ? cursor : lengthOfCharacterBefore(text, cursor))
  placeCursor(core, Math.min(to, text.length))
}

/** A line feed where the field has lines; otherwise the field's own action, and no keyboard. */
export function pressEnter (core: PhoneCore): void {
  const focused = focusedField(core)
  const front = frontApp(core)
  if (focused === undefined || front === undefined) return
  if (focused.field.multiline) return insert(core, '\n')
  blur(core)
  core.run(focused.field.submit ?? [], focused.field.scope, front.app, front.process)
}

/** Drops a focus whose field has gone from the screen. */
export function dropLostFocus (core: PhoneCore): void {
  if (core.state.focus !== undefined && core.state.systemDialog === undefined && focusedField(core) === undefined) blur(core)
}

/** Scrolls the field that has the focus into sight, after something else has moved. */
export function revealFocus (core: PhoneCore): void {
  if (core.state.focus !== undefined) reveal(core, core.state.focus.key)
}

function insert (core: PhoneCore, text: string): void {
  const { field, text: before, cursor } = requireField(core)
  const room = field.maxLength - before.length
  const added = cut(cleanText(text, field.multiline), Math.max(room, 0))
  replaceText(core, field, before.slice(0, cursor) + added + before.slice(cursor), cursor + added.length)
}

function replaceText (core: PhoneCore, field: FieldFacts, text: string, cursor: number): void {
  writePath(field.scope, field.path, text)
  placeCursor(core, cursor)
}

function placeCursor (core: PhoneCore, cursor: number): void {
  const { focus } = core.state
  if (focus !== undefined) core.state.focus = { key: focus.key, cursor }
  core.changed()
  if (focus !== undefined) reveal(core, focus.key)
}

function focusedField (core: PhoneCore): FocusedField | undefined {
  const { focus } = core.state
  if (focus === undefined) return undefined
  const field = fieldBoxes(core).find(({ key }) => key === focus.key)?.field
  if (field === undefined) return undefined
  const text = displayText(readPath(field.scope, field.path))
  return { field, text, cursor: Math.min(focus.cursor, text.length) }
}

function requireField (core: PhoneCore): FocusedField {
  const focused = focusedField(core)
  if (focused === undefined) throw new NoFocusedFieldRefusal()
  return focused
}

function fieldBoxes (core: PhoneCore): Box[] {
  return reachableBoxes(core.screen()).filter(({ field }) => field !== undefined)
}

// Half a character has no meaning in any text, and control characters none in a field.
function cleanText (text: string, multiline: boolean): string {
  const whole = text.replace(/\r\n?/g, '\n').replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\P{Control}\n\t]/gu, '')
  return multiline ? whole : whole.replace(/[\n\t]/g, ' ')
}

// What a person takes for one character can be several code points; no more than this, though.
const longestCharacter = 64
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

function lengthOfCharacterBefore (text: string, cursor: number): number {
  const near = text.slice(Math.max(0, cursor - longestCharacter), cursor)
  return [...characters.segment(near)].at(-1)?.segment.length ?? 0
}

function lengthOfCharacterAfter (text: string, cursor: number): number {
  const near = text.slice(cursor, cursor + longestCharacter)
  return [...characters.segment(near)][0]?.segment.length ?? 0
}

// The keyboard has taken room away, or the field has grown: it may have to move into sight.
function reveal (core: PhoneCore, key: string): void {
  for (const { boxes } of core.screen().layers) {
    for (const box of boxes) revealIn(core, box, undefined, key)
  }
}

function revealIn (core: PhoneCore, box: Box, scroller: Box | undefined, key: string): void {
  if (box.key === key && scroller?.scroll !== undefined) {
    const { rect, scroll } = scroller
    const below = box.rect.y + box.rect.height - (rect.y + rect.height)
    const above = rect.y - box.rect.y
    const isTooTall = box.rect.height > rect.height
    const by = below > 0 || isTooTall ? below : -Math.max(above, 0)
    return scrollBy(core, scroller.key, scroll, by)
  }
  for (const child of box.children) revealIn(core, child, box.scroll === undefined ? scroller : box, key)
}
