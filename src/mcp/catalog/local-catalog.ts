import type { CacheHint } from '../../protocol/result.ts'
import type { Offer } from '../../tools/offer.ts'
import type { Catalog } from './catalog.ts'
import { capabilitiesTelling, createView } from './create-view.ts'
import { registerPrompt } from './registered-prompt.ts'
import { registerResource } from './registered-resource.ts'
import { registerTool } from './registered-tool.ts'

/** The same for every caller until the next release of the server (LIST-02, DISC-03, POOL-02). */
const cache: CacheHint = { ttlMs: 300_000, scope: 'public' }

/**
 * What this server offers by itself: one view for all callers, which is always at hand.
 *
 * @throws {Error} when something of it may not be published
 */
export function createLocalCatalog ({ tools, resources, prompts, tells = [] }: Offer): Catalog {
  const view = createView({
    tools: tools.map(registerTool),
    resources: resources.map(registerResource),
    prompts: prompts.map(registerPrompt),
    cache,
    capabilities: capabilitiesTelling(tells)
  })
  return { view: () => view }
}
