import { z } from 'zod'

/** How much of the server listen streams may take up. */
export const subscriptionSettings = z.strictObject({
  maxStreams: z.int().min(1).max(65_536).default(1_024)
    .describe('How many subscriptions/listen streams may be open at a time. They do not count as requests in flight.'),
  maxStreamsPerPrincipal: z.int().min(1).max(65_536).default(256)
    .describe('How many of them one principal may have open; all agents that use one token are one principal.'),
  maxUrisPerStream: z.int().min(1).max(65_536).default(256)
    .describe('How many resources one stream may subscribe to; more are refused.'),
  maxUris: z.int().min(1).max(1_048_576).default(4_096)
    .describe('How many resources all streams together may subscribe to; one that two streams subscribe to counts twice. More get 429.'),
  maxQueuedBytes: z.int().min(1_024).max(16_777_216).default(65_536)
    .describe('How many bytes may wait for a client that does not read its stream before the stream is cut.')
})

export type SubscriptionSettings = Readonly<z.output<typeof subscriptionSettings>>
