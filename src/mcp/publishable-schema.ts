/**
 * The input schema of a tool of ours as it is published.
 *
 * Clients hand the whole list of tools to a model provider, and each provider takes another part
 * of JSON Schema: one keyword that a checker does not know loses all tools for its callers. What
 * is published keeps to what all of them read (docs/decisions/0034). What it leaves out, the
 * check of the arguments still holds callers to, in plain words.
 */
import { isObject, type JsonObject } from '../protocol/message.ts'

/** A schema that refers to itself is unrolled so often. The innermost is for those who know the outer one: it has no descriptions. */
const levels = 2

/** Lengths and patterns make grammars too large or are read as regular expressions of another kind; nothing is left to refer to. */
const leftOut: ReadonlySet<string> = new Set(['$schema', '$defs', 'minLength', 'maxLength', 'pattern', 'format', 'propertyNames'])

/** Values of these are no schemas. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'examples'])

/** How often each definition is being unrolled. */
type Unrolling = ReadonlyMap<string, number>

/** @throws {Error} a reference leads to no definition of the schema */
export function publishableSchema (root: JsonObject): JsonObject {
  const definitions = isObject(root['$defs']) ? root['$defs'] : {}

  /** @returns undefined for a definition that is unrolled often enough */
  function publish (schema: JsonObject, unrolling: Unrolling): JsonObject | undefined {
    const { $ref, ...besides } = schema
    if ($ref === undefined) return withoutDefault(members(schema, unrolling), isInnermost(unrolling))
    const name = /^#\/\$defs\/(.+)$/.exec(String($ref))?.[1] ?? ''
    const definition = definitions[name]
    if (!isObject(definition)) throw new Error(`${String($ref)} refers to no definition`)
    const level = (unrolling.get(name) ?? 0) + 1
    return level > levels ? undefined : publish({ ...definition, ...besides }, new Map([...unrolling, [name, level]]))
  }

  function members (schema: JsonObject, unrolling: Unrolling): Record<string, unknown> {
    const published: Record<string, unknown> = {}
    for (const [keyword, value] of Object.entries(schema)) {
      if (leftOut.has(keyword)) continue
      published[keyword] = keyword === 'properties' && isObject(value)
        ? properties(value, unrolling)
        : isObject(value) && !data.has(keyword) ? publish(value, unrolling) : value
    }
    return published
  }

  function properties (all: JsonObject, unrolling: Unrolling): JsonObject {
    return Object.fromEntries(Object.entries(all).flatMap(([name, schema]) => {
      const published = isObject(schema) ? publish(schema, unrolling) : schema
      return published === undefined ? [] : [[name, published]]
    }))
  }

  return publish(root, new Map()) ?? {}
}

function isInnermost (unrolling: Unrolling): boolean {
  return [...unrolling.values()].includes(levels)
}

/** Some checkers refuse `default`, so the description says it, unless it is what every caller would expect. */
function withoutDefault ({ default: value, description, ...schema }: Record<string, unknown>, isBrief: boolean): JsonObject {
  const said = value === undefined || value === false ? undefined : `default ${String(value)}`
  const words = [...(isBrief || description === undefined ? [] : [description]), ...(said === undefined ? [] : [said])]
  return { ...schema, ...(words.length === 0 ? {} : { description: words.join('; ') }) }
}
