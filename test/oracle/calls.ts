/** Requests to compare by: valid ones of both eras, and every single thing that can be wrong with one. */
import fc from 'fast-check'
import { encodeHeaderValue } from '../../src/protocol/header-value.ts'

export interface Call {
  /** What was done to a valid call, e.g. `mcp-name: doubled`; `valid` when nothing was. */
  readonly change: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The body as it is sent. */
  readonly body: string
  /** What the body says, before somebody broke it. */
  readonly message: Message
  readonly era: 'modern' | 'legacy'
}

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const modern = '2026-07-28'
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

interface Ask { readonly method: string, readonly params: Readonly<Record<string, unknown>>, readonly mirrored?: Readonly<Record<string, string>> }

const word = fc.oneof(fc.constantFrom('', 'a', 'Zürich', ' padded ', '=?base64?abc?=', '\u2028', '𝒳'), fc.string({ unit: 'grapheme', maxLength: 8 }))
const callOf = (name: string, args: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Ask> => args.map((given) => ({ method: 'tools/call', params: { name, arguments: given } }))

const routed: fc.Arbitrary<Ask> = fc.record({
  region: fc.option(word, { nil: undefined }), row: fc.option(fc.maxSafeInteger(), { nil: undefined }), dry: fc.option(fc.boolean(), { nil: undefined })
}).map(({ region, row, dry }) => ({
  method: 'tools/call',
  params: { name: 'routed', arguments: { ...(region === undefined ? {} : { region }), ...(row === undefined ? {} : { target: { row } }), ...(dry === undefined ? {} : { dry }) } },
  mirrored: {
    ...(region === undefined ? {} : { 'mcp-param-region': encodeHeaderValue(region) }),
    ...(row === undefined ? {} : { 'mcp-param-row': String(row) }),
    ...(dry === undefined ? {} : { 'mcp-param-dry': String(dry) })
  }
}))

const both: readonly fc.Arbitrary<Ask>[] = [
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map((method) => fc.constant({ method, params: {} })),
  callOf('echo', fc.record({ text: word, count: fc.integer({ min: 1 }), loud: fc.boolean() }, { requiredKeys: ['text'] })),
  callOf('json_schema_2020_12_tool', fc.record({ name: word, contactMethod: fc.constant('phone'), phone: word, address: fc.record({ street: word, city: word }, { requiredKeys: [] }) }, { requiredKeys: ['contactMethod', 'phone'] })),
  callOf('sum', fc.record({ numbers: fc.array(fc.integer(), { maxLength: 4 }) })),
  ...['letters', 'blocks', 'failing', 'steps'].map((name) => callOf(name, fc.constant({}))),
  routed,
  fc.constantFrom('test://static', 'test://items/anchor', 'test://items/nothing', 'test://elsewhere').map((uri) => ({ method: 'resources/read', params: { uri } })),
  fc.record({ name: fc.constantFrom('Ada', 'Grace'), style: fc.constantFrom('kind', 'short') }, { requiredKeys: ['name'] }).map((given) => ({ method: 'prompts/get', params: { name: 'greet', arguments: given } })),
  fc.constant({ method: 'prompts/get', params: { name: 'bare' } }),
  fc.constantFrom('', 'ad', 'x').map((value) => ({ method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value } } })),
  fc.constantFrom('', 'an', 'x').map((value) => ({ method: 'completion/complete', params: { ref: { type: 'ref/resource', uri: 'test://items/{id}' }, argument: { name: 'id', value } } }))
]

const legacyOnly: readonly fc.Arbitrary<Ask>[] = [
  fc.constantFrom(...legacyVersions).map((protocolVersion) => ({ method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } } })),
  fc.constant({ method: 'ping', params: {} }),
  fc.constantFrom('debug', 'error').map((level) => ({ method: 'logging/setLevel', params: { level } }))
]

const requestId = fc.oneof(fc.string({ maxLength: 5 }), fc.maxSafeInteger(), fc.constantFrom(0, '', '0'))
const nameMember: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const modernCall: fc.Arbitrary<Call> = fc.tuple(
  requestId,
  fc.oneof(...both, fc.constant<Ask>({ method: 'server/discover', params: {} })),
  fc.record({
    'io.modelcontextprotocol/clientInfo': fc.constant({ name: 'test', version: '1' }),
    'io.modelcontextprotocol/logLevel': fc.constantFrom('debug', 'warning', 'emergency'),
    progressToken: fc.oneof(fc.string({ maxLength: 3 }), fc.integer()),
    traceparent: fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    'com.example/note': fc.jsonValue({ maxDepth: 1 })
  }, { requiredKeys: [] })
).map(([id, { method, params, mirrored = {} }, meta]) => {
  const named = nameMember[method]
  const message: Message = {
    jsonrpc: '2.0', id, method, params: { ...params, _meta: { [versionKey]: modern, 'io.modelcontextprotocol/clientCapabilities': {}, ...meta } }
  }
  return {
    change: 'valid',
    era: 'modern',
    message,
    body: JSON.stringify(message),
    headers: {
      ...common,
      'mcp-protocol-version': modern,
      'mcp-method': method,
      ...(named === undefined ? {} : { 'mcp-name': encodeHeaderValue(String(params[named])) }),
      ...mirrored
    }
  }
})

