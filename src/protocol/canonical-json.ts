import { isObject } from './message.ts'

/**
 * The one text of a JSON value: members sorted by name, no white space. Equal values have
 * equal texts, however their senders ordered and spelled them. The value is a parsed one, so
 * its depth is bounded and nothing in it is undefined.
 */
export function canonicalJson (value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}
