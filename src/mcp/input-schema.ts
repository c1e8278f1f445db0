/** Reads a published input schema: what an argument may be, and which members it has. */
import { isObject, type JsonObject } from '../protocol/message.ts'

export interface InputSchema {
  readonly root: JsonObject
  /** The schema itself, or the one it refers to. */
  resolve (schema: unknown): JsonObject
  /** The members of an object; those of a union of objects, such as a selector or a point, all together. */
  propertiesOf (schema: JsonObject): JsonObject
}

export function readInputSchema (root: JsonObject): InputSchema {
  const definitions = isObject(root['$defs']) ? root['$defs'] : {}

  function resolve (schema: unknown): JsonObject {
    if (!isObject(schema)) return {}
    const reference = schema['$ref']
    if (reference === '#') return root
    const name = typeof reference === 'string' ? /^#\/\$defs\/(.+)$/.exec(reference)?.[1] : undefined
    const target = name === undefined ? undefined : definitions[name]
    return isObject(target) ? target : schema
  }

  function propertiesOf (schema: JsonObject): JsonObject {
    const own = isObject(schema['properties']) ? schema['properties'] : {}
    const branches = [schema['anyOf'], schema['oneOf']].flatMap((union) => Array.isArray(union) ? union : [])
    return Object.assign({}, ...branches.map((branch) => propertiesOf(resolve(branch))), own)
  }

  return { root, resolve, propertiesOf }
}
