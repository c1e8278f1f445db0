import type { PromptDefinition } from '../../tools/prompt-definition.ts'
import { digestOf, type ListedEntry } from './listed-set.ts'

export interface RegisteredPrompt extends ListedEntry {
  readonly definition: PromptDefinition
}

export function registerPrompt (definition: PromptDefinition): RegisteredPrompt {
  const { name, title, description } = definition
  const published = {
    name,
    title,
    description,
    arguments: definition.arguments.map(({ name, title, description, required }) => ({ name, title, description, required }))
  }
  return { name, published, digest: digestOf(published), definition }
}
