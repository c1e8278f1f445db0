/** `completion/complete` for prompt arguments and template variables (COMP-01). */
import { invalidParams } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { isObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type Result } from '../protocol/result.ts'
import type { CatalogView } from './catalog/catalog.ts'
import { bothEras, textParam, type MethodTable } from './method.ts'

/** The most a completion may offer. */
const maxValues = 100

type Source = (call: Pick<McpRequest, 'principal' | 'signal'>) => Promise<readonly string[]>

export function createCompletionMethods (): MethodTable {
  async function answer ({ params, principal, signal }: McpRequest, view: CatalogView): Promise<Result> {
    const argument = params['argument']
    if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
      throw new ProtocolError(invalidParams('params.argument must hold name and value, both strings.'))
    }
    const offered = await sourceOf(view, params['ref'], argument['name'])({ principal, signal })
    const typed = argument['value'].toLowerCase()
    const matching = offered.filter((value) => value.toLowerCase().includes(typed))
    return complete({
      completion: { values: matching.slice(0, maxValues), total: matching.length, hasMore: matching.length > maxValues }
    })
  }

  return { 'completion/complete': { eras: bothEras, handle: answer } }
}

/** Where the values of one argument come from; an argument without a source has none to offer. */
function sourceOf ({ prompts, resources }: CatalogView, ref: unknown, argument: string): Source {
  if (!isObject(ref)) throw unknownReference()
  switch (ref['type']) {
    case 'ref/prompt': {
      const found = prompts.find(textParam(ref, 'name') ?? '')?.definition.arguments.find(({ name }) => name === argument)
      if (found === undefined) throw unknownReference()
      return found.complete ?? nothing
    }
    case 'ref/resource': {
      const resource = resources.find(textParam(ref, 'uri') ?? '')
      if (resource?.template.variables.includes(argument) !== true) throw unknownReference()
      return resource.definition.complete?.[argument] ?? nothing
    }
    default: throw unknownReference()
  }
}

const nothing: Source = async () => []

function unknownReference (): ProtocolError {
  return new ProtocolError(invalidParams(
    'params.ref and params.argument.name must name an argument of a prompt or a variable of a resource template.'
  ))
}
