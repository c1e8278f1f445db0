import { z } from 'zod'
import { defineTool, type ToolDefinition, type ToolOutput } from '../src/tools/tool-definition.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/**
 * The same tools for every contender: `echo`, which is the one that is called, and as many
 * others as make up the count. Each takes about 420 bytes of a list, as real ones do.
 */
export function offeredTools (count: number): readonly ToolDefinition[] {
  return [echoTool, ...Array.from({ length: count - 1 }, (_, index) => fillerTool(index + 1))]
}

export const echoTool = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Says back what it is told.',
  input: z.strictObject({ text: z.string().max(1_000).describe('What to say back') }),
  annotations,
  run: async ({ text }) => echo(text)
})

/** What `echo` does, for contenders that check arguments in their own way. */
export function echo (text: string): ToolOutput {
  return { content: [{ type: 'text', text }], structuredContent: { text } }
}

function fillerTool (number: number): ToolDefinition {
  const name = `lookUp${String(number).padStart(3, '0')}`
  return defineTool({
    name,
    title: `Look up ${number}`,
    description: `Looks something up in collection ${number}, and says what it found there and when.`,
    input: z.strictObject({
      query: z.string().max(200).describe('Words to look for'),
      limit: z.int().min(1).max(50).default(10).describe('How many results to return'),
      exact: z.boolean().optional()
    }),
    annotations,
    run: async ({ query }) => echo(query)
  })
}
