/** How texts are compared: as a person reads them, not as they happen to be written. */

// What a keyboard types, for what typesetting makes of it.
const typed: ReadonlyArray<readonly [RegExp, string]> = [
  [/[‘’‚‛′ʼʹ`´‹›＇]/g, '\''],
  [/[“”„‟″«»〝〞＂]/g, '"'],
  [/[‐‑‒–—―−﹘﹣－]/g, '-'],
  [/…/g, '...'],
  [/[\s\u2800]+/gu, ' ']
]

/** The text with the quotes, dashes, dots and blanks of a keyboard. */
export function plainPunctuation (text: string): string {
  return typed.reduce((plain, [pattern, character]) => plain.replace(pattern, character), text)
}

/**
 * The text as a person would compare it: without case, invisible characters, or differences
 * of composition, punctuation and white space.
 */
export function fold (text: string): string {
  return plainPunctuation(plainPunctuation(text).normalize('NFKC').replace(invisible, '')).trim().toLowerCase()
}

const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Whether nothing of the text can be seen: it has only blanks, line ends, controls, marks of direction and their like. */
export function isBlank (text: string): boolean {
  return !/[^\s\u2800\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text)
}
