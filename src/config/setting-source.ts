import type { ConfigProblem } from './config-refusal.ts'
import type { Setting } from './setting.ts'

/** What one source says of one setting. */
export interface SaidSetting {
  readonly setting: Setting
  /** Not checked yet. Numbers, booleans and lists are already such, where they can be read as one. */
  readonly value: unknown
  /** Names the place for a message: a flag, a variable, or a file with line and column. */
  readonly source: string
  /** The folder from which a relative path is seen. */
  readonly base: string
}

/** All that one source says, and all that is wrong with how it says it. */
export interface SettingSource {
  readonly said: readonly SaidSetting[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * Reads the text of a flag or variable as the kind of value its setting takes. What cannot be
 * read as that stays a text, which the schema then refuses.
 */
export function readText ({ kind }: Setting, text: string): unknown {
  switch (kind) {
    case 'whole number': return /^\s*-?\d+\s*$/.test(text) ? Number(text) : text
    case 'number': return /^\s*-?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : text
    case 'boolean': return /^\s*true\s*$/i.test(text) ? true : /^\s*false\s*$/i.test(text) ? false : text
    case 'list': return text.split(',').map((item) => item.trim()).filter((item) => item !== '')
    case 'choice': return text.trim()
    case 'text': return text
    case 'path': return text
  }
}
