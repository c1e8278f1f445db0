import type { McpRequest } from '../protocol/mcp-request.ts'
import type { Operation } from '../telemetry/operation.ts'
import type { CatalogView } from './catalog/catalog.ts'
import { textParam } from './method.ts'

/** What a request is about, as far as it exists: names that a caller makes up may be private. */
export type Subject = Pick<Operation, 'method' | 'tool' | 'prompt' | 'uri'>

export type AskedRequest = Pick<McpRequest, 'method' | 'era' | 'params' | 'principal'>

/** The subject of a request to a method that exists; without a view nothing that is offered is named. */
export function subjectOf ({ method, params }: AskedRequest, view: CatalogView | undefined): Subject {
  switch (method) {
    case 'tools/call': return { method, tool: view?.tools.find(textParam(params, 'name') ?? '')?.name }
    case 'prompts/get': return { method, prompt: view?.prompts.find(textParam(params, 'name') ?? '')?.name }
    default: return { method, uri: uriOf(method, params) }
  }
}

/** The URI that a request to a method about resources names. */
export function uriOf (method: string, params: McpRequest['params']): string | undefined {
  switch (method) {
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe': return textParam(params, 'uri')
    default: return undefined
  }
}
