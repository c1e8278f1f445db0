/**
 * Arguments as agents and their frameworks send them, read before the schema decides:
 *
 * - Null counts as absent where an argument may be absent and null is no value of its own:
 *   strict modes make every argument required, and say by null what they leave out.
 * - A number or a boolean may come as text ("120", "true"), and an object or a list as its JSON
 *   text, where the schema wants that and no text.
 *
 * All of it holds at any depth. The published schema stays strict, and a text parameter never
 * changes.
 */
import { parseJsonBody } from '../protocol/json-body.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import type { InputSchema } from './input-schema.ts'

const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/
/** In UTF-16 units. No object of our tools is near as long. */
export const longestJsonText = 65_536

export type Lenient = (toolArguments: JsonObject) => JsonObject

/** What a schema makes of strings and nulls, and of what is inside an object or a list. */
interface Expected {
  readonly type: unknown
  readonly takesNull: boolean
  readonly members: Map<string, Expected>
  readonly required: ReadonlySet<unknown>
  items: Expected | undefined
}

/** Builds the reader for one input schema, once. It gives back the very object when nothing in it changes. */
export function lenientFor ({ root, resolve, propertiesOf }: InputSchema): Lenient {
  const known = new Map<JsonObject, Expected>()

  function expectedBy (schema: JsonObject): Expected {
    const before = known.get(schema)
    if (before !== undefined) return before
    const { type, required } = schema
    const expected: Expected = {
      type, takesNull: takesNull(schema), members: new Map(), required: new Set(Array.isArray(required) ? required : []), items: undefined
    }
    // Known before its parts are, because they may refer to it.
    known.set(schema, expected)
    for (const [name, member] of Object.entries(propertiesOf(schema))) expected.members.set(name, expectedBy(resolve(member)))
    if (isObject(schema['items'])) expected.items = expectedBy(resolve(schema['items']))
    return expected
  }

  function takesNull (schema: JsonObject): boolean {
    const branches = [schema['anyOf'], schema['oneOf']].flatMap((union) => Array.isArray(union) ? union : [])
    const { type } = schema
    if (type === undefined) return branches.length === 0 || branches.some((branch) => takesNull(resolve(branch)))
    return type === 'null' || (Array.isArray(type) && type.includes('null'))
  }

  const expected = expectedBy(root)
  return (toolArguments) => readMembers(toolArguments, expected)
}

function read (value: unknown, expected: Expected): unknown {
  if (typeof value === 'string') return readText(value, expected)
  if (Array.isArray(value)) return readItems(value, expected)
  return isObject(value) ? readMembers(value, expected) : value
}

/** A list may come as an object whose names are labels: what is in it is read like what is in the list. */
function expectedOf (name: string, { type, members, items }: Expected): Expected | undefined {
  return type === 'array' ? items : members.get(name)
}

function readItems (values: readonly unknown[], { items }: Expected): readonly unknown[] {
  if (items === undefined) return values
  const asExpected = values.map((value) => read(value, items))
  return asExpected.some((value, index) => value !== values[index]) ? asExpected : values
}

function readMembers (value: JsonObject, whole: Expected): JsonObject {
  let changed: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    const expected = expectedOf(name, whole)
    if (expected === undefined) continue
    if (value[name] === null && whole.type !== 'array' && !expected.takesNull && !whole.required.has(name)) {
      delete (changed ??= { ...value })[name]
      continue
    }
    const member = read(value[name], expected)
    if (member !== value[name]) (changed ??= { ...value })[name] = member
  }
  return changed ?? value
}

function readText (text: string, expected: Expected): unknown {
  switch (expected.type) {
    case 'integer':
    case 'number':
      return decimal.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'object':
    case 'array': {
      const value = readJsonText(text)
      return value === undefined ? text : read(value, expected)
    }
    default:
      return text
  }
}

/** @returns undefined where the text is no object or list, or one that no body may hold either */
function readJsonText (text: string): unknown {
  if (text.length > longestJsonText || !/^\s*[[{]/.test(text)) return undefined
  const parsed = parseJsonBody(Buffer.from(text))
  return parsed.ok ? parsed.value : undefined
}
