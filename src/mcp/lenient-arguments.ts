/**
 * Agents often send numbers and booleans as strings ("120", "true"). Where a tool's schema
 * wants a number or a boolean and nothing else, such a string is read as one, before the
 * schema decides. The published schema stays strict, and a string parameter never changes.
 */
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { InputSchema } from './input-schema.ts'

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

export type Lenient = (toolArguments: JsonObject) => JsonObject

/** Builds the reader for one input schema, once. */
export function lenientFor ({ root, resolve, propertiesOf }: InputSchema): Lenient {
  function read (value: unknown, schema: JsonObject): unknown {
    if (typeof value === 'string') return readText(value, schema)
    if (Array.isArray(value)) return isObject(schema['items']) ? readAll(value, resolve(schema['items'])) : value
    return isObject(value) ? readMembers(value, schema) : value
  }

  function readAll (values: readonly unknown[], schema: JsonObject): readonly unknown[] {
    return values.map((value) => read(value, schema))
  }

  function readMembers (value: JsonObject, schema: JsonObject): JsonObject {
    const members = propertiesOf(schema)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => {
      const expected = Object.hasOwn(members, name) ? members[name] : undefined
      return [name, expected === undefined ? member : read(member, resolve(expected))]
    }))
  }

  return (toolArguments) => readMembers(toolArguments, root)
}

function readText (text: string, schema: JsonObject): unknown {
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return decimal.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    default:
      return text
  }
}
