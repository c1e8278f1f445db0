import type { ResourceDefinition } from '../../tools/resource-definition.ts'
import { parseUriTemplate, type UriTemplate } from '../uri-template.ts'
import { digestOf, type ListedEntry } from './listed-set.ts'

/** A family of resources; its name in a set is the text of its template. */
export interface RegisteredResource extends ListedEntry {
  readonly definition: ResourceDefinition
  readonly template: UriTemplate
}

export function registerResource (definition: ResourceDefinition): RegisteredResource {
  const { uriTemplate, name, title, description, mimeType } = definition
  const published = { uriTemplate, name, title, description, mimeType }
  return { name: uriTemplate, published, digest: digestOf(published), definition, template: parseUriTemplate(uriTemplate) }
}
