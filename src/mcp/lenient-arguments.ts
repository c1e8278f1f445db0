/**
 * Agents often send numbers and booleans as strings ("120", "true"). Where a tool's schema
 * wants a number or a boolean and nothing else, such a string is read as one, before the
 * schema decides. The published schema stays strict, and a string parameter never changes.
 */
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { InputSchema } from './input-schema.ts'

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/

export type Lenient = (toolArguments: JsonObject) => JsonObject

/** What a schema makes of strings, and of what is inside an object or a list. */
interface Expected {
  readonly type: unknown
  readonly members: Map<string, Expected>
  items: Expected | undefined
}

/** Builds the reader for one input schema, once. It gives back the very object when nothing in it changes. */
export function lenientFor ({ root, resolve, propertiesOf }: InputSchema): Lenient {
  const known = new Map<JsonObject, Expected>()

  function expectedBy (schema: JsonObject): Expected {
    const before = known.get(schema)
    if (before !== undefined) return before
    const expected: Expected = { type: schema['type'], members: new Map(), items: undefined }
    // Known before its parts are, because they may refer to it.
    known.set(schema, expected)
    for (const [name, member] of Object.entries(propertiesOf(schema))) expected.members.set(name, expectedBy(resolve(member)))
    if (isObject(schema['items'])) expected.items = expectedBy(resolve(schema['items']))
    return expected
  }

  const expected = expectedBy(root)
  return (toolArguments) => readMembers(toolArguments, expected)
}

function read (value: unknown, expected: Expected): unknown {
  if (typeof value === 'string') return readText(value, expected.type)
  if (Array.isArray(value)) return readItems(value, expected)
  return isObject(value) ? readMembers(value, expected) : value
}

function readItems (values: readonly unknown[], { items }: Expected): readonly unknown[] {
  if (items === undefined) return values
  const asExpected = values.map((value) => read(value, items))
  return asExpected.some((value, index) => value !== values[index]) ? asExpected : values
}

function readMembers (value: JsonObject, { members }: Expected): JsonObject {
  let changed: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const expected = members.get(name)
    if (expected === undefined) continue
    const member = read(value[name], expected)
    if (member !== value[name]) (changed ??= { ...value })[name] = member
  }
  return changed ?? value
}

function readText (text: string, type: unknown): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return decimal.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    default:
      return text
  }
}
