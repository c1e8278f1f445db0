import type { Principal } from '../protocol/principal.ts'

export interface PromptArgument {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  /** Values to offer while somebody types; completion filters them. */
  readonly complete?: (call: { readonly principal: Principal, readonly signal: AbortSignal }) => Promise<readonly string[]>
}

/** A ready-made instruction for an agent that tests an app. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  /** The text of the user message, from the given arguments; the required ones are there. */
  readonly text: (given: Readonly<Record<string, string>>) => string
}
