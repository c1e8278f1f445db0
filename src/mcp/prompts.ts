/** `prompts/list` and `prompts/get` (PROMPT-01). */
import type { Encoder } from '../protocol/encode.ts'
import { invalidParams } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import type { PromptDefinition } from '../tools/prompt-definition.ts'
import { bothEras, textParam, type MethodTable } from './method.ts'
import { createPreparedList } from './page.ts'

const cache: CacheHint = { ttlMs: 300_000, scope: 'public' }

export function createPromptMethods ({ prompts, encoder }: {
  readonly prompts: readonly PromptDefinition[]
  readonly encoder: Encoder
}): MethodTable {
  const list = createPreparedList(prompts.map(published), { method: 'prompts/list', member: 'prompts', key: 'name', cache }, encoder)

  function get ({ params }: McpRequest): Result {
    const name = textParam(params, 'name')
    const prompt = prompts.find((candidate) => candidate.name === name)
    if (prompt === undefined) throw new ProtocolError(invalidParams('There is no prompt of that name; prompts/list shows what there is.'))
    const given = readArguments(prompt, params['arguments'] === undefined ? {} : params['arguments'])
    return complete({
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }]
    })
  }

  return {
    'prompts/list': { eras: bothEras, handle: ({ params }) => list.page(params['cursor']) },
    'prompts/get': { eras: bothEras, handle: get }
  }
}

function readArguments (prompt: PromptDefinition, given: unknown): Readonly<Record<string, string>> {
  if (!isObject(given) || !Object.values(given).every((value) => typeof value === 'string')) {
    throw new ProtocolError(invalidParams('params.arguments must be an object of strings.'))
  }
  const unknown = Object.keys(given).filter((name) => !prompt.arguments.some((argument) => argument.name === name))
  const missing = prompt.arguments.filter(({ name, required }) => required && !Object.hasOwn(given, name)).map(({ name }) => name)
  if (unknown.length > 0 || missing.length > 0) {
    const known = prompt.arguments.map(({ name }) => name).join(', ')
    throw new ProtocolError(invalidParams(
      `Prompt ${prompt.name} takes the arguments ${known}` +
      (missing.length > 0 ? `; missing: ${missing.join(', ')}` : '') +
      (unknown.length > 0 ? `; unknown: ${unknown.slice(0, 10).map((name) => name.slice(0, 64)).join(', ')}` : '') + '.'
    ))
  }
  return given as Readonly<Record<string, string>>
}

function published ({ name, title, description, arguments: taken }: PromptDefinition): Readonly<Record<string, unknown>> {
  return {
    name,
    title,
    description,
    arguments: taken.map((argument) => ({
      name: argument.name, title: argument.title, description: argument.description, required: argument.required
    }))
  }
}
