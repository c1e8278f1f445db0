/**
 * Several catalogs as one.
 *
 * - Order: the entries of the first catalog come first, then those of the second, and so on, each
 *   in its own order (LIST-03).
 * - Collisions: a name belongs to the first catalog that has it. The later entry is left out, and
 *   the log says so; nothing is renamed here. A catalog of another server's tools gives them
 *   names of its own before (GW-06).
 * - Hints: the shortest life of all parts; private as soon as one part is (GW-11).
 * - Capabilities: the union.
 * - Failure: a catalog that has no view to give is left out for this time, and the lists are not
 *   to be kept for long (GW-10).
 */
import type { CacheHint } from '../../protocol/result.ts'
import { isPromise } from '../is-promise.ts'
import type { Capabilities, Catalog, CatalogView } from './catalog.ts'
import { createView } from './create-view.ts'
import type { ListedEntry, ListedSet } from './listed-set.ts'

export interface CatalogLog {
  warn (facts: object, message: string): void
}

/** How long lists may be kept that leave a catalog out. */
const partialTtlMs = 5_000

export function mergeCatalogs (catalogs: readonly [Catalog, ...Catalog[]], { log }: { readonly log: CatalogLog }): Catalog {
  // By the identity of both parts, so that what was merged goes when its parts do.
  const known = new WeakMap<CatalogView, WeakMap<CatalogView, CatalogView>>()
  const partial = new WeakMap<CatalogView, CatalogView>()

  function mergeTwo (one: CatalogView, other: CatalogView): CatalogView {
    const withOne = known.get(one) ?? new WeakMap<CatalogView, CatalogView>()
    known.set(one, withOne)
    const before = withOne.get(other)
    if (before !== undefined) return before
    const merged = mergeViews(one, other, log)
    withOne.set(other, merged)
    return merged
  }

  /** Undefined stands for a catalog that has failed. */
  function mergeAll (views: ReadonlyArray<CatalogView | undefined>): CatalogView {
    const given = views.filter((view) => view !== undefined)
    const [first, ...rest] = given
    if (first === undefined) throw new Error('no catalog has a view to give')
    const merged = rest.reduce(mergeTwo, first)
    return given.length === views.length ? merged : partialOf(merged)
  }

  function partialOf (view: CatalogView): CatalogView {
    const before = partial.get(view) ?? shortLived(view)
    partial.set(view, before)
    return before
  }

  function leaveOut (error: unknown): undefined {
    log.warn({ err: error }, 'a catalog is left out, because it has no view to give')
  }

  return {
    view (caller) {
      const views = catalogs.map((catalog) => {
        try {
          const view = catalog.view(caller)
          return isPromise(view) ? view.catch(leaveOut) : view
        } catch (error) {
          return leaveOut(error)
        }
      })
      return views.some(isPromise) ? Promise.all(views).then(mergeAll) : mergeAll(views as ReadonlyArray<CatalogView | undefined>)
    },

    // A name that an earlier catalog has taken may be among what has changed: then a client looks in vain.
    watch (listener) {
      const stops = catalogs.flatMap((catalog) => catalog.watch?.(listener) ?? [])
      return () => { for (const stop of stops) stop() }
    }
  }
}

function mergeViews (one: CatalogView, other: CatalogView, log: CatalogLog): CatalogView {
  return createView({
    tools: mergeSets(one.tools, other.tools, 'tool', log),
    resources: mergeSets(one.resources, other.resources, 'resource template', log),
    prompts: mergeSets(one.prompts, other.prompts, 'prompt', log),
    cache: mergeHints(one.cache, other.cache),
    capabilities: mergeCapabilities(one.capabilities, other.capabilities)
  })
}

function mergeSets<Entry extends ListedEntry> (
  one: ListedSet<Entry>, other: ListedSet<Entry>, what: string, log: CatalogLog
): readonly Entry[] {
  const added = other.entries.filter(({ name }) => {
    const isTaken = one.find(name) !== undefined
    if (isTaken) log.warn({ name }, `a ${what} is not offered, because an earlier catalog has one of that name`)
    return !isTaken
  })
  return [...one.entries, ...added]
}

function mergeHints (one: CacheHint, other: CacheHint): CacheHint {
  return { ttlMs: Math.min(one.ttlMs, other.ttlMs), scope: one.scope === 'private' ? 'private' : other.scope }
}

function mergeCapabilities (one: Capabilities, other: Capabilities): Capabilities {
  return {
    ...one,
    ...other,
    tools: { ...one.tools, ...other.tools },
    resources: { ...one.resources, ...other.resources },
    prompts: { ...one.prompts, ...other.prompts }
  }
}

function shortLived (view: CatalogView): CatalogView {
  return createView({
    tools: view.tools.entries,
    resources: view.resources.entries,
    prompts: view.prompts.entries,
    capabilities: view.capabilities,
    cache: mergeHints(view.cache, { ttlMs: partialTtlMs, scope: 'public' })
  })
}
