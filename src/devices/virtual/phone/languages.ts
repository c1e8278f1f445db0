const rightToLeftLanguages: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

/** Whether a language is read from right to left. */
export function isRightToLeft (locale: string): boolean {
  return rightToLeftLanguages.has(languageOf(locale))
}

/** The language of a locale, without script and region. */
export function languageOf (locale: string): string {
  return locale.split('-', 1)[0]?.toLowerCase() ?? ''
}
