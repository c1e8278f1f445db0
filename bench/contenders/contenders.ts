import type { Contender } from './contender.ts'

const bothEras = ['modern', 'legacy'] as const

const mooring: Contender = {
  name: 'mooring',
  label: 'mooring',
  eras: bothEras,
  repeats: false,
  start: async (setup) => await (await import('./mooring.ts')).startMooring(setup)
}

const nodeHttp: Contender = {
  name: 'node-http',
  label: '(a) node:http, same bytes',
  eras: bothEras,
  repeats: true,
  start: async (setup) => await (await import('./node-http.ts')).startNodeHttp(setup)
}

const fastify: Contender = {
  name: 'fastify',
  label: '(b) Fastify, same bytes',
  eras: bothEras,
  repeats: true,
  start: async (setup) => await (await import('./fastify.ts')).startFastify(setup)
}

const sdkServer: Contender = {
  name: 'sdk-server',
  label: '(c) SDK 2 handler, Server',
  eras: bothEras,
  repeats: false,
  start: async (setup) => await (await import('./sdk-handler.ts')).startSdkServer(setup)
}

const sdkMcpServer: Contender = {
  name: 'sdk-mcp-server',
  label: '(d) SDK 2 handler, McpServer',
  eras: bothEras,
  repeats: false,
  start: async (setup) => await (await import('./sdk-handler.ts')).startSdkMcpServer(setup)
}

const sdkV1: Contender = {
  name: 'sdk-v1',
  label: '(e) SDK 1, stateless',
  eras: ['legacy'],
  repeats: false,
  start: async (setup) => await (await import('./sdk-v1.ts')).startSdkV1(setup)
}

const rawStreams: Contender = {
  name: 'raw-streams',
  label: 'hijacked replies, raw writes',
  eras: ['modern'],
  repeats: false,
  start: async () => await (await import('./raw-streams.ts')).startRawStreams()
}

/** Those that answer requests; mooring first, since the repeating ones answer its bytes. */
export const contenders: readonly Contender[] = [mooring, nodeHttp, fastify, sdkServer, sdkMcpServer, sdkV1]

/** Those that keep listen streams open. */
export const streamContenders: readonly Contender[] = [mooring, rawStreams, sdkServer]
