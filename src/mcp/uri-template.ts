/**
 * The part of RFC 6570 that resource templates use: `{name}`, within one path segment each.
 *
 * A URI is matched in one pass: a variable ends at the first place where what follows it in the
 * template stands. A pattern would try every other place too, and with two variables in a segment
 * a caller could make that take for ever.
 */
export interface UriTemplate {
  readonly text: string
  readonly variables: readonly string[]
  /** The decoded variables when `uri` has this form. */
  match (uri: string): Readonly<Record<string, string>> | undefined
  /** The URI of these variables, in the one spelling that equal variables share. */
  expand (variables: Readonly<Record<string, string>>): string
}

const delimiter = /[/?#]/
const variable = /\{([a-zA-Z][a-zA-Z0-9]*)\}/g

/** @throws where two variables stand side by side: nothing would say where one ends */
export function parseUriTemplate (text: string): UriTemplate {
  const variables = Array.from(text.matchAll(variable), ([, name = '']) => name)
  const [first = '', ...following] = text.split(variable).filter((_, index) => index % 2 === 0)
  if (following.slice(0, -1).includes('')) throw new Error(`the URI template ${text} has variables side by side`)

  function valuesIn (uri: string): readonly string[] | undefined {
    if (!uri.startsWith(first)) return undefined
    const values: string[] = []
    let at = first.length
    for (const [index, literal] of following.entries()) {
      const isLast = index === following.length - 1
      const end = isLast ? uri.length - literal.length : uri.indexOf(literal, at + 1)
      const value = uri.slice(at, Math.max(at, end))
      if (value === '' || delimiter.test(value) || !uri.startsWith(literal, end)) return undefined
      values.push(value)
      at = end + literal.length
    }
    return at === uri.length ? values : undefined
  }

  return {
    text,
    variables,
    match (uri) {
      const values = valuesIn(uri)?.map(decodeSegment)
      if (values === undefined || values.includes(undefined)) return undefined
      return Object.fromEntries(variables.map((name, index) => [name, values[index] ?? '']))
    },

    expand: (values) => text.replace(variable, (_form, name: string) => encodeURIComponent(values[name] ?? ''))
  }
}

function decodeSegment (segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
