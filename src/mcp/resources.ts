/** `resources/list`, `resources/templates/list`, `resources/read` (RES-01…03); `resources/subscribe` and `resources/unsubscribe` before. */
import type { WatchedResource } from '../events/listen-filter.ts'
import { invalidParams, resourceNotFound } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import type { ResourceCall, ResourceDefinition } from '../tools/resource-definition.ts'
import type { CatalogView } from './catalog/catalog.ts'
import type { ListPages } from './catalog/list-pages.ts'
import type { CatalogLog } from './catalog/merge-catalogs.ts'
import { bothEras, textParam, type MethodContext, type MethodTable, type Work } from './method.ts'
import { pageOf } from './page.ts'
import type { Rounds } from './rounds.ts'

/** Devices come and go without a change of what is offered. */
const longestListTtlMs = 5_000
/** What a phone shows is true for an instant, and the reader's own. */
const readCache: CacheHint = { ttlMs: 0, scope: 'private' }

/**
 * Finds what a caller wants to subscribe to.
 *
 * @returns undefined when there is no such resource, or not for this caller
 */
export async function findResource ({ resources }: CatalogView, uri: string, call: ResourceCall): Promise<WatchedResource | undefined> {
  for (const { definition, template } of resources.entries) {
    const variables = template.match(uri)
    const topic = variables === undefined ? undefined : await definition.topicOf(variables, call)
    if (variables !== undefined && topic !== undefined) return { uri: template.expand(variables), topic }
  }
  return undefined
}

export function createResourceMethods ({ pages, rounds, log }: {
  readonly pages: ListPages
  readonly rounds: Rounds
  readonly log: CatalogLog
}): MethodTable {
  let hasWarned = false

  async function list ({ params }: McpRequest, { resources, cache }: CatalogView): Promise<Result> {
    const listed = await Promise.all(resources.entries.map(({ definition }) => definition.list?.() ?? []))
    return pageOf(
      listed.flat().map((resource) => ({ name: resource.uri, published: { ...resource } })), params['cursor'],
      { method: 'resources/list', member: 'resources', cache: { ...cache, ttlMs: Math.min(cache.ttlMs, longestListTtlMs) } }
    )
  }

  function prepareRead (request: McpRequest, { resources }: CatalogView): Work {
    const uri = textParam(request.params, 'uri')
    if (uri === undefined) return { kind: 'json', maxWaitMs: 0, run: () => { throw noUri() } }
    const candidates = resources.entries.flatMap(({ definition, template }) => {
      const variables = template.match(uri)
      return variables === undefined ? [] : [{ definition, variables }]
    })
    const asks = candidates.some(({ definition }) => definition.asks === true)
    const kind = rounds.needsStream(request, asks) ? 'stream' : 'json'
    return { kind, maxWaitMs: 0, run: (context) => read(request, uri, { candidates, asks }, context) }
  }

  function read (request: McpRequest, uri: string, { candidates, asks }: Found, context: MethodContext): Result | Promise<Result> {
    const { principal, signal } = request
    return rounds.run({ request, context, target: uri, arguments: {}, asks }, async (asking) => {
      for (const { definition, variables } of candidates) {
        const content = await definition.read(variables, { principal, signal, ...asking })
        if (content !== undefined) return complete({ contents: [{ uri, ...content }] }, readCache)
      }
      throw new ProtocolError(resourceNotFound(uri))
    })
  }

  /**
   * LEGACY-09, A-14: nothing is remembered and nothing will be delivered, because old clients
   * have no stream here that outlives their request; `subscribe` is not advertised to them. The
   * log says so, once.
   */
  async function acknowledge ({ method, params, principal, signal }: McpRequest, view: CatalogView): Promise<Result> {
    const uri = textParam(params, 'uri')
    if (uri === undefined) throw noUri()
    if (await findResource(view, uri, { principal, signal }) === undefined) throw new ProtocolError(resourceNotFound(uri))
    if (method === 'resources/subscribe' && !hasWarned) {
      hasWarned = true
      log.warn({ method }, 'a client of an old revision subscribed to a resource, and will not hear of its changes: that takes subscriptions/listen of 2026-07-28')
    }
    return complete({})
  }

  return {
    'resources/list': { eras: bothEras, handle: list },
    'resources/templates/list': {
      eras: bothEras,
      handle: ({ params }, { templates, cache }) => pages.page(
        templates, params['cursor'], { method: 'resources/templates/list', member: 'resourceTemplates', cache }
      )
    },
    'resources/read': { eras: bothEras, prepare: prepareRead },
    'resources/subscribe': { eras: ['legacy'], handle: acknowledge },
    'resources/unsubscribe': { eras: ['legacy'], handle: acknowledge }
  }
}

interface Found {
  readonly candidates: readonly Candidate[]
  readonly asks: boolean
}

/** A family that the URI may belong to, with the variables that it would have there. */
interface Candidate {
  readonly definition: ResourceDefinition
  readonly variables: Readonly<Record<string, string>>
}

function noUri (): ProtocolError {
  return new ProtocolError(invalidParams('params.uri must be the URI of a resource.'))
}
