/**
 * Where mooring answers otherwise than the SDK's handler, and why. Each entry names the rule
 * it rests on (Appendix C: `A-..`). What no entry explains is a fault of one of the two.
 */
import { isObject } from '../../src/protocol/message.ts'
import { legacyResult } from '../../src/protocol/encode-legacy.ts'
import { isLegacyVersion, oldestLegacyVersion, type LegacyVersion } from '../../src/protocol/versions.ts'
import type { Answer } from './answer.ts'
import type { Call } from './calls.ts'

export type Difference = Adapting | Covering

interface Reasoned {
  readonly rule: string
  readonly reason: string
}

/** Makes of the SDK's answer what ours must then be, to the letter. */
interface Adapting extends Reasoned {
  readonly adapt: (theirs: Answer, call: Call) => Answer
}

/** Says that a pair of answers may differ. */
interface Covering extends Reasoned {
  readonly covers: (pair: { readonly call: Call, readonly ours: Answer, readonly theirs: Answer }) => boolean
}

type Fields = Readonly<Record<string, unknown>>

export const differences: readonly Difference[] = [
  {
    rule: 'PROMPT-01',
    reason: 'The SDK makes a prompt\'s arguments from a schema, which gives them no title.',
    adapt: (theirs, { message }) => message.method !== 'prompts/list'
      ? theirs
      : onResults(theirs, (result) => ({ ...result, prompts: titled(result['prompts']) }))
  },
  {
    rule: 'LEGACY-08',
    reason: 'Old callers that set no level get messages at info and above; the SDK sends them all.',
    adapt: (theirs, { era }) => era === 'modern'
      ? theirs
      : { ...theirs, messages: theirs.messages.filter((message) => !(isObject(message) && message['method'] === 'notifications/message' && isObject(message['params']) && message['params']['level'] === 'debug')) }
  },
  {
    rule: 'LEGACY-12',
    reason: 'Output that is no object is new in 2026-07-28: we leave it to the text, the SDK wraps it in an object that no schema of ours describes.',
    adapt: (theirs, { era, message }) => era === 'modern' ? theirs : onResults(theirs, (result) => withoutWrapping(result, message.params?.['name'] === 'letters'))
  },
  {
    rule: 'LEGACY-12',
    reason: 'Older revisions get only the members that they know; the SDK sends them all.',
    adapt: (theirs, call) => call.era === 'modern' ? theirs : onResults(theirs, (result) => legacyResult(methodOf(call), result, versionOf(call)))
  },
  {
    rule: 'LEGACY-11',
    reason: 'The code for a resource that is not there is -32002 before 2026-07-28.',
    adapt: (theirs, call) => call.era === 'legacy' && methodOf(call) === 'resources/read' ? onErrors(theirs, -32602, -32002, 200, 200, unknownUri(call)) : theirs
  },
  {
    rule: 'ERR-08',
    reason: 'Parameters of the wrong type are invalid parameters; the SDK lets its schema fail as an internal error.',
    adapt: (theirs) => onErrors(theirs, -32603, -32602)
  },
  {
    rule: 'ERR-10',
    reason: 'A level that does not exist is an invalid parameter, answered in band.',
    adapt: (theirs, { change }) => change.startsWith('params._meta.io.modelcontextprotocol/logLevel') ? onErrors(theirs, -32602, -32602, 400, 200) : theirs
  },
  {
    rule: 'META-01',
    reason: 'A modern request whose _meta is no object lacks the required members; the SDK calls it no request.',
    adapt: (theirs, { era, change }) => era === 'modern' && change.startsWith('params._meta: ') ? onErrors(theirs, -32600, -32602) : theirs
  },
  {
    rule: 'ERA-09',
    reason: 'A response posted in the modern era is an invalid request; the codes around -32000 are never used (A-20).',
    adapt: (theirs, { change, era }) => era === 'modern' && /^body: an? (result|error)$/.test(change) ? onErrors(theirs, -32000, -32600) : theirs
  },
  {
    rule: 'HTTP-19',
    reason: 'What HTTP itself refuses is not dressed up as a JSON-RPC error with an invented code.',
    adapt: (theirs) => theirs.status === 406 || theirs.status === 415 ? { ...theirs, messages: [] } : theirs
  },
  {
    rule: 'RPC-01',
    reason: 'The id of a broken message is repeated whenever it can be read.',
    covers: ({ ours, theirs }) => ours.status === 400 && theirs.status === 400 && codeOf(ours) === -32600 && codeOf(theirs) === -32600 && !hasId(theirs)
  },
  {
    rule: 'RPC-02',
    reason: 'A fraction cannot be trusted to come back as it was, so it is no id.',
    covers: ({ call, ours }) => call.change === 'id: 1.5' && ours.status === 400 && codeOf(ours) === -32600 && !hasId(ours)
  },
  {
    rule: 'RPC-01',
    reason: 'A member that JSON-RPC does not know is no reason to refuse a message.',
    covers: ({ call, theirs, ours }) => call.change === 'body: with a stranger' && codeOf(theirs) === -32600 && ours.status === 200
  },
  {
    rule: 'PROG-01',
    reason: 'Null is no progress token, and anything else that is none is refused as a parameter, with the words for it.',
    covers: ({ call, theirs, ours }) => call.change.startsWith('params._meta.progressToken: ') && codeOf(theirs) === -32600 && ours.status === 200
  },
  {
    rule: 'CALL-03',
    reason: 'Some clients send null where there are no arguments: it counts as absent.',
    covers: ({ call, theirs, ours }) => call.change === 'params.arguments: null' && codeOf(theirs) === -32602 && ours.status === 200
  },
  {
    rule: 'LEGACY-15',
    reason: 'An old request needs no _meta, so one that is no object is none.',
    covers: ({ call, theirs, ours }) => call.era === 'legacy' && call.change.startsWith('params._meta: ') && codeOf(theirs) === -32600 && ours.status === 200
  },
  {
    rule: 'META-02',
    reason: 'Who the client says it is may be left out and is only for display (RPC-07): a malformed one is no reason to refuse.',
    covers: ({ call, theirs, ours }) => call.era === 'modern' && /clientInfo/.test(call.change) && codeOf(theirs) === -32602 && ours.status === 200
  },
  {
    rule: 'LEGACY-01',
    reason: 'A handshake needs its three members; what the client says inside of them is for display.',
    covers: ({ call, theirs, ours }) => methodOf(call) === 'initialize' && /^params\.(clientInfo|capabilities)/.test(call.change) && codeOf(theirs) === -32602 && codeOf(ours) === undefined
  },
  {
    rule: 'ERA-02',
    reason: 'A handshake without modern _meta is served whatever its version header says (A-06).',
    covers: ({ call, ours, theirs }) => methodOf(call) === 'initialize' && ours.status === 200 && theirs.status === 400
  },
  {
    rule: 'ERA-06',
    reason: 'A header that names no version we serve is answered with the ones we serve (A-08), under one code.',
    covers: ({ ours, theirs }) => codeOf(ours) === -32022 && (theirs.status === 400 || theirs.status === 404) && [-32000, -32602, -32601, -32020].includes(codeOf(theirs) ?? 0)
  },
  {
    rule: 'VER-03',
    reason: 'The revision 2024-11-05 is not served.',
    covers: ({ call, ours }) => call.headers['mcp-protocol-version'] === '2024-11-05' && codeOf(ours) === -32022
  },
  {
    rule: 'LEGACY-09',
    reason: 'Old callers may subscribe to a resource and are told of nothing (A-14); the SDK has the method only where a server brings it.',
    covers: ({ call, theirs }) => call.era === 'legacy' && methodOf(call) === 'resources/subscribe' && codeOf(theirs) === -32601
  },
  {
    rule: 'HTTP-04',
    reason: 'An Accept header that leaves out one of the two forms is refused; the SDK asks only old callers for both, and looks for the names anywhere in it.',
    covers: ({ call, ours }) => call.change.startsWith('accept: ') && ours.status === 406
  },
  {
    rule: 'HTTP-04',
    reason: 'No Accept header is tolerated, and media types are compared ignoring case.',
    covers: ({ call, ours, theirs }) => ['accept: removed', 'accept: upper case'].includes(call.change) && theirs.status === 406 && ours.status !== 406
  },
  {
    rule: 'HTTP-20',
    reason: 'A doubled content type is none.',
    covers: ({ call, ours }) => call.change.startsWith('content-type: doubled') && ours.status === 415
  },
  {
    rule: 'A-12',
    reason: 'A mirrored header without a value in the arguments is refused, so that no router acts on what the tool does not see.',
    covers: ({ call, ours, theirs }) => codeOf(ours) === -32020 && theirs.status === 200 && Object.keys(call.headers).some((name) => name.startsWith('mcp-param-'))
  },
  {
    rule: 'COMP-01',
    reason: 'Completion of an argument that does not exist is an invalid parameter; the SDK has nothing to offer for it.',
    covers: ({ call, ours, theirs }) => methodOf(call) === 'completion/complete' && codeOf(ours) === -32602 && theirs.status === 200 && codeOf(theirs) === undefined
  },
  {
    rule: 'LEGACY-21',
    reason: 'Only the revision 2025-03-26 has batches, and in them each element is answered for itself.',
    covers: ({ call }) => call.era === 'legacy' && call.body.startsWith('[')
  }
]

