/** What must hold for anything that arrives, before anybody acts on it. */
import fc from 'fast-check'
import { readIncoming, type Incoming } from '../../src/protocol/envelope.ts'
import { decodeHeaderValue, encodeHeaderValue } from '../../src/protocol/header-value.ts'
import { maxNesting, parseJsonBody } from '../../src/protocol/json-body.ts'
import { acceptsForm, isJsonContentType } from '../../src/protocol/media-types.ts'
import { checkMirroredParameters, readMirroredParameters } from '../../src/protocol/mirrored-parameters.ts'
import { inBandProblem, inBandSessionKey, readSessionKeyHeader, withoutInternalArguments } from '../../src/protocol/session-key.ts'
import { readTraceContext } from '../../src/protocol/trace-context.ts'
import { isLegacyVersion } from '../../src/protocol/versions.ts'
import { property, type FuzzProperty } from './fuzz-property.ts'
import { hostileBytes, hostileText, hostileValue, wellFormed } from './hostile-values.ts'

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const versions = fc.constantFrom('2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', 'v999', '', ' 2026-07-28 ', '2026-07-28, 2026-07-28')
const header = fc.option(fc.oneof(versions, hostileText), { nil: undefined })
const meta = fc.record({
  [versionKey]: fc.oneof(versions, hostileValue),
  'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), hostileValue),
  'io.modelcontextprotocol/logLevel': fc.oneof(fc.constantFrom('debug', 'emergency'), hostileValue),
  progressToken: hostileValue
}, { requiredKeys: [] })
const params = fc.oneof(hostileValue, fc.record({ _meta: fc.oneof(meta, hostileValue), name: hostileText }, { requiredKeys: [] }))

/** Nearly a message: every member there, missing, or something else. */
export const hostileMessage: fc.Arbitrary<Record<string, unknown>> = fc.record({
  jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: hostileValue }),
  id: fc.oneof(fc.integer(), hostileText, hostileValue),
  method: fc.oneof(fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'notifications/x', 'constructor', '__proto__'), hostileText, hostileValue),
  params,
  result: hostileValue,
  error: hostileValue
}, { requiredKeys: ['jsonrpc'] })

/** The table of ERA-01…ERA-10, told once more. */
function expectedEra (message: Record<string, unknown>, header: string | undefined): 'modern' | 'legacy' | 'refused' {
  const body = message['params'] as { _meta?: unknown } | undefined
  const statesVersion = typeof body?._meta === 'object' && body._meta !== null && !Array.isArray(body._meta) && Object.hasOwn(body._meta, versionKey)
  const h = header?.trim()
  if (!('id' in message)) return 'legacy'
  if (statesVersion) return 'modern'
  if (message['method'] === 'initialize') return 'legacy'
  if (h === '2026-07-28') return 'modern'
  return h === undefined || isLegacyVersion(h) ? 'legacy' : 'refused'
}

const knownCodes = [-32700, -32600, -32601, -32602, -32020, -32021, -32022]
const isId = (id: unknown): boolean => typeof id === 'string' || Number.isSafeInteger(id)

function isSound (incoming: Incoming): boolean {
  switch (incoming.kind) {
    case 'notification': return typeof incoming.method === 'string' && typeof incoming.params === 'object'
    case 'response': return incoming.id === undefined || isId(incoming.id)
    case 'batch': return incoming.elements.length > 0 && incoming.elements.every((element) => element.kind !== 'batch' && isSound(element))
    case 'rejected': return (incoming.id === undefined || isId(incoming.id)) && knownCodes.includes(incoming.rejection.code) && [200, 400].includes(incoming.rejection.status) &&
      incoming.rejection.message.length < 1_000
    case 'request': {
      const { id, method, params, meta, era, version, clientCapabilities, progressToken } = incoming.envelope
      return isId(id) && typeof method === 'string' && [params, meta, clientCapabilities].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value)) &&
        (era === 'modern' ? typeof version === 'string' : isLegacyVersion(version)) && (progressToken === undefined || isId(progressToken))
    }
  }
}

/** As a member that was sent, not the prototype that every object has. */
export function holdsProtoKey (value: unknown): boolean {
  return typeof value === 'object' && value !== null && (Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProtoKey))
}

function depth (value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
}

const mirrored = readMirroredParameters({
  type: 'object',
  properties: {
    s: { type: 'string', 'x-mcp-header': 'S' },
    at: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
    b: { type: 'boolean', 'x-mcp-header': 'B' }
  }
})
const parameters = mirrored.ok ? mirrored.parameters : []

