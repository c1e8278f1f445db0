import { createRequire } from 'node:module'
import { GlobalFonts } from '@napi-rs/canvas'

/**
 * The fonts of the virtual phones, from packages: what a machine has installed must not show.
 * Each goes under a name of our own, so that no font of the system can be taken for it, and the
 * canvas falls back only within the list it is given.
 */
const fonts = [
  ['Mooring Sans', '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'],
  ['Mooring Sans', '@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf'],
  ['Mooring Arabic', '@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf'],
  ['Mooring Hebrew', '@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf'],
  ['Mooring Emoji', '@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf']
] as const

const families = [...new Set(fonts.map(([family]) => family))]
const fontList = families.map((family) => `"${family}"`).join(', ')
// Glyphs that stand for something look alike everywhere: the emoji font goes first.
const glyphFontList = families.toReversed().map((family) => `"${family}"`).join(', ')

let registered = false

/** Makes the fonts known to the canvas of this process, once. */
export function registerFonts (): void {
  if (registered) return
  const { resolve } = createRequire(import.meta.url)
  for (const [family, file] of fonts) {
    if (GlobalFonts.registerFromPath(resolve(file), family) === null) throw new Error(`the font ${file} cannot be read`)
  }
  registered = true
}

export function textFont (size: number, bold: boolean): string {
  return `${bold ? 600 : 400} ${size}px ${fontList}`
}

export function glyphFont (size: number): string {
  return `400 ${size}px ${glyphFontList}`
}
