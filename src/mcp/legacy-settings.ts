import { z } from 'zod'

/** How clients of the 2025 revisions are served. */
export const legacySettings = z.strictObject({
  serverRequests: z.enum(['on', 'off']).default('on')
    .describe('Whether tools may ask a client of the 2025 revisions (elicitation, sampling, roots) on the stream of its call. With off, a call that cannot go on without an answer is refused.')
})

export type LegacySettings = Readonly<z.output<typeof legacySettings>>
