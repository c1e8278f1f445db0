/**
 * W3C trace context of one request (TRACE-01…03), version 00 alone.
 *
 * `params._meta` comes first, the HTTP headers second: the first of the two with a valid
 * `traceparent` gives all three members, since a state without its own parent belongs to
 * another trace. Malformed values never fail a request: a bad `traceparent` counts as none, a
 * bad or oversized `tracestate` or `baggage` is dropped on its own. Only the trace id may be
 * logged: the rest can hold private data.
 */
import { withoutOuterWhitespace } from './header-value.ts'
import { isObject, type JsonObject } from './message.ts'

/** One span somewhere else. */
export interface SpanReference {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly sampled: boolean
}

export interface TraceContext {
  /** The caller's span, of which the work for this request is a part. */
  readonly parent: SpanReference
  readonly state: string | undefined
  readonly baggage: string | undefined
  /** The span of the HTTP request around the message, where it is another one than the parent. */
  readonly around: SpanReference | undefined
}

type Carrier = Readonly<Record<string, unknown>>

const maxStateCharacters = 512
const maxBaggageCharacters = 8192
const traceparentForm = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const maxStateMembers = 32
// Members are tested one by one: one expression over the whole list could be made to backtrack.
const stateMemberForm = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/
const baggageMemberForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=[\x20-\x7e\t]*$/
const noMeta: JsonObject = {}

/** `body` is any JSON value; `headers` are as Node gives them, under lower-case names. */
export function readTraceContext (body: unknown, headers: Carrier): TraceContext | undefined {
  const meta = metaOf(body)
  const ofMessage = readParent(meta)
  const ofHttp = readParent(headers)
  if (ofMessage === undefined) return ofHttp === undefined ? undefined : contextFrom(headers, ofHttp)
  const isSame = ofHttp?.spanId === ofMessage.spanId && ofHttp.traceId === ofMessage.traceId
  return contextFrom(meta, ofMessage, isSame ? undefined : ofHttp)
}

/** The `_meta` of a message; that of the first element that has one, in a batch of an old client. */
function metaOf (body: unknown): JsonObject {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  for (const message of messages) {
    const params = isObject(message) ? message['params'] : undefined
    if (isObject(params) && isObject(params['_meta'])) return params['_meta']
  }
  return noMeta
}

function readParent ({ traceparent }: Carrier): SpanReference | undefined {
  const match = typeof traceparent === 'string' ? traceparentForm.exec(traceparent) : null
  if (match === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = match
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function contextFrom ({ tracestate, baggage }: Carrier, parent: SpanReference, around?: SpanReference): TraceContext {
  return {
    parent,
    state: wellFormed(tracestate, maxStateCharacters, isTraceState),
    baggage: wellFormed(baggage, maxBaggageCharacters, isBaggage),
    around
  }
}

function wellFormed (value: unknown, maxCharacters: number, isWellFormed: (value: string) => boolean): string | undefined {
  return typeof value === 'string' && value.length <= maxCharacters && isWellFormed(value) ? value : undefined
}

function isTraceState (value: string): boolean {
  const members = value.split(',').map(withoutOuterWhitespace).filter((member) => member !== '')
  return members.length > 0 && members.length <= maxStateMembers && members.every((member) => stateMemberForm.test(member))
}

function isBaggage (value: string): boolean {
  return value.split(',').every((member) => baggageMemberForm.test(withoutOuterWhitespace(member)))
}
