import type { JsonObject } from './json-value.ts'

/** Which links an app claims, with names for the parts it wants to know. */
export interface LinkPattern {
  readonly source: string
  readonly captures: readonly string[]
  /** @returns undefined when the link is another one */
  readonly match: (url: string) => JsonObject | undefined
}

const longestLink = 2_048
const longestPattern = 500
const mostCaptures = 8
const shape = /^([a-z][a-z0-9+.-]*):\/\/((?:[^{}\s?#]|\{[a-z][A-Za-z0-9]*\})*)$/

/**
 * Parses `shop://product/{id}`. A capture stands for one path segment or a part of one;
 * query and fragment of a link do not matter.
 *
 * @returns undefined when the text is no pattern
 */
export function parseLinkPattern (source: string): LinkPattern | undefined {
  const match = source.length > longestPattern ? null : shape.exec(source)
  if (match === null) return undefined
  const [, scheme = '', rest = ''] = match
  const parts = `${scheme}://${rest.replace(/\/$/, '')}`.split(/(\{[^}]*\})/).filter((part) => part !== '')
  const captures = parts.filter(isCapture).map((part) => part.slice(1, -1))
  if (captures.length > mostCaptures) return undefined
  const literals = parts.map((part) => (isCapture(part) ? undefined : part.toLowerCase()))
  return {
    source,
    captures,
    match (url) {
      if (url.length > longestLink) return undefined
      const [path = ''] = url.split(/[?#]/, 1)
      const found = matchParts(literals, path) ?? (path.endsWith('/') ? matchParts(literals, path.slice(0, -1)) : undefined)
      return found && Object.fromEntries(captures.map((name, at) => [name, decodePart(found[at] ?? '')]))
    }
  }
}

function isCapture (part: string): boolean {
  return part.startsWith('{')
}

/**
 * What the captures (the parts that are undefined) stand for, each as long as possible from the
 * left. Every part is tried once at every place, from the end on: a regular expression would try
 * again and again, for years where an app has several captures in one segment.
 */
function matchParts (parts: ReadonlyArray<string | undefined>, text: string): readonly string[] | undefined {
  const folded = text.toLowerCase()
  // Case may change the length of a text, and then no place in one is the same place in the other.
  if (folded.length !== text.length) return undefined
  const places = text.length + 1
  // Whether the parts from one on fit the text from a place on.
  const fits = parts.map(() => new Uint8Array(places + 1))
  const ends = new Uint8Array(places + 1)
  ends[text.length] = 1
  for (let part = parts.length - 1; part >= 0; part--) {
    const [here, next, literal] = [fits[part]!, fits[part + 1] ?? ends, parts[part]]
    for (let at = text.length - 1; at >= 0; at--) {
      if (literal === undefined) here[at] = text.charAt(at) !== '/' && (here[at + 1] === 1 || next[at + 1] === 1) ? 1 : 0
      else here[at] = next[at + literal.length] === 1 && folded.startsWith(literal, at) ? 1 : 0
    }
  }

  const found: string[] = []
  let at = 0
  if (fits[0]?.[0] !== 1) return undefined
  for (const [part, literal] of parts.entries()) {
    const start = at
    at += literal?.length ?? 1
    if (literal !== undefined) continue
    while (fits[part]![at] === 1) at += 1
    found.push(text.slice(start, at))
  }
  return found
}

// A link is text from outside: a broken escape is taken as it stands.
function decodePart (part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
