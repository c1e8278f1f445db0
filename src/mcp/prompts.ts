/** `prompts/list` and `prompts/get` (PROMPT-01). */
import { invalidParams } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject, type JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type Result } from '../protocol/result.ts'
import { withoutInternalArguments } from '../protocol/session-key.ts'
import type { PromptDefinition } from '../tools/prompt-definition.ts'
import type { CatalogView } from './catalog/catalog.ts'
import type { ListPages } from './catalog/list-pages.ts'
import { bothEras, textParam, type MethodContext, type MethodTable, type Work } from './method.ts'
import type { Rounds } from './rounds.ts'

export function createPromptMethods ({ pages, rounds }: { readonly pages: ListPages, readonly rounds: Rounds }): MethodTable {
  function prepareGet (request: McpRequest, { prompts }: CatalogView): Work {
    const prompt = prompts.find(textParam(request.params, 'name') ?? '')?.definition
    if (prompt === undefined) return { kind: 'json', maxWaitMs: 0, run: () => { throw noSuchPrompt() } }
    const kind = rounds.needsStream(request, prompt.asks) ? 'stream' : 'json'
    return { kind, maxWaitMs: 0, prompt: prompt.name, run: (context) => get(request, prompt, context) }
  }

  function get (request: McpRequest, prompt: PromptDefinition, context: MethodContext): Result | Promise<Result> {
    const { name, description, asks } = prompt
    const { params, principal, signal } = request
    const given = readArguments(prompt, params['arguments'] ?? {})
    return rounds.run({ request, context, target: name, arguments: given, asks }, async (asking) => {
      const content = await prompt.content(given, { principal, signal, ...asking })
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      return complete({ description, messages: blocks.map((block) => ({ role: 'user', content: block })) })
    })
  }

  return {
    'prompts/list': {
      eras: bothEras,
      handle: ({ params }, { prompts, cache }) => pages.page(
        prompts, params['cursor'], { method: 'prompts/list', member: 'prompts', cache }
      )
    },
    'prompts/get': { eras: bothEras, prepare: prepareGet }
  }
}

function noSuchPrompt (): ProtocolError {
  return new ProtocolError(invalidParams('There is no prompt of that name; prompts/list shows what there is.'))
}

/** Null stands for an argument that is left out, where it may be. */
function withoutAbsent (prompt: PromptDefinition, given: JsonObject): JsonObject {
  const optional = prompt.arguments.filter(({ required }) => !required).map(({ name }) => name)
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || !optional.includes(name)))
}

function readArguments (prompt: PromptDefinition, sent: unknown): Readonly<Record<string, string>> {
  const given = isObject(sent) ? withoutAbsent(prompt, withoutInternalArguments(sent)) : undefined
  if (given === undefined) throw new ProtocolError(invalidParams('params.arguments must be an object of strings.'))
  const [misfit] = Object.keys(given).filter((name) => typeof given[name] !== 'string')
  if (misfit !== undefined) throw new ProtocolError(invalidParams(`params.arguments must be an object of strings, and ${misfit.slice(0, 64)} is none.`))
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
