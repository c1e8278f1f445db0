/** Examples of what an argument may be, for callers that sent something else. */
import type { JsonObject } from '../protocol/message.ts'
import { shorten } from '../text/quote.ts'
import type { InputSchema } from './input-schema.ts'

const longestShown = 40
/** Members of a selector in which a text finds its place; the first that an object has counts. */
const textMembers = ['text', 'label', 'name', 'id']

/**
 * An object or a list as the schema wants it, with the text in it that was sent in its place.
 *
 * @returns undefined where the schema says too little
 */
export function exampleOf (schema: JsonObject, reader: InputSchema, sent: unknown): unknown {
  if (schema['type'] === 'array') {
    const items = reader.resolve(schema['items'])
    const item = items['type'] === 'string' && typeof sent === 'string' && !isJsonText(sent) ? shorten(sent, longestShown) : valueFor(items, reader, sent)
    return item === undefined ? undefined : [item]
  }
  const members = reader.propertiesOf(schema)
  const text = typeof sent === 'string' && sent !== '' && !isJsonText(sent) ? sent : undefined
  const { required } = schema
  const needed = Array.isArray(required) ? required.map(String) : []
  const meant = text === undefined ? undefined : memberFor(text, members, reader)
  const names = needed.length > 0 || meant !== undefined
    ? needed
    : Object.keys(members).filter((name) => textMembers.includes(name)).concat(Object.keys(members)).slice(0, 1)
  const example = {
    ...Object.fromEntries(names.map((name) => [name, valueFor(reader.resolve(members[name]), reader, undefined)])),
    ...(meant === undefined ? {} : { [meant]: shorten(text ?? '', longestShown) })
  }
  return Object.keys(example).length === 0 ? undefined : example
}

/** The member that a text was probably meant for. */
function memberFor (text: string, members: JsonObject, reader: InputSchema): string | undefined {
  // What observe calls an element.
  if (Object.hasOwn(members, 'ref') && /^e\d{1,6}$/.test(text)) return 'ref'
  const taking = Object.keys(members).find((name) => {
    const choices = reader.resolve(members[name])['enum']
    return Array.isArray(choices) && choices.includes(text)
  })
  return taking ?? textMembers.find((name) => Object.hasOwn(members, name) && reader.resolve(members[name])['type'] === 'string')
}

function valueFor (schema: JsonObject, reader: InputSchema, sent: unknown): unknown {
  const { type, enum: choices, minimum } = schema
  if (Array.isArray(choices)) return choices[0]
  switch (type) {
    case 'string': return '…'
    case 'number':
    case 'integer': return typeof minimum === 'number' && minimum > 0 ? minimum : 0
    case 'boolean': return true
    case 'object':
    case 'array': return exampleOf(schema, reader, sent)
    default: return undefined
  }
}

/** Whether it is text that was meant as the JSON of an object or a list. */
export function isJsonText (value: unknown): boolean {
  return typeof value === 'string' && /^\s*[[{]/.test(value)
}
