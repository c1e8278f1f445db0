/** `completion/complete` for prompt arguments and template variables (COMP-01). */
import { invalidParams } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type Result } from '../protocol/result.ts'
import type { PromptDefinition } from '../tools/prompt-definition.ts'
import { bothEras, type MethodTable } from './method.ts'
import type { RegisteredResource } from './resources.ts'

/** The most a completion may offer. */
const maxValues = 100

type Source = (call: Pick<McpRequest, 'principal' | 'signal'>) => Promise<readonly string[]>

export function createCompletionMethods ({ prompts, resources }: {
  readonly prompts: readonly PromptDefinition[]
  readonly resources: readonly RegisteredResource[]
}): MethodTable {
  /** Where the values of one argument come from; an argument without a source has none to offer. */
  function sourceOf (ref: unknown, argument: string): Source {
    if (!isObject(ref)) throw unknownReference()
    switch (ref['type']) {
      case 'ref/prompt': return promptSource(ref['name'], argument)
      case 'ref/resource': return resourceSource(ref['uri'], argument)
      default: throw unknownReference()
    }
  }

  function promptSource (name: unknown, argument: string): Source {
    const prompt = prompts.find((candidate) => candidate.name === name)
    const found = prompt?.arguments.find((candidate) => candidate.name === argument)
    if (found === undefined) throw unknownReference()
    return found.complete ?? nothing
  }

  function resourceSource (uri: unknown, argument: string): Source {
    const resource = resources.find(({ template }) => template.text === uri)
    if (resource?.template.variables.includes(argument) !== true) throw unknownReference()
    return resource.definition.complete?.[argument] ?? nothing
  }

  async function answer ({ params, principal, signal }: McpRequest): Promise<Result> {
    const argument = params['argument']
    if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
      throw new ProtocolError(invalidParams('params.argument must hold name and value, both strings.'))
    }
    const offered = await sourceOf(params['ref'], argument['name'])({ principal, signal })
    const typed = argument['value'].toLowerCase()
    const matching = offered.filter((value) => value.toLowerCase().includes(typed))
    return complete({
      completion: { values: matching.slice(0, maxValues), total: matching.length, hasMore: matching.length > maxValues }
    })
  }

  return { 'completion/complete': { eras: bothEras, handle: answer } }
}

const nothing: Source = async () => []

function unknownReference (): ProtocolError {
  return new ProtocolError(invalidParams('params.ref and params.argument.name must name an argument of a prompt or a variable of a resource template.'))
}
