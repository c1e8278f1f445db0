/**
 * Results in the shapes of the 2025 revisions (LEGACY-06, LEGACY-12): no `resultType`, no cache
 * hints, no marks for headers (HDR-08), and without the members that an older revision does not know.
 */
import { isObject, type JsonObject } from './message.ts'
import { withoutHeaderMarks } from './mirrored-parameters.ts'
import { isLegacyVersion, type LegacyVersion } from './versions.ts'

/** Shapes `body`, the result of `method`, for a caller at `version`. */
export function legacyResult (method: string, body: JsonObject, version: LegacyVersion): JsonObject {
  const shape = shapes[method]
  return shape === undefined ? body : shape(body, version)
}

const shapes: Readonly<Record<string, (body: JsonObject, version: LegacyVersion) => JsonObject>> = {
  // What the handshake agrees on counts: its own request seldom has a version header.
  initialize: (body, version) => ({
    ...body, serverInfo: implementation(body['serverInfo'], isLegacyVersion(body['protocolVersion']) ? body['protocolVersion'] : version)
  }),
  'tools/list': (body, version) => ({ ...body, tools: each(body['tools'], (tool) => definition(withoutMarks(withObjectOutput(tool)), version)) }),
  'resources/list': (body, version) => ({ ...body, resources: each(body['resources'], (resource) => definition(resource, version)) }),
  'resources/templates/list': (body, version) => ({
    ...body,
    resourceTemplates: each(body['resourceTemplates'], (template) => definition(template, version))
  }),
  'prompts/list': (body, version) => ({ ...body, prompts: each(body['prompts'], (prompt) => promptDefinition(prompt, version)) }),
  'tools/call': toolResult,
  'prompts/get': (body, version) => ({
    ...body,
    messages: each(body['messages'], (message) => ({ ...message, content: block(message['content'], version) }))
  })
}

function toolResult (body: JsonObject, version: LegacyVersion): JsonObject {
  const isOldest = version === '2025-03-26'
  // Only objects are known before 2026-07-28; the text block carries the value in any case.
  const shaped = isOldest || !isObject(body['structuredContent']) ? without(body, 'structuredContent') : body
  return isOldest ? { ...shaped, content: each(body['content'], (content) => block(content, version)) } : shaped
}

/** Headers that mirror arguments came with 2026-07-28, and some checkers refuse a keyword that they do not know. */
function withoutMarks (tool: JsonObject): JsonObject {
  const { inputSchema } = tool
  return isObject(inputSchema) ? { ...tool, inputSchema: withoutHeaderMarks(inputSchema) } : tool
}

function withObjectOutput (tool: JsonObject): JsonObject {
  const outputSchema = tool['outputSchema']
  return isObject(outputSchema) && outputSchema['type'] === 'object' ? tool : without(tool, 'outputSchema')
}

/** Icons came with 2025-11-25; titles, `_meta` and output schemas with 2025-06-18. */
function definition (value: JsonObject, version: LegacyVersion): JsonObject {
  switch (version) {
    case '2025-11-25': return value
    case '2025-06-18': return without(value, 'icons')
    case '2025-03-26': return without(value, 'icons', 'title', '_meta', 'outputSchema')
  }
}

function promptDefinition (prompt: JsonObject, version: LegacyVersion): JsonObject {
  const shaped = definition(prompt, version)
  if (version !== '2025-03-26' || shaped['arguments'] === undefined) return shaped
  return { ...shaped, arguments: each(shaped['arguments'], (argument) => without(argument, 'title')) }
}

function implementation (value: unknown, version: LegacyVersion): unknown {
  if (!isObject(value) || version === '2025-11-25') return value
  const shaped = without(value, 'icons', 'description', 'websiteUrl')
  return version === '2025-03-26' ? without(shaped, 'title') : shaped
}

/** A resource link is news to the oldest revision: it reads the URI as text instead. */
function block (content: unknown, version: LegacyVersion): JsonObject {
  if (!isObject(content)) return { type: 'text', text: String(content) }
  if (version !== '2025-03-26') return content
  if (content['type'] === 'resource_link') return { type: 'text', text: String(content['uri']) }
  return without(content, '_meta')
}

function each (list: unknown, shape: (item: JsonObject) => JsonObject): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject).map(shape) : []
}

function without (value: JsonObject, ...members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([member]) => !members.includes(member)))
}
