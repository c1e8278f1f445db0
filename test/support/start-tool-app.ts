import Fastify from 'fastify'
import fp from 'fastify-plugin'
import admission from '../../plugins/admission.ts'
import bearerAuth from '../../plugins/bearer-auth.ts'
import eventStreams from '../../plugins/event-streams.ts'
import events from '../../plugins/events.ts'
import hostOrigin from '../../plugins/host-origin.ts'
import lifecycle from '../../plugins/lifecycle.ts'
import mcp from '../../plugins/mcp.ts'
import telemetry from '../../plugins/telemetry.ts'
import trace from '../../plugins/trace.ts'
import mcpRoute from '../../routes/mcp.ts'
import { createHostAllowList } from '../../src/auth/host-allow-list.ts'
import { createTokenVerifier } from '../../src/auth/verify-token.ts'
import { subscriptionSettings } from '../../src/events/subscription-settings.ts'
import { telemetrySettings } from '../../src/telemetry/telemetry-settings.ts'
import type { ToolDefinition } from '../../src/tools/tool-definition.ts'
import { randomIds } from '../../src/runtime/ids.ts'
import { systemClock as clock } from '../../src/runtime/clock.ts'
import { systemScheduler as scheduler } from '../../src/runtime/scheduler.ts'
import { mcpWire, type Wire } from './mcp-wire.ts'

interface Teardown { teardown (work: () => Promise<void>): void }

/** The MCP endpoint on a free port with any tools, and without phones. */
export async function startToolApp (t: Teardown, tools: readonly ToolDefinition[]): Promise<{ readonly wire: Wire, readonly port: number, readonly token: string }> {
  const token = 'token'
  const app = Fastify({ http: { joinDuplicateHeaders: true } })
  t.teardown(async () => await app.close())

  await app.register(trace)
  await app.register(hostOrigin, { allowList: createHostAllowList({ allowedHosts: [], allowedOrigins: [] }) })
  await app.register(admission, { holdMs: 1_000, maxHeldRequests: 1, maxRequestsInFlight: 100, openPaths: [], scheduler })
  await app.register(bearerAuth, { verifier: createTokenVerifier({ token }), openPaths: [] })
  await app.register(lifecycle)
  await app.register(telemetry, { settings: telemetrySettings.parse({}), flushMs: 0, clock, scheduler, ids: randomIds })
  await app.register(events, { settings: subscriptionSettings.parse({}), scheduler })
  await app.register(fp(async () => {}, { name: 'leases' }))
  await app.register(mcp, { offer: () => ({ tools, resources: [], prompts: [] }), callLimitMs: 60_000, clock, scheduler })
  await app.register(eventStreams, { scheduler })
  await app.register(mcpRoute, { bodyLimitBytes: 100_000 })

  await app.listen({ host: '127.0.0.1', port: 0 })
  await app.startUp()
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const { port } = address
  return { port, token, wire: mcpWire({ port, token }) }
}