function onResults (answer: Answer, change: (result: Fields) => Fields): Answer {
  return {
    ...answer,
    messages: answer.messages.map((message) => isObject(message) && isObject(message['result']) && message['result']['isError'] !== true ? { ...message, result: change(message['result']) } : message)
  }
}

function onErrors (answer: Answer, from: number, to: number, fromStatus = answer.status, toStatus = answer.status, applies = true): Answer {
  return applies && answer.status === fromStatus && codeOf(answer) === from
    ? { status: toStatus, messages: answer.messages.map((message) => ({ ...message as Fields, error: to })) }
    : answer
}

function codeOf ({ messages: [message] }: Answer): number | undefined {
  return isObject(message) && typeof message['error'] === 'number' ? message['error'] : undefined
}

function hasId ({ messages: [message] }: Answer): boolean {
  return isObject(message) && 'id' in message
}

/** The method that the body asks for, which a change may have replaced. */
function methodOf ({ body, message }: Call): string {
  try {
    const parsed: unknown = JSON.parse(body.replace(/^\ufeff/, ''))
    return isObject(parsed) && typeof parsed['method'] === 'string' ? parsed['method'] : message.method
  } catch {
    return message.method
  }
}

/** The revision that an old request is served at. */
function versionOf ({ headers }: Call): LegacyVersion {
  const header = headers['mcp-protocol-version']
  const version = typeof header === 'string' ? header.trim() : undefined
  return isLegacyVersion(version) ? version : oldestLegacyVersion
}

/** Whether a read names a resource, so that its error says that there is none. */
function unknownUri ({ body }: Call): boolean {
  const { params } = JSON.parse(body.replace(/^\ufeff/, '')) as { params?: { uri?: unknown } }
  return typeof params?.uri === 'string'
}

function titled (prompts: unknown): unknown {
  const titles: Readonly<Record<string, string>> = { name: 'Name', style: 'Style' }
  return (prompts as Fields[]).map((prompt) => ({
    ...prompt, arguments: (prompt['arguments'] as Fields[]).map((argument) => ({ ...argument, title: titles[String(argument['name'])] }))
  }))
}

function withoutWrapping (result: Fields, isOfLetters: boolean): Fields {
  const { structuredContent, tools, ...rest } = result
  return {
    ...rest,
    ...(structuredContent === undefined || isOfLetters ? {} : { structuredContent }),
    ...(Array.isArray(tools)
      ? { tools: tools.map((tool: Fields) => tool['name'] === 'letters' ? Object.fromEntries(Object.entries(tool).filter(([name]) => name !== 'outputSchema')) : tool) }
      : {})
  }
}
