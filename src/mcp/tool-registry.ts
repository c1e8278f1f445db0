/**
 * The tools of this server, prepared once: their published form, the compiled check of their
 * arguments, and which parameters they mirror into headers.
 *
 * A tool that may not be published (bad name, invalid `x-mcp-header`, a schema that nobody
 * could check by) fails here, at start-up (CALL-01, CALL-02, HDR-09, SCHEMA-02).
 */
import { compileSchema, type SchemaCheck } from '../protocol/json-schema.ts'
import type { JsonObject } from '../protocol/message.ts'
import { readMirroredParameters, type MirroredParameter } from '../protocol/mirrored-parameters.ts'
import type { OfferedTool } from '../tools/tool-definition.ts'
import { schemaCheck, zodCheck, type ArgumentCheck } from './argument-check.ts'

export interface RegisteredTool {
  readonly definition: OfferedTool
  /** The tool as `tools/list` shows it. */
  readonly published: JsonObject
  readonly mirrored: readonly MirroredParameter[]
  readonly check: ArgumentCheck
  /** Of `structuredContent`, for a tool that says what it looks like (CALL-06). */
  readonly checkOutput: SchemaCheck | undefined
}

export interface ToolRegistry {
  /** In the order of registration (LIST-03). */
  readonly tools: readonly RegisteredTool[]
  find (name: string): RegisteredTool | undefined
}

const publishableName = /^[A-Za-z0-9_.-]{1,64}$/

export function createToolRegistry (definitions: readonly OfferedTool[]): ToolRegistry {
  const tools = definitions.map(register)
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]))
  if (byName.size !== tools.length) throw new Error('two tools have the same name')
  return { tools, find: (name) => byName.get(name) }
}

function register (definition: OfferedTool): RegisteredTool {
  const { name, title, description, annotations } = definition
  if (!publishableName.test(name)) throw new Error(`"${name}" cannot be the name of a tool`)
  const check = 'input' in definition ? zodCheck(definition.input) : schemaCheck(definition.inputSchema, name)
  const outputSchema = 'input' in definition ? undefined : definition.outputSchema
  const mirrored = readMirroredParameters(check.inputSchema)
  if (!mirrored.ok) throw new Error(`tool ${name}: ${mirrored.reason}`)
  return {
    definition,
    published: { name, title, description, inputSchema: check.inputSchema, outputSchema, annotations },
    mirrored: mirrored.parameters,
    check,
    checkOutput: outputSchema === undefined ? undefined : compileSchema(outputSchema, `tool ${name}: its outputSchema`)
  }
}
