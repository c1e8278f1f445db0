import { z } from 'zod'

/** How clients of the 2025 revisions are served. */
export const legacySettings = z.strictObject({
  serverRequests: z.enum(['on', 'off']).default('on')
    .describe('Whether tools may ask a client of the 2025 revisions (elicitation, sampling, roots) on the stream of its call. With off, a call that cannot go on without an answer is refused.'),
  sessionId: z.enum(['none', 'sealed']).default('none')
    .describe('Whether a client of the 2025 revisions is given a session id at initialize. With sealed, agents that share a token and send their ids no longer meet in each other\'s cancellations, and are asked only what they said they can answer. The id is kept nowhere and never demanded.')
})

export type LegacySettings = Readonly<z.output<typeof legacySettings>>
