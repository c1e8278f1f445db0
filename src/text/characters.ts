/** What a person takes for one character can be several code points: a family, a flag, a letter with marks. */
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** No character that is meant to be read has more UTF-16 units. */
const longestCharacter = 64

/** The characters of a text, one after the other. */
export function * charactersOf (text: string): Generator<string> {
  let at = 0
  while (at < text.length) {
    const start = at
    // Nearly all text is of characters that stand alone, and asking the segmenter costs far more than looking.
    while (at < text.length && !(isPlain(text.charCodeAt(at)) && (at + 1 === text.length || isPlain(text.charCodeAt(at + 1))))) at += 1
    if (at > start) for (const { segment } of segmenter.segment(text.slice(start, at))) yield segment
    if (at < text.length) yield text.charAt(at)
    at += 1
  }
}

/** The last place not after `at` between two characters of the text, in UTF-16 units. */
export function boundaryBefore (text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at
  const start = Math.max(0, at - longestCharacter)
  const near = text.slice(start, at + longestCharacter)
  const boundary = start + (segmenter.segment(near).containing(at - start)?.index ?? at - start)
  // Within a character longer than any the window may begin in the middle of a pair.
  return boundary > start || start === 0 ? boundary : isTrail(text.charCodeAt(at)) ? at - 1 : at
}

/** Letters, digits and signs that nothing joins: the usual case, and by far the fastest. */
function isPlain (unit: number): boolean {
  return unit >= 0x20 && unit < 0x300 && unit !== 0xad
}

function isTrail (unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
