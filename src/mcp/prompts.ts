/** `prompts/list` and `prompts/get` (PROMPT-01). */
import type { Encoder } from '../protocol/encode.ts'
import { invalidParams } from '../protocol/error-table.ts'
import type { Envelope } from '../protocol/envelope.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import { withoutInternalArguments } from '../protocol/session-key.ts'
import type { PromptDefinition } from '../tools/prompt-definition.ts'
import { bothEras, textParam, type MethodContext, type MethodTable } from './method.ts'
import { createPreparedList } from './page.ts'
import type { Rounds } from './rounds.ts'

const cache: CacheHint = { ttlMs: 300_000, scope: 'public' }

export function createPromptMethods ({ prompts, encoder, rounds }: {
  readonly prompts: readonly PromptDefinition[]
  readonly encoder: Encoder
  readonly rounds: Rounds
}): MethodTable {
  const list = createPreparedList(prompts.map(published), { method: 'prompts/list', member: 'prompts', key: 'name', cache }, encoder)

  function find ({ params }: Envelope): PromptDefinition | undefined {
    const name = textParam(params, 'name')
    return prompts.find((candidate) => candidate.name === name)
  }

  async function get (request: McpRequest, context: MethodContext): Promise<Result> {
    const prompt = find(request)
    if (prompt === undefined) throw new ProtocolError(invalidParams('There is no prompt of that name; prompts/list shows what there is.'))
    const { name, description, asks } = prompt
    const { params, principal, signal } = request
    const given = readArguments(prompt, params['arguments'] === undefined ? {} : params['arguments'])
    return await rounds.run({ request, context, target: name, arguments: given, asks }, async (asking) => {
      const content = await prompt.content(given, { principal, signal, ...asking })
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      return complete({ description, messages: blocks.map((block) => ({ role: 'user', content: block })) })
    })
  }

  return {
    'prompts/list': { eras: bothEras, handle: ({ params }) => list.page(params['cursor']) },
    'prompts/get': { eras: bothEras, handle: get, mayStream: (request) => rounds.needsStream(request, find(request)?.asks) }
  }
}

function readArguments (prompt: PromptDefinition, sent: unknown): Readonly<Record<string, string>> {
  const given = isObject(sent) ? withoutInternalArguments(sent) : undefined
  if (given === undefined || !Object.values(given).every((value) => typeof value === 'string')) {
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
