const widest = 110

/**
 * JSON for readers of differences: what fits on one line of 110 characters stands on one, all
 * else has a line for each member.
 */
export function wideJson (value: unknown): string {
  return `${written(value, '')}\n`
}

function written (value: unknown, indent: string): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= widest) return spaced(value)
  const inner = `${indent}  `
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map((item) => written(item, inner))] as const
    : ['{', '}', Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${written(member, inner)}`)] as const
  return `${open}\n${lines.map((line) => `${inner}${line}`).join(',\n')}\n${indent}${close}`
}

/** On one line, with blanks between members. */
function spaced (value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
