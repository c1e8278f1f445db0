import { z } from 'zod'
import { isLoopbackName, parseHostName } from '../auth/host-allow-list.ts'
import { tokenOrigins } from '../auth/token-origin.ts'

const hostName = z.string().refine((name) => parseHostName(name) !== undefined, {
  error: ({ input }) => `${JSON.stringify(input)} is no host; write a name or an address, without scheme, port and final dot`
})

// Browsers send an origin in this form; one that is written otherwise would never match.
const origin = z.string().refine((value) => /^[a-z][a-z0-9+.-]*:\/\/[^\sA-Z/?#@\\*]+$/.test(value), {
  error: ({ input }) => `${JSON.stringify(input)} is no origin; write scheme, host and port as a browser does, like https://tools.example:8443`
})

/** How mooring is reached over HTTP, and how much it takes on at a time. */
export const serverSettings = z.strictObject({
  host: z.string().min(1).default('127.0.0.1')
    .describe('Address to listen on. Anything but this machine\'s own (127.0.0.1, ::1, localhost) also needs server.allowedHosts.'),
  port: z.int().min(0).max(65_535).default(8484)
    .describe('Port to listen on; 0 takes any free one and prints it.'),
  allowedHosts: z.array(hostName).default([])
    .describe('Names and addresses that requests may carry in Host, and pages in Origin, besides localhost, 127.0.0.1 and [::1]; without port.'),
  allowedOrigins: z.array(origin).default([])
    .describe('Further origins of web pages that may call, as browsers send them, for example https://tools.example.'),
  // A value that is none of these is likely to be the token itself, and must not be repeated.
  token: z.enum(tokenOrigins).default('new')
    .meta({ writeOnly: true })
    .describe('Where the token comes from. new: each start makes another one. keep: the first start makes one, which stays in tokenFile. file: tokenFile holds one of yours, which is only read; as the secrets of Kubernetes and Docker it may be a link and belong to another user. variable: MOORING_TOKEN holds it, and nothing is written. One of yours needs 22 characters or more.'),
  tokenFile: z.string().min(1).optional()
    .describe('Where clients of this user find the token. Unless the token is one of yours, the file is written at start, readable by this user alone, and, unless it is kept, removed at stop. Its folder must belong to this user or root, be no symbolic link, and not let others replace files in it; who may read the folder is up to you. Default: token in stateDir.'),
  openProbes: z.boolean().default(false)
    .describe('Whether /livez and /readyz answer without a token, for load balancers and container platforms.'),
  bodyLimitBytes: z.int().min(1_024).max(268_435_456).default(4_194_304)
    .describe('Largest request body, in bytes; a larger one gets 413.'),
  maxRequestsInFlight: z.int().min(1).max(65_536).default(512)
    .describe('How many requests are worked on at a time; further ones are turned away with Retry-After. For heartbeats, probes and operators there are 64 places more, and another 64 for MCP messages that want no answer, so that an answer to a question or a cancellation gets in.'),
  maxHeldRequests: z.int().min(0).max(65_536).default(256)
    .describe('How many requests may wait while mooring starts; further ones are turned away with Retry-After.'),
  holdMs: z.int().min(0).max(30_000).default(30_000)
    .describe('How long a request waits while mooring starts before it gets 503, in milliseconds.'),
  shutdownMs: z.int().min(100).max(10_000).default(10_000)
    .describe('How long stopping may take in all, in milliseconds; what hangs is given up shortly before, and mooring exits with 1.'),
  callLimitMs: z.int().min(1_000).max(3_600_000).default(300_000)
    .describe('How long one MCP request may run before it is told to stop, in milliseconds. Time in the queue for a device is not counted.'),
  requestTimeoutMs: z.int().min(1_000).max(3_600_000).default(60_000)
    .describe('How long a client may take to send one whole request, in milliseconds; after that it gets 408.'),
  answerTimeoutMs: z.int().min(1_000).max(3_600_000).default(30_000)
    .describe('How long a client may take nothing of an answer that waits for it, in milliseconds; then its connection is closed.')
}).refine(({ host, allowedHosts }) => isLoopbackName(host) || allowedHosts.length > 0, {
  path: ['allowedHosts'],
  error: 'must be set when server.host is not this machine\'s own address: name the hosts under which clients reach mooring, else every request from outside is refused for its Host header'
})

export type ServerSettings = Readonly<z.output<typeof serverSettings>>
