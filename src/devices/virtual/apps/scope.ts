import type { JsonObject, JsonValue } from './json-value.ts'

/**
 * The names an expression can see. The first layer that has a name wins: loop variables and
 * link captures, then `params`, the app's state, its data, and `device`.
 */
export interface Scope {
  readonly layers: readonly JsonObject[]
  /** What the app says in the language of the phone, by what its file says. */
  readonly words?: Words | undefined
}

/** Texts in one language, by the texts that they stand for. */
export type Words = ReadonlyMap<string, { readonly evaluate: (scope: Scope) => JsonValue }>

/** A dotted name such as `profile.name`. */
export interface Path {
  readonly source: string
  readonly root: string
  readonly rest: readonly string[]
}

const pathPattern = /^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)*$/

/** @returns undefined when the text is no path */
export function parsePath (source: string): Path | undefined {
  if (!pathPattern.test(source)) return undefined
  const [root = '', ...rest] = source.split('.')
  return { source, root, rest }
}

/** The same scope with more names in front. */
export function withNames (scope: Scope, names: JsonObject): Scope {
  return { ...scope, layers: [names, ...scope.layers] }
}

/** The value of a name, `null` where nothing has it. */
export function lookUp (scope: Scope, name: string): JsonValue {
  for (const layer of scope.layers) {
    if (Object.hasOwn(layer, name)) return layer[name] ?? null
  }
  return null
}

/** A member of a value; `null` where there is none. Inherited members do not count. */
export function memberOf (value: JsonValue, name: string): JsonValue {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  return Object.hasOwn(value, name) ? value[name] ?? null : null
}

export function readPath (scope: Scope, path: Path): JsonValue {
  return path.rest.reduce<JsonValue>(memberOf, lookUp(scope, path.root))
}

/** Stores a value under a path. Does nothing where an object on the way is missing. */
export function writePath (scope: Scope, path: Path, value: JsonValue): void {
  const holder = scope.layers.find((layer) => Object.hasOwn(layer, path.root))
  if (holder === undefined) return
  const names = [path.root, ...path.rest]
  const last = names.pop() ?? path.root
  const parent = names.reduce<JsonValue>(memberOf, holder)
  if (parent !== null && typeof parent === 'object' && !Array.isArray(parent)) parent[last] = value
}