const legacyCall: fc.Arbitrary<Call> = fc.tuple(
  requestId, fc.oneof(...both, ...legacyOnly), fc.constantFrom(...legacyVersions, undefined), fc.option(fc.integer(), { nil: undefined })
).map(([id, { method, params }, version, progressToken]) => {
  const message: Message = {
    jsonrpc: '2.0', id, method, params: progressToken === undefined ? params : { ...params, _meta: { progressToken } }
  }
  return {
    change: 'valid',
    era: 'legacy',
    message,
    body: JSON.stringify(message),
    headers: { ...common, ...(version === undefined ? {} : { 'mcp-protocol-version': version }) }
  }
})

export const validCall: fc.Arbitrary<Call> = fc.oneof(modernCall, legacyCall)

/** A valid call with one thing about it changed. */
export const changedCall: fc.Arbitrary<Call> = fc.tuple(validCall, fc.nat()).map(([call, pick]) => {
  const changes = [...headerChanges(call), ...bodyChanges(call)]
  return changes[pick % changes.length] ?? call
})

function * headerChanges (call: Call): Iterable<Call> {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name', ...Object.keys(call.headers)]
  for (const name of new Set(names)) {
    const value = call.headers[name]
    const text = typeof value === 'string' ? value : ''
    const edits: Readonly<Record<string, string | readonly string[] | undefined>> = {
      removed: undefined,
      empty: '',
      other: 'other',
      padded: `  ${text}\t`,
      doubled: [text, text],
      'doubled with another': [text, 'other'],
      'upper case': text.toUpperCase(),
      wrapped: `=?base64?${Buffer.from(text).toString('base64')}?=`,
      'wrapped badly': '=?base64?SGVsbG8?=',
      'with a raw byte': `${text}\u00e9`,
      'with a version': '2025-06-18',
      'with a fraction': `${text}.0`
    }
    for (const [kind, edited] of Object.entries(edits)) {
      const { [name]: _before, ...others } = call.headers
      yield { ...call, change: `${name}: ${kind}`, headers: edited === undefined ? others : { ...others, [name]: edited } }
    }
  }
}

const replacements = [null, true, 0, -1, 1.5, '', 'other', [], {}, [1], { a: 1 }]

function * bodyChanges (call: Call): Iterable<Call> {
  for (const { path, edit } of edits(call.message)) yield { ...call, change: path, body: JSON.stringify(edit()) }
  yield { ...call, change: 'body: cut off', body: call.body.slice(0, -1) }
  yield { ...call, change: 'body: empty', body: '' }
  yield { ...call, change: 'body: in an array', body: `[${call.body}]` }
  yield { ...call, change: 'body: twice in an array', body: `[${call.body},${call.body}]` }
  yield { ...call, change: 'body: an empty array', body: '[]' }
  yield { ...call, change: 'body: after a byte order mark', body: `\ufeff${call.body}` }
  yield { ...call, change: 'body: after blanks', body: ` \n\t${call.body}\n` }
  for (const value of replacements) yield { ...call, change: `body: ${JSON.stringify(value)}`, body: JSON.stringify(value) }
  const { id: _id, ...notification } = call.message
  yield { ...call, change: 'id: removed', body: JSON.stringify(notification) }
  yield { ...call, change: 'body: a result', body: JSON.stringify({ jsonrpc: '2.0', id: call.message.id, result: {} }) }
  yield { ...call, change: 'body: an error', body: JSON.stringify({ jsonrpc: '2.0', id: call.message.id, error: { code: 1, message: 'no' } }) }
  for (const method of ['nope', 'toString', 'tools/call', 'notifications/cancelled', 'ping', 'initialize', 'tasks/list', 'server/discover', 'resources/subscribe']) {
    yield { ...call, change: `method: ${method}`, body: JSON.stringify({ ...call.message, method }) }
    yield { ...call, change: `method and its header: ${method}`, body: JSON.stringify({ ...call.message, method }), headers: 'mcp-method' in call.headers ? { ...call.headers, 'mcp-method': method } : call.headers }
  }
  for (const version of ['2025-11-25', '2024-11-05', 'v999']) {
    yield { ...call, change: `version in both: ${version}`, ...withVersion(call, version) }
  }
}

function withVersion (call: Call, version: string): Pick<Call, 'headers' | 'body'> {
  const meta = call.message.params?.['_meta'] as object | undefined
  const params = call.era === 'modern' ? { ...call.message.params, _meta: { ...meta, [versionKey]: version } } : call.message.params
  return { headers: { ...call.headers, 'mcp-protocol-version': version }, body: JSON.stringify({ ...call.message, params }) }
}

/** Each member of a JSON value removed or replaced, and a stranger added to each object. */
function * edits (value: unknown, path = ''): Iterable<{ path: string, edit: () => unknown }> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  yield { path: `${path || 'body'}: with a stranger`, edit: () => ({ ...value, stranger: 1 }) }
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    const { [name]: _removed, ...others } = value as Record<string, unknown>
    yield { path: `${at}: removed`, edit: () => others }
    for (const replacement of replacements) yield { path: `${at}: ${JSON.stringify(replacement)}`, edit: () => ({ ...value, [name]: replacement }) }
    for (const inner of edits(member, at)) yield { path: inner.path, edit: () => ({ ...value, [name]: inner.edit() }) }
  }
}
