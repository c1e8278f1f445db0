import type { Principal } from '../protocol/principal.ts'
import type { Asking } from './asking.ts'
import type { ContentBlock } from './tool-definition.ts'

/** One request for a prompt: its caller, and a signal that fires when the prompt does not matter any more. */
export interface PromptCall {
  readonly principal: Principal
  readonly signal: AbortSignal
}

export interface PromptArgument {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  /** Values to offer while the user types; completion filters them. */
  readonly complete?: (call: PromptCall) => Promise<readonly string[]>
}

export type PromptContent = string | readonly ContentBlock[]

/** A ready-made instruction for an agent that tests an app. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  /** True when getting the prompt may ask the caller; any other prompt must not. */
  readonly asks?: boolean
  /** What the user says, as one text or a message for each block, from the given arguments; the required ones are there. */
  readonly content: (given: Readonly<Record<string, string>>, call: PromptCall & Asking) => PromptContent | Promise<PromptContent>
}
