/**
 * Tool parameters mirrored into `Mcp-Param-*` headers (HDR-08…11).
 *
 * A tool marks a parameter in its input schema with `x-mcp-header`. Whether a mark is valid is
 * decided once, when the tool is registered; a request then only compares values.
 */
import { headerMismatch } from './error-table.ts'
import { decodeHeaderValue } from './header-value.ts'
import { isObject, type JsonObject } from './message.ts'
import type { Rejection } from './rejection.ts'
import { headerText, type RequestHeaders } from './request-headers.ts'

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const strictInteger = /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/

export interface MirroredParameter {
  /** As annotated, e.g. `Region`. */
  readonly name: string
  /** Property names from the root of the arguments. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

export type MirroredParameters =
  | { readonly ok: true, readonly parameters: readonly MirroredParameter[] }
  | { readonly ok: false, readonly reason: string }

/** HDR-08: finds every annotation of a schema; one in the wrong place or form spoils the tool. */
export function readMirroredParameters (inputSchema: JsonObject): MirroredParameters {
  const parameters: MirroredParameter[] = []
  const seen = new Set<string>()
  let reason: string | undefined

  // Walks every keyword, so that an annotation out of reach of `properties` is found and refused.
  function walk (schema: unknown, path: readonly string[] | undefined): void {
    if (Array.isArray(schema)) {
      for (const part of schema) walk(part, undefined)
      return
    }
    if (!isObject(schema)) return
    if (annotation in schema) take(schema, path)
    for (const [keyword, value] of Object.entries(schema)) {
      if (namingKeywords.has(keyword) && isObject(value)) {
        for (const [name, child] of Object.entries(value)) {
          walk(child, keyword === 'properties' && path !== undefined ? [...path, name] : undefined)
        }
      } else if (keyword !== annotation && !literalKeywords.has(keyword)) {
        walk(value, undefined)
      }
    }
  }

  function take (schema: JsonObject, path: readonly string[] | undefined): void {
    const name = schema[annotation]
    const type = schema['type']
    if (typeof name !== 'string' || !token.test(name)) reason ??= `${annotation} must be an HTTP token`
    else if (path === undefined || path.length === 0) reason ??= `${annotation} "${name}" is not on a property reached through properties alone`
    else if (type !== 'string' && type !== 'integer' && type !== 'boolean') reason ??= `${annotation} "${name}" must be on a string, integer or boolean`
    else if (seen.has(name.toLowerCase())) reason ??= `${annotation} "${name}" is used twice`
    else {
      seen.add(name.toLowerCase())
      parameters.push({ name, path, type })
    }
  }

  walk(inputSchema, [])
  return reason === undefined ? { ok: true, parameters } : { ok: false, reason }
}

/** The same schema for callers of a revision that knows no such headers. */
export function withoutHeaderMarks (schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === annotation) return []
    if (literalKeywords.has(keyword)) return [[keyword, value]]
    if (namingKeywords.has(keyword) && isObject(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withoutMarksInside(child)]))]]
    }
    return [[keyword, withoutMarksInside(value)]]
  }))
}

function withoutMarksInside (value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarksInside)
  return isObject(value) ? withoutHeaderMarks(value) : value
}

/** Keywords whose values are data, not schemas. */
const literalKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'dependentRequired'])

/** Keywords that hold schemas under names: there, `default` or `x-mcp-header` is a name like any other. */
const namingKeywords: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'])

/**
 * VAL-17. A value in the arguments needs its header, a value that is absent or null must have
 * none: else a router in front could act on a value that the tool never sees. One that no
 * header can say, such as a list, has none either, and is left to the check of the arguments.
 */
export function checkMirroredParameters (
  parameters: readonly MirroredParameter[], headers: RequestHeaders, toolArguments: JsonObject
): Rejection | undefined {
  for (const { name, path, type } of parameters) {
    const raw = headerText(headers, `mcp-param-${name.toLowerCase()}`)
    const value = path.reduce<unknown>((at, property) => isObject(at) && Object.hasOwn(at, property) ? at[property] : undefined, toolArguments)
    const argument = `arguments.${path.join('.')}`
    if (!canBeMirrored(value)) {
      if (raw === undefined) continue
      return headerMismatch('HDR-11', `Header Mcp-Param-${name} is sent, but ${argument} ${misfitOf(value, type)}.`)
    }
    if (raw === undefined) return headerMismatch('HDR-11', `Header Mcp-Param-${name} is missing; send ${argument} in it.`)
    const header = decodeHeaderValue(raw)
    if (header === undefined || !isSame(header, value, type)) {
      return headerMismatch('HDR-11', `Header Mcp-Param-${name} and ${argument} differ; send the same in both.`)
    }
  }
  return undefined
}

/** Whether a client can say the value in a header (HDR-10). */
function canBeMirrored (value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean': return true
    case 'number': return !Number.isInteger(value) || Number.isSafeInteger(value)
    default: return false
  }
}

/** What is wrong with a value that no header can say, and what to do about it. */
function misfitOf (value: unknown, type: MirroredParameter['type']): string {
  if (value === undefined) return 'is not there; leave the header out'
  if (value === null) return 'is null; leave the header out'
  const found = Array.isArray(value) ? 'a list' : typeof value === 'number' ? 'a number beyond 2^53 - 1' : 'an object'
  return `holds ${found}, which no header can say; send one ${valueOf[type]} there`
}

const valueOf: Readonly<Record<MirroredParameter['type'], string>> = { string: 'text', integer: 'whole number', boolean: 'boolean' }

function isSame (header: string, value: unknown, type: MirroredParameter['type']): boolean {
  if (type === 'integer' && typeof value === 'number') return strictInteger.test(header) && Number(header) === value
  return header === String(value)
}
