/** `resources/list`, `resources/templates/list`, `resources/read` (RES-01…03); `resources/subscribe` and `resources/unsubscribe` before. */
import type { WatchedResource } from '../events/listen-filter.ts'
import type { Encoder } from '../protocol/encode.ts'
import { invalidParams, resourceNotFound } from '../protocol/error-table.ts'
import type { McpRequest } from '../protocol/mcp-request.ts'
import type { JsonObject } from '../protocol/message.ts'
import { ProtocolError } from '../protocol/rejection.ts'
import { complete, type CacheHint, type Result } from '../protocol/result.ts'
import type { ResourceCall, ResourceDefinition } from '../tools/resource-definition.ts'
import { bothEras, textParam, type MethodContext, type MethodTable } from './method.ts'
import { createPreparedList, pageOf } from './page.ts'
import type { Rounds } from './rounds.ts'
import { parseUriTemplate, type UriTemplate } from './uri-template.ts'

/** Devices come and go for everybody alike. */
const listCache: CacheHint = { ttlMs: 5_000, scope: 'public' }
const templateCache: CacheHint = { ttlMs: 300_000, scope: 'public' }
/** What a phone shows is true for an instant, and the reader's own. */
const readCache: CacheHint = { ttlMs: 0, scope: 'private' }

export interface RegisteredResource {
  readonly definition: ResourceDefinition
  readonly template: UriTemplate
}

export function registerResources (definitions: readonly ResourceDefinition[]): readonly RegisteredResource[] {
  return definitions.map((definition) => ({ definition, template: parseUriTemplate(definition.uriTemplate) }))
}

/** @returns undefined when there is no such resource, or not for this caller */
export type ResourceFinder = (uri: string, call: ResourceCall) => Promise<WatchedResource | undefined>

/** Finds what somebody wants to subscribe to. */
export function createResourceFinder (resources: readonly RegisteredResource[]): ResourceFinder {
  return async (uri, call) => {
    for (const { definition, template } of resources) {
      const variables = template.match(uri)
      const topic = variables === undefined ? undefined : await definition.topicOf(variables, call)
      if (variables !== undefined && topic !== undefined) return { uri: template.expand(variables), topic }
    }
    return undefined
  }
}

export function createResourceMethods ({ resources, encoder, rounds }: {
  readonly resources: readonly RegisteredResource[]
  readonly encoder: Encoder
  readonly rounds: Rounds
}): MethodTable {
  const templates = createPreparedList(
    resources.filter(({ template }) => template.variables.length > 0).map(publishedTemplate),
    { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate', cache: templateCache },
    encoder
  )
  const find = createResourceFinder(resources)

  async function list ({ params }: McpRequest): Promise<Result> {
    const listed = await Promise.all(resources.map(({ definition }) => definition.list?.() ?? []))
    return pageOf(
      listed.flat().map((resource) => ({ ...resource })), params['cursor'],
      { method: 'resources/list', member: 'resources', key: 'uri', cache: listCache }
    )
  }

  /** Whether reading this resource may ask, as far as its URI tells. */
  function asks (uri: string): boolean {
    return resources.some(({ definition, template }) => definition.asks === true && template.match(uri) !== undefined)
  }

  async function read (request: McpRequest, context: MethodContext): Promise<Result> {
    const { params, principal, signal } = request
    const uri = uriOf(params)
    return await rounds.run({ request, context, target: uri, arguments: {}, asks: asks(uri) }, async (asking) => {
      for (const { definition, template } of resources) {
        const variables = template.match(uri)
        const content = variables === undefined ? undefined : await definition.read(variables, { principal, signal, ...asking })
        if (content !== undefined) return complete({ contents: [{ uri, ...content }] }, readCache)
      }
      throw new ProtocolError(resourceNotFound(uri))
    })
  }

  /**
   * LEGACY-09, A-14: nothing is remembered and nothing will be delivered, because old clients
   * have no stream here that outlives their request; `subscribe` is not advertised to them.
   */
  async function acknowledge ({ params, principal, signal }: McpRequest): Promise<Result> {
    const uri = uriOf(params)
    if (await find(uri, { principal, signal }) === undefined) throw new ProtocolError(resourceNotFound(uri))
    return complete({})
  }

  return {
    'resources/list': { eras: bothEras, handle: list },
    'resources/templates/list': { eras: bothEras, handle: ({ params }) => templates.page(params['cursor']) },
    'resources/read': {
      eras: bothEras,
      handle: read,
      mayStream: (request) => rounds.needsStream(request, asks(textParam(request.params, 'uri') ?? ''))
    },
    'resources/subscribe': { eras: ['legacy'], handle: acknowledge },
    'resources/unsubscribe': { eras: ['legacy'], handle: acknowledge }
  }
}

function uriOf (params: JsonObject): string {
  const uri = textParam(params, 'uri')
  if (uri === undefined) throw new ProtocolError(invalidParams('params.uri must be the URI of a resource.'))
  return uri
}

function publishedTemplate ({ definition: { uriTemplate, name, title, description, mimeType } }: RegisteredResource): Readonly<Record<string, unknown>> {
  return { uriTemplate, name, title, description, mimeType }
}
