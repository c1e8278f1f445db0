import type { JsonObject } from './json-value.ts'

/** Which links an app claims, with names for the parts it wants to know. */
export interface LinkPattern {
  readonly source: string
  readonly captures: readonly string[]
  /** @returns undefined when the link is another one */
  readonly match: (url: string) => JsonObject | undefined
}

const longestLink = 2_048
const shape = /^([a-z][a-z0-9+.-]*):\/\/((?:[^{}\s?#]|\{[a-z][A-Za-z0-9]*\})*)$/

/**
 * Parses `shop://product/{id}`. A capture stands for one path segment or a part of one;
 * query and fragment of a link do not matter.
 *
 * @returns undefined when the text is no pattern
 */
export function parseLinkPattern (source: string): LinkPattern | undefined {
  const match = shape.exec(source)
  if (match === null) return undefined
  const [, scheme = '', rest = ''] = match
  const parts = rest.replace(/\/$/, '').split(/(\{[^}]*\})/)
  const captures = parts.filter((part) => part.startsWith('{')).map((part) => part.slice(1, -1))
  const pattern = parts.map((part) => (part.startsWith('{') ? '([^/?#]+)' : escapeForRegExp(part))).join('')
  const link = new RegExp(`^${escapeForRegExp(scheme)}://${pattern}/?(?:[?#].*)?$`, 'is')
  return {
    source,
    captures,
    match (url) {
      const found = url.length > longestLink ? null : link.exec(url)
      if (found === null) return undefined
      return Object.fromEntries(captures.map((name, at) => [name, decodePart(found[at + 1] ?? '')]))
    }
  }
}

// A link is text from outside: a broken escape is taken as it stands.
function decodePart (part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function escapeForRegExp (text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
