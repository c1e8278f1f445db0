/**
 * The names and values under which MCP requests are measured: those of the OpenTelemetry
 * conventions for MCP, which are still in development and so stand here alone, and our own
 * under `mooring.`.
 *
 * Nothing private is among them: no arguments or results, no trace state or baggage, no lease
 * handle in full, and names of methods, tools and prompts only where they exist here.
 */
import type { Attributes } from '@opentelemetry/api'
import { isLegacyVersion, modernVersions } from '../protocol/versions.ts'
import type { Ending, Failure, Operation } from './operation.ts'
import type { PrincipalHash } from './principal-hash.ts'
import { redactUri } from './redact-uri.ts'

export const attributeNames = {
  method: 'mcp.method.name',
  protocolVersion: 'mcp.protocol.version',
  resourceUri: 'mcp.resource.uri',
  tool: 'gen_ai.tool.name',
  operation: 'gen_ai.operation.name',
  prompt: 'gen_ai.prompt.name',
  requestId: 'jsonrpc.request.id',
  errorType: 'error.type',
  statusCode: 'rpc.response.status_code',
  transport: 'network.transport',
  networkProtocol: 'network.protocol.name',
  networkProtocolVersion: 'network.protocol.version',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  clientAddress: 'client.address',
  clientPort: 'client.port',
  era: 'mooring.era.downstream',
  principalHash: 'mooring.principal.hash',
  deviceId: 'mooring.device.id',
  refusalCode: 'mooring.refusal.code',
  waitDuration: 'mooring.wait.duration'
} as const

export const durationName = 'mcp.server.operation.duration'

/** In seconds. */
export const durationBuckets: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export const waitName = 'mooring.server.wait.duration'

/** In seconds. */
export const waitBuckets: readonly number[] = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600]

/** Callers choose ids, and how long they are. */
const longestId = 128

export function spanName ({ method, tool, prompt }: Operation): string {
  const target = tool ?? prompt
  return target === undefined ? methodName(method) : `${methodName(method)} ${target}`
}

export function spanAttributes (operation: Operation, principalHash: PrincipalHash): Attributes {
  const { request: { era, id }, principalKey, peer, uri } = operation
  return {
    ...commonAttributes(operation),
    ...present(attributeNames.resourceUri, uri === undefined ? undefined : redactUri(uri)),
    [attributeNames.requestId]: String(id).slice(0, longestId),
    ...present(attributeNames.serverAddress, peer?.serverAddress),
    ...present(attributeNames.serverPort, peer?.serverPort),
    ...present(attributeNames.clientAddress, peer?.clientAddress),
    ...present(attributeNames.clientPort, peer?.clientPort),
    [attributeNames.era]: era,
    [attributeNames.principalHash]: principalHash(principalKey)
  }
}

/** Fewer than a span has: each combination of values is a series of its own. */
export function durationAttributes (operation: Operation, ending: Ending): Attributes {
  return { ...commonAttributes(operation), ...endingAttributes(ending) }
}

/** The code tells refusals apart, all of which the conventions call `tool_error`. */
export function endingAttributes ({ failure, refusal }: Ending): Attributes {
  return { ...(failure === undefined ? {} : failureAttributes(failure)), ...present(attributeNames.refusalCode, refusal) }
}

function failureAttributes (failure: Failure): Attributes {
  return typeof failure === 'number'
    ? { [attributeNames.errorType]: String(failure), [attributeNames.statusCode]: String(failure) }
    : { [attributeNames.errorType]: failure }
}

function commonAttributes ({ request: { version }, method, tool, prompt, peer }: Operation): Attributes {
  return {
    [attributeNames.method]: methodName(method),
    ...(tool === undefined ? {} : { [attributeNames.tool]: tool, [attributeNames.operation]: 'execute_tool' }),
    ...present(attributeNames.prompt, prompt),
    ...(isLegacyVersion(version) || modernVersions.includes(version) ? { [attributeNames.protocolVersion]: version } : {}),
    [attributeNames.transport]: 'tcp',
    [attributeNames.networkProtocol]: 'http',
    ...present(attributeNames.networkProtocolVersion, peer?.protocolVersion)
  }
}

function methodName (method: string | undefined): string {
  return method ?? '_OTHER'
}

function present (name: string, value: string | number | undefined): Attributes {
  return value === undefined ? {} : { [name]: value }
}
