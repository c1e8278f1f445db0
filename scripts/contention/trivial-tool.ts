import { z } from 'zod'
import { defineTool } from '../../src/tools/tool-definition.ts'

/** A call that costs what every call costs. */
export const nothing = defineTool({
  name: 'nothing',
  title: 'Nothing',
  description: 'Answers at once.',
  input: z.strictObject({}),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async () => ({ content: [], structuredContent: {} })
})
