/** Sampling (SAMP-01): has the client's model write a message. Deprecated, and served all the same. */
import { z } from 'zod'
import type { JsonObject } from './message.ts'
import { samplingNeeds, type Question } from './question.ts'

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
const mediaBlock = z.looseObject({ type: z.enum(['image', 'audio']), data: z.base64(), mimeType: z.string() })
const toolUseBlock = z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.record(z.string(), z.unknown()) })
const toolResultBlock = z.looseObject({ type: z.literal('tool_result'), toolUseId: z.string(), content: z.array(z.looseObject({ type: z.string() })) })

const block = z.discriminatedUnion('type', [textBlock, mediaBlock, toolUseBlock, toolResultBlock])
export type SamplingBlock = z.output<typeof block>

const sampled = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([block, z.array(block)]),
  model: z.string(),
  stopReason: z.string().optional()
})
export type Sampled = z.output<typeof sampled>

export interface SamplingMessage {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject | readonly JsonObject[]
}

export interface Sampling {
  readonly messages: readonly SamplingMessage[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly modelPreferences?: JsonObject
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly metadata?: JsonObject
  /** Anything but `none` needs a client that declares `sampling.context`. */
  readonly includeContext?: 'none' | 'thisServer' | 'allServers'
  /** Tools, and a choice among them, need a client that declares `sampling.tools`. */
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: { readonly mode: 'auto' | 'required' | 'none' }
}

export function samplingQuestion (sampling: Sampling): Question<Sampled> {
  return {
    method: 'sampling/createMessage',
    params: { ...sampling },
    needs: { sampling: samplingNeeds({ ...sampling }) },
    answer: sampled
  }
}
