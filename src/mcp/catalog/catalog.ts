/**
 * Catalogs: what each caller is offered.
 *
 * A catalog gives each caller a view: the tools, resources and prompts that this caller is
 * offered. A request takes one view when it begins and keeps it, so that its list, its check of
 * arguments and its call agree, whatever changes meanwhile. A view never changes; when what is
 * offered changes, there is another view.
 *
 * What decides a view is the principal alone: a session key, or what a caller did before, changes
 * no list (LIST-02). A catalog gives the same view object as long as nothing has changed for the
 * caller; what is computed from views is kept for as long as their objects live.
 *
 * Revisions are digests of what is published. Two views of one revision publish the same bytes,
 * whichever catalogs and policies they come from, and share them (`list-pages.ts`).
 */
import type { ListName } from '../../events/event-bus.ts'
import type { McpRequest } from '../../protocol/mcp-request.ts'
import type { JsonObject } from '../../protocol/message.ts'
import type { Principal } from '../../protocol/principal.ts'
import type { CacheHint } from '../../protocol/result.ts'
import type { Cancel } from '../../runtime/scheduler.ts'
import type { ListedSet } from './listed-set.ts'
import type { RegisteredPrompt } from './registered-prompt.ts'
import type { RegisteredResource } from './registered-resource.ts'
import type { RegisteredTool } from './registered-tool.ts'

/** The one that a view is for. */
export type Caller = Pick<McpRequest, 'principal'>

export interface Catalog {
  /**
   * What the caller is offered now: at once where it is at hand. A catalog that has to fetch it
   * bounds how long that may take, for every request of the caller waits for it.
   */
  view (caller: Caller): CatalogView | Promise<CatalogView>
  /** Tells of each view that takes the place of another. Absent where views never change. */
  watch? (listener: (change: ViewChange) => void): Cancel
}

export interface ViewChange {
  /** The principal whose view has changed; undefined where it is the view of all. */
  readonly principal: Principal | undefined
  readonly before: CatalogView
  readonly after: CatalogView
}

export interface CatalogView {
  /** Equal exactly when all that the view publishes is. */
  readonly revision: string
  /** How long its lists may be kept, and whether for this caller alone (CACHE-04). */
  readonly cache: CacheHint
  readonly tools: ListedSet<RegisteredTool>
  readonly resources: ListedSet<RegisteredResource>
  /** Those of the resources that are listed as templates. */
  readonly templates: ListedSet<RegisteredResource>
  readonly prompts: ListedSet<RegisteredPrompt>
  readonly capabilities: Capabilities
}

/** What a server of the modern era declares (CAP-02). `listChanged` stands exactly where changes of the list are published. */
export interface Capabilities extends JsonObject {
  readonly tools: ListCapability
  readonly resources: ListCapability & { readonly subscribe: true }
  readonly prompts: ListCapability
}

interface ListCapability extends JsonObject {
  readonly listChanged?: true
}

/** The lists whose changes these capabilities promise to tell. */
export function toldLists (capabilities: Capabilities): readonly ListName[] {
  return (['tools', 'prompts', 'resources'] as const).filter((list) => capabilities[list].listChanged === true)
}
