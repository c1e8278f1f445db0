import type { ListName } from '../../events/event-bus.ts'
import type { CacheHint } from '../../protocol/result.ts'
import type { Capabilities, CatalogView } from './catalog.ts'
import { createListedSet, digestOf } from './listed-set.ts'
import type { RegisteredPrompt } from './registered-prompt.ts'
import type { RegisteredResource } from './registered-resource.ts'
import type { RegisteredTool } from './registered-tool.ts'

/**
 * A view of these entries, in this order.
 *
 * @throws {Error} when two of one kind have the same name
 */
export function createView ({ tools, resources, prompts, cache, capabilities }: {
  readonly tools: readonly RegisteredTool[]
  readonly resources: readonly RegisteredResource[]
  readonly prompts: readonly RegisteredPrompt[]
  readonly cache: CacheHint
  readonly capabilities: Capabilities
}): CatalogView {
  const sets = {
    tools: createListedSet(tools, 'tools'),
    resources: createListedSet(resources, 'resource templates'),
    templates: createListedSet(resources.filter(({ template }) => template.variables.length > 0), 'resource templates'),
    prompts: createListedSet(prompts, 'prompts')
  }
  const revision = digestOf([sets.tools.revision, sets.resources.revision, sets.prompts.revision, capabilities, cache])
  return Object.freeze({ revision, cache, capabilities, ...sets })
}

/** What is served (CAP-04), with word of those lists whose changes are published. */
export function capabilitiesTelling (lists: readonly ListName[]): Capabilities {
  const told = (list: ListName): { readonly listChanged?: true } => lists.includes(list) ? { listChanged: true } : {}
  return {
    tools: told('tools'),
    resources: { ...told('resources'), subscribe: true },
    prompts: told('prompts'),
    completions: {},
    logging: {}
  }
}
