/** How much the words of an element may change while it surely stays the same element. */
import type { ElementFacts } from './screen.ts'

// What says that something is done, chosen or pinned; never a sign that may be part of a name.
const marks = /[✓✔☑✅🗸☐☒✗✘✕✖❌❎★☆⭐●○◉◯•❤♥♡🤍📌🔔🔕]|\ufe0e|\ufe0f/gu

/** A label without ticks, stars and the like, which come and go while the thing stays the same. */
export function withoutMarks (label: string): string {
  return label.replace(marks, '').replace(/\s+/g, ' ').replace(/^(?: ·)+ | ·(?= ·|$)/g, '').trim()
}

/**
 * Whether the label of an element with an id of its own changed so little that the element is
 * the same: not at all but for marks, by a count in parentheses ("Cart (2)"), by an ending
 * ("Follow", "Following"), or only in the lines below its first one ("Wi-Fi · Off"). What cannot
 * be pressed may change as it likes.
 */
export function isSmallChange (before: ElementFacts, after: ElementFacts): boolean {
  if (before.role === 'field' || !(after.clickable || after.longClickable)) return true
  const [one, other] = [plain(before.label), plain(after.label)]
  if (one === other) return true
  const isCheck = before.checked !== undefined && after.checked !== undefined
  if (isCheck && before.texts[0] !== undefined && before.texts[0] === after.texts[0]) return true
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  // Of "Item" and "Item 1", or "Item 1" and "Item 10", nothing is sure.
  return short !== '' && long.startsWith(short) && /^\p{L}*$/u.test(long.slice(short.length))
}

function plain (label: string): string {
  return withoutMarks(label.replace(/\(\d{1,6}\)/g, ''))
}
