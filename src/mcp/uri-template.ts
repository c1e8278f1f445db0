/** The part of RFC 6570 that resource templates use: `{name}`, one path segment each. */
export interface UriTemplate {
  readonly text: string
  readonly variables: readonly string[]
  /** The decoded variables when `uri` has this form. */
  match (uri: string): Readonly<Record<string, string>> | undefined
  /** The URI of these variables, in the one spelling that equal variables share. */
  expand (variables: Readonly<Record<string, string>>): string
}

const variable = /\{([a-zA-Z][a-zA-Z0-9]*)\}/g

export function parseUriTemplate (text: string): UriTemplate {
  const variables = Array.from(text.matchAll(variable), ([, name = '']) => name)
  const literals = text.split(variable).filter((_, index) => index % 2 === 0).map(escapeExpression)
  const form = new RegExp(`^${literals.join('([^/?#]+)')}$`)

  return {
    text,
    variables,
    match (uri) {
      const values = form.exec(uri)?.slice(1).map(decodeSegment)
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

function escapeExpression (literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
