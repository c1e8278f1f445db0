import type { AppDefinition } from '../apps/app-definition.ts'
import { displayText } from '../apps/json-value.ts'
import { languageOf } from './languages.ts'

/** What the phone calls an app on its own screens, in its language where the app's file has that. */
export function appNameIn (locale: string, { name, words }: AppDefinition): string {
  const translated = words.get(languageOf(locale))?.get(name)
  return translated === undefined ? name : displayText(translated.evaluate({ layers: [] }))
}
