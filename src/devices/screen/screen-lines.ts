/**
 * The line format: a screen at the price of its words.
 *
 *     rev 3, app com.example.settings, activity home, 1080x2400 portrait
 *     e1 text "Settings"
 *     e2 field "Search settings" = "wifi" focused
 *     e5 item "Network & internet · Mobile, Wi-Fi"
 *     e9 img (no label) click
 *
 * One line of facts, then one line an element: ref, role, quoted label, `=` and quoted value,
 * then bare words for what is not said by the role. An ellipsis after the quotes is a text cut
 * here, which `full` tells whole; `cut` is one that was too long to keep. `full` adds `#id` and `x,y,width,height`.
 * Everything that comes from the phone is quoted or is checked to be one plain word, so no
 * text on a screen can pass for a line, a ref or a flag (see `quote.ts`).
 */
import { quote, word } from '../../text/quote.ts'
import type { Screen, ScreenElement, ScreenHead } from './screen.ts'

export const details = ['lines', 'full'] as const
/** How much is told of each element: names only, or also ids, places and whole texts. */
export type Detail = (typeof details)[number]

/** Longest label or value shown. Few are longer than `full` shows, and one alone never fills a result. */
export const textLimits: Readonly<Record<Detail, number>> = { lines: 100, full: 20_000 }

const clickableRoles: ReadonlySet<string> = new Set(['button', 'field', 'item', 'switch', 'checkbox', 'tab', 'key'])

/** The first line: where the phone is. */
export function headLine (screen: ScreenHead & Pick<Screen, 'rev'>): string {
  const facts = [
    `rev ${screen.rev}`,
    screen.app === null ? 'home screen' : `app ${word(screen.app)}`,
    screen.activity === undefined ? undefined : `activity ${word(screen.activity)}`,
    `${screen.size.width}x${screen.size.height} ${screen.orientation}`,
    screen.keyboardShown ? 'keyboard shown' : undefined,
    screen.locked ? 'locked' : undefined,
    screen.displayOff ? 'display off' : undefined
  ]
  return facts.filter((fact) => fact !== undefined).join(', ')
}

/** One line for one element. */
export function elementLine (element: ScreenElement, detail: Detail): string {
  const limit = textLimits[detail]
  const parts = [element.ref, element.role, element.label === '' ? '(no label)' : quote(element.label, limit)]
  if (element.value !== undefined) parts.push('=', quote(element.value, limit))
  if (detail === 'full') {
    const { x, y, width, height } = element.rect
    if (element.id !== undefined) parts.push(`#${word(element.id)}`)
    parts.push(`${x},${y},${width},${height}`)
  }
  return [...parts, ...flagsOf(element)].join(' ')
}

/**
 * What is true of an element and not said by its role. Buttons, items and their like can be
 * tapped unless `static` or `disabled`; of the others, those with `click`.
 */
export function flagsOf (element: ScreenElement): string[] {
  const saysClickable = clickableRoles.has(element.role)
  const flags: Array<string | false> = [
    element.clickable && !saysClickable && 'click',
    !element.clickable && saysClickable && element.enabled && 'static',
    element.longClickable && 'long',
    element.scrollable && 'scroll',
    element.checked !== undefined && (element.checked ? 'checked' : 'unchecked'),
    element.selected && 'selected',
    !element.enabled && 'disabled',
    element.focused && 'focused',
    element.password && 'password',
    !element.visible && 'offscreen',
    element.wholeDigest !== undefined && 'cut'
  ]
  return flags.filter((flag) => flag !== false)
}

/** An element in a sentence, e.g. `e5 item "Network & internet"`. */
export function elementName ({ ref, role, label }: Pick<ScreenElement, 'ref' | 'role' | 'label'>): string {
  return `${ref} ${role} ${label === '' ? '(no label)' : quote(label, 60)}`
}
