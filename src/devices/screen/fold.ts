/**
 * The text as a person would compare it: without case, invisible characters, or differences
 * of composition and white space.
 */
export function fold (text: string): string {
  return text.normalize('NFKC').replace(/\p{Cf}/gu, '').replace(/\s+/gu, ' ').trim().toLowerCase()
}
