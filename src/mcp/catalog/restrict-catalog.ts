/**
 * A catalog with less in it: a policy says which entries each caller may see and use, and can
 * take away only. What it takes away is for this caller as if it did not exist.
 *
 * Its views are private even where nothing was taken away: what another caller would see may
 * differ (CACHE-04).
 */
import { isPromise } from '../is-promise.ts'
import type { Caller, Catalog, CatalogView, ViewChange } from './catalog.ts'
import { createView } from './create-view.ts'
import type { ListedEntry, ListedSet } from './listed-set.ts'

export interface Policy {
  /** The group of a caller. Callers of one group may see and use the same. */
  groupOf (caller: Caller): string
  allows (group: string, entry: { readonly kind: 'tool' | 'resource' | 'prompt', readonly name: string }): boolean
}

/** Of one view; a group that is forgotten costs the making of its view when it comes again. */
const maxGroups = 1_000

export function restrictCatalog (catalog: Catalog, policy: Policy): Catalog {
  const byView = new WeakMap<CatalogView, Map<string, CatalogView>>()

  function restrict (view: CatalogView, group: string): CatalogView {
    const byGroup = byView.get(view) ?? new Map<string, CatalogView>()
    byView.set(view, byGroup)
    const before = byGroup.get(group)
    if (before !== undefined) return before
    const restricted = takeAway(view, (kind, name) => policy.allows(group, { kind, name }))
    const [oldest] = byGroup.keys()
    if (byGroup.size >= maxGroups && oldest !== undefined) byGroup.delete(oldest)
    byGroup.set(group, restricted)
    return restricted
  }

  /** The change as each group sees it that may have seen what was before. */
  function changesOf ({ principal, before, after }: ViewChange): readonly ViewChange[] {
    const groups = principal === undefined ? [...byView.get(before)?.keys() ?? []] : [policy.groupOf({ principal })]
    return groups.map((group) => ({ principal, before: restrict(before, group), after: restrict(after, group) }))
  }

  return {
    view (caller) {
      const view = catalog.view(caller)
      const group = policy.groupOf(caller)
      return isPromise(view) ? view.then((view) => restrict(view, group)) : restrict(view, group)
    },

    watch (listener) {
      const stop = catalog.watch?.((change) => { for (const seen of changesOf(change)) listener(seen) })
      return stop ?? (() => {})
    }
  }
}

function takeAway (view: CatalogView, allows: (kind: 'tool' | 'resource' | 'prompt', name: string) => boolean): CatalogView {
  const kept = <Entry extends ListedEntry>({ entries }: ListedSet<Entry>, kind: 'tool' | 'resource' | 'prompt'): readonly Entry[] =>
    entries.filter(({ name }) => allows(kind, name))
  return createView({
    tools: kept(view.tools, 'tool'),
    resources: kept(view.resources, 'resource'),
    prompts: kept(view.prompts, 'prompt'),
    capabilities: view.capabilities,
    cache: { ...view.cache, scope: 'private' }
  })
}
