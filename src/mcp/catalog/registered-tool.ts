/**
 * A tool, prepared once: its published form, the check of its arguments, and which parameters
 * it mirrors into headers.
 *
 * A tool of ours that may not be published (bad name, invalid `x-mcp-header`, a schema that
 * cannot be checked by) fails here, at start-up (CALL-01, CALL-02, HDR-09, SCHEMA-02). One of
 * another server's is left out, with the reason, and the others stay (HDR-09, GW-07).
 */
import { compileSchema, type SchemaCheck } from '../../protocol/json-schema.ts'
import { isObject, type JsonObject } from '../../protocol/message.ts'
import { readMirroredParameters, type MirroredParameter } from '../../protocol/mirrored-parameters.ts'
import type { ForwardingTool, OfferedTool, OwnTool } from '../../tools/tool-definition.ts'
import { schemaCheck, zodCheck, type ArgumentCheck } from '../argument-check.ts'
import { digestOf, type ListedEntry } from './listed-set.ts'

interface Registered extends ListedEntry {
  readonly mirrored: readonly MirroredParameter[]
}

export interface RegisteredOwnTool extends Registered {
  readonly kind: 'own'
  readonly definition: OwnTool
  readonly check: ArgumentCheck
  /** Of `structuredContent`, for a tool that says what it looks like (CALL-06). */
  readonly checkOutput: SchemaCheck | undefined
}

export interface RegisteredForwardingTool extends Registered {
  readonly kind: 'forwarding'
  readonly definition: ForwardingTool
}

export type RegisteredTool = RegisteredOwnTool | RegisteredForwardingTool

const publishableName = /^[A-Za-z0-9_.-]{1,64}$/

/** @throws {Error} when it may not be published */
export function registerTool (definition: OfferedTool): RegisteredTool {
  const { name } = definition
  if (!publishableName.test(name)) throw new Error(`${JSON.stringify(name.slice(0, 128))} cannot be the name of a tool`)
  return 'forward' in definition ? registerForwarding(definition) : registerOwn(definition)
}

/** Of tools that others define, those that may be published; the rest is told to `drop`, with the reason. */
export function registerForeignTools (
  definitions: readonly OfferedTool[], drop: (name: string, reason: string) => void
): readonly RegisteredTool[] {
  return definitions.flatMap((definition) => {
    try {
      return [registerTool(definition)]
    } catch (error) {
      drop(definition.name, error instanceof Error ? error.message : String(error))
      return []
    }
  })
}

function registerOwn (definition: OwnTool): RegisteredOwnTool {
  const { name, title, description, annotations } = definition
  const check = 'input' in definition ? zodCheck(definition.input) : schemaCheck(definition.inputSchema, name)
  const outputSchema = 'input' in definition ? undefined : definition.outputSchema
  const published = { name, title, description, inputSchema: check.inputSchema, outputSchema, annotations }
  return {
    kind: 'own',
    ...entryOf(name, published),
    mirrored: mirroredOf(name, check.inputSchema),
    definition,
    check,
    checkOutput: outputSchema === undefined ? undefined : compileSchema(outputSchema, `tool ${name}: its outputSchema`)
  }
}

/** Its server checks the arguments. That its schemas can be checked by is asked of it all the same, for its callers' sake. */
function registerForwarding (definition: ForwardingTool): RegisteredForwardingTool {
  const { name, published } = definition
  const { inputSchema, outputSchema } = published
  if (!isObject(inputSchema)) throw new Error(`tool ${name}: its inputSchema must be an object`)
  schemaCheck(inputSchema, name)
  if (outputSchema !== undefined) {
    if (!isObject(outputSchema)) throw new Error(`tool ${name}: its outputSchema must be an object`)
    compileSchema(outputSchema, `tool ${name}: its outputSchema`)
  }
  return { kind: 'forwarding', ...entryOf(name, { ...published, name }), mirrored: mirroredOf(name, inputSchema), definition }
}

function entryOf (name: string, published: JsonObject): ListedEntry {
  return { name, published, digest: digestOf(published) }
}

function mirroredOf (name: string, inputSchema: JsonObject): readonly MirroredParameter[] {
  const mirrored = readMirroredParameters(inputSchema)
  if (!mirrored.ok) throw new Error(`tool ${name}: ${mirrored.reason}`)
  return mirrored.parameters
}