export const protocolProperties: readonly FuzzProperty[] = [
  property('VAL-05…08: whatever a body says becomes a sound envelope or a rejection', 2_000, [fc.oneof(hostileMessage, fc.array(hostileMessage, { maxLength: 4 }), hostileValue), header],
    (body, header) => isSound(readIncoming(body, header))),

  property('ERA-01…ERA-06: the table decides, whatever else a request holds', 2_000, [
    fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), method: fc.oneof(fc.constantFrom('initialize', 'ping', 'tools/list'), hostileText), params: fc.record({ _meta: fc.oneof(meta, hostileValue) }, { requiredKeys: [] }) }), header
  ], (message, header) => {
    const incoming = readIncoming(message, header)
    switch (expectedEra(message, header)) {
      case 'modern': return incoming.kind === 'rejected' ? incoming.rejection.code === -32602 : incoming.kind === 'request' && incoming.envelope.era === 'modern'
      case 'legacy': return incoming.kind === 'request' && incoming.envelope.era === 'legacy'
      case 'refused': return incoming.kind === 'rejected' && incoming.rejection.code === -32022
    }
  }),

  property('ERR-01: no bytes make the parser throw, and what it lets through is shallow and has no __proto__', 500, [hostileBytes(fc.oneof(hostileMessage, hostileValue).map((value) => JSON.stringify(value)))], (bytes) => {
    const parsed = parseJsonBody(bytes)
    return parsed.ok ? !holdsProtoKey(parsed.value) && depth(parsed.value) <= maxNesting : parsed.rejection.status === 400
  }),

  property('HDR-05, HDR-06: any text survives the way through a header, as far as UTF-8 can carry it', 2_000, [hostileText], (value) => {
    const raw = encodeHeaderValue(value)
    return /^[\x20-\x7e]*$/.test(raw) && decodeHeaderValue(raw) === wellFormed(value)
  }),

  property('HDR-06: a wrapped value decodes only from the one form it is encoded in', 2_000, [fc.oneof(fc.string({ maxLength: 12 }), fc.base64String({ maxLength: 12 }), hostileText)], (inner) => {
    const raw = `=?base64?${inner}?=`
    const value = decodeHeaderValue(raw)
    return value === undefined || `=?base64?${Buffer.from(value).toString('base64')}?=` === raw
  }),

  property('HDR-11: mirrored parameters pass exactly when every header says what the arguments say', 2_000, [
    fc.record({ s: fc.string({ unit: 'grapheme', maxLength: 8 }), n: fc.maxSafeInteger(), b: fc.boolean() }, { requiredKeys: [] }),
    fc.record({ s: fc.string({ unit: 'grapheme', maxLength: 8 }), n: fc.maxSafeInteger(), b: fc.boolean() }, { requiredKeys: [] })
  ], (body, claimed) => {
    const given = { ...(body.s === undefined ? {} : { s: body.s }), at: body.n === undefined ? {} : { n: body.n }, ...(body.b === undefined ? {} : { b: body.b }) }
    const headers = {
      ...(claimed.s === undefined ? {} : { 'mcp-param-s': encodeHeaderValue(claimed.s) }),
      ...(claimed.n === undefined ? {} : { 'mcp-param-n': `${claimed.n}${claimed.n % 2 === 0 ? '' : '.0'}` }),
      ...(claimed.b === undefined ? {} : { 'mcp-param-b': String(claimed.b) })
    }
    const rejection = checkMirroredParameters(parameters, headers, given)
    return body.s === claimed.s && body.n === claimed.n && body.b === claimed.b ? rejection === undefined : rejection?.code === -32020
  }),

  property('HDR-08, HDR-11: no schema, header or argument makes the comparison throw', 1_000, [hostileValue, hostileText, hostileValue], (schema, raw, given) => {
    readMirroredParameters({ type: 'object', properties: { s: schema } })
    const rejection = checkMirroredParameters(parameters, { 'mcp-param-s': raw, 'mcp-param-n': raw, 'mcp-param-b': raw }, typeof given === 'object' && given !== null ? { ...given } : { s: given, at: given, b: given })
    return rejection === undefined || rejection.code === -32020
  }),

  property('POOL-04: whatever comes, a session key is a hash or refused, and nothing of what came is in the answer', 2_000, [hostileValue, hostileText], (value, text) => {
    const isHash = (key: string | undefined): boolean => key === undefined || /^[\w-]{43}$/.test(key)
    const inBand = [value, { __mcpSessionId: value }].map((given) => inBandSessionKey({ method: 'tools/call', params: { arguments: given } }))
    const header = readSessionKeyHeader({ 'x-mooring-session-id': text }, 'modern')
    return inBand.every(isHash) && (inBand[1] === undefined) === (inBandProblem({ __mcpSessionId: value }) !== undefined) &&
      Object.keys(withoutInternalArguments({ __mcpSessionId: value, [text]: value })).every((name) => !name.startsWith('__')) &&
      (header.ok ? isHash(header.key) : text.length < 8 || !header.rejection.message.includes(text))
  }),

  property('HTTP-03, HTTP-04, TRACE-03: no header value makes a reader throw', 2_000, [hostileText, hostileText, hostileText, hostileValue], (a, b, c, value) => {
    readTraceContext(value, {})
    const context = readTraceContext({ params: { _meta: { traceparent: a, baggage: b } } }, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: b, baggage: c })
    return typeof isJsonContentType(a) === 'boolean' && typeof acceptsForm(`${a};${b},${c}`, 'either') === 'boolean' && context !== undefined && /^[0-9a-f]{32}$/.test(context.parent.traceId)
  })
]
